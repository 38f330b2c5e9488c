#include "player/supervisor/keyframe_runs.hpp"

#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::supervisor {
namespace {

using director::KeyframeOrder;

constexpr std::size_t most_waiting_orders = 100;
constexpr std::size_t longest_answer = 4096;  // bytes

/// The first line that a command has printed, without the program's name; "" where there is none.
std::string first_line_of(const std::filesystem::path& output) {
  std::string line = file_beginning(output, longest_answer);
  line = line.substr(0, line.find('\n'));
  constexpr std::string_view program = "tilewall: ";
  return line.starts_with(program) ? line.substr(program.size()) : line;
}

}  // namespace

KeyframeRuns::KeyframeRuns(const SupervisorOptions& options, const RunDir& run_dir)
    : options_(options), run_dir_(run_dir) {
  if (options_.keyframes.empty()) return;
  state_.file = options_.keyframes.string();
  write_state();
}

void KeyframeRuns::order(KeyframeOrder order) {
  if (options_.keyframes.empty()) return;
  if (order == KeyframeOrder::stop_preview)
    stop_preview();
  else if (waiting_.size() < most_waiting_orders)
    waiting_.push_back(order);
}

void KeyframeRuns::stop_preview() {
  std::erase(waiting_, KeyframeOrder::preview);
  if (preview_pid_ == 0 || is_stopped_) return;
  is_stopped_ = true;
  ::kill(preview_pid_, SIGTERM);
}

bool KeyframeRuns::can_begin(KeyframeOrder order) const noexcept {
  const bool ends = preview_pid_ != 0 && is_stopped_;
  return change_pid_ == 0 && !(order == KeyframeOrder::preview && ends);
}

std::filesystem::path KeyframeRuns::output_of(std::string_view kind) const {
  return run_dir_.path() / fmt::format("keyframe-{}.txt", kind);
}

pid_t KeyframeRuns::start(std::string_view command, const std::vector<std::string>& options) {
  std::vector<std::string> words = {own_program("tilewall").string(),
                                    "ctl",
                                    "keyframe",
                                    std::string(command),
                                    options_.keyframes.string(),
                                    "--run-dir",
                                    run_dir_.path().string()};
  words.insert(words.end(), options.begin(), options.end());
  if (!options_.key_file.empty())
    words.insert(words.end(), {"--key-file", options_.key_file.string()});
  ChildOptions child;
  child.output = output_of(command == "preview" ? "preview" : "change");
  child.own_group = true;
  child.as_from_shell = true;
  std::error_code ignored;
  std::filesystem::remove(child.output, ignored);
  return start_program(words, child);
}

void KeyframeRuns::carry_out(KeyframeOrder order) {
  switch (order) {
    case KeyframeOrder::add:
      change_pid_ = start("add");
      break;
    case KeyframeOrder::remove_nearest:
      change_pid_ = start("remove", {"--nearest"});
      break;
    case KeyframeOrder::preview:
      if (preview_pid_ != 0) break;  // the wall flies it already
      preview_pid_ = start("preview");
      is_stopped_ = false;
      state_.is_previewed = true;
      write_state();
      break;
    case KeyframeOrder::stop_preview:
      stop_preview();
      break;
  }
}

std::optional<std::string> KeyframeRuns::look() {
  while (!waiting_.empty() && can_begin(waiting_.front())) {
    const KeyframeOrder order = waiting_.front();
    waiting_.pop_front();
    try {
      carry_out(order);
    } catch (const JobError& error) {  // the machine has no room for a process; the show goes on
      return answer(fmt::format("keyframe: {}", error.what()), true);
    }
  }
  return std::nullopt;
}

std::optional<std::string> KeyframeRuns::take_end(const ChildEnd& end) {
  const bool has_failed = end.signal != 0 || end.exit_code != exit_done;
  if (change_pid_ != 0 && end.pid == change_pid_) {
    change_pid_ = 0;
    std::string line = first_line_of(output_of("change"));
    if (line.empty()) line = "no key frame was written: the command ended without an answer";
    return answer(std::move(line), has_failed);
  }
  if (preview_pid_ == 0 || end.pid != preview_pid_) return std::nullopt;
  preview_pid_ = 0;
  state_.is_previewed = false;
  if (is_stopped_) return answer("preview: stopped", false);
  if (!has_failed) return answer("preview: the flight is over", false);
  std::string line = first_line_of(output_of("preview"));
  if (line.empty()) line = "the command ended without an answer";
  return answer("preview: " + line, true);
}

std::string KeyframeRuns::answer(std::string line, bool has_failed) {
  state_.answer = line;
  state_.has_failed = has_failed;
  ++state_.answers;
  write_state();
  return line;
}

void KeyframeRuns::write_state() const {
  try {
    write_private_file(run_dir_.path() / scene::kept_path_file, json_text(scene::to_json(state_)));
  } catch (const JobError&) {  // a full disk; the operator still gets the line at the terminal
  }
}

}  // namespace tilewall::supervisor
