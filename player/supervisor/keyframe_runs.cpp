#include "player/supervisor/keyframe_runs.hpp"

#include <system_error>
#include <vector>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::supervisor {
namespace {

constexpr std::size_t most_waiting_orders = 100;
constexpr std::size_t longest_answer = 4096;  // bytes

}  // namespace

void KeyframeRuns::order(bool adds) {
  if (!options_.keyframes.empty() && waiting_.size() < most_waiting_orders)
    waiting_.push_back(adds);
}

std::filesystem::path KeyframeRuns::output() const { return run_dir_.path() / "keyframe.txt"; }

void KeyframeRuns::look() {
  if (pid_ != 0 || waiting_.empty()) return;
  const bool adds = waiting_.front();
  waiting_.pop_front();
  std::vector<std::string> words = {own_program("tilewall").string(),
                                    "ctl",
                                    "keyframe",
                                    adds ? "add" : "remove",
                                    options_.keyframes.string(),
                                    "--run-dir",
                                    run_dir_.path().string()};
  if (!adds) words.emplace_back("--nearest");
  if (!options_.key_file.empty())
    words.insert(words.end(), {"--key-file", options_.key_file.string()});
  std::error_code ignored;
  std::filesystem::remove(output(), ignored);
  ChildOptions child;
  child.output = output();
  child.own_group = true;
  child.as_from_shell = true;
  try {
    pid_ = start_program(words, child);
  } catch (const JobError&) {  // the machine has no room for a process; the show goes on
  }
}

std::optional<std::string> KeyframeRuns::take_end(const ChildEnd& end) {
  if (pid_ == 0 || end.pid != pid_) return std::nullopt;
  pid_ = 0;
  std::string line;
  try {
    line = read_text_file(output(), longest_answer);
  } catch (const InputError&) {
    return "no key frame was written: the command ended without an answer";
  }
  line = line.substr(0, line.find('\n'));
  constexpr std::string_view program = "tilewall: ";
  return line.starts_with(program) ? line.substr(program.size()) : line;
}

}  // namespace tilewall::supervisor
