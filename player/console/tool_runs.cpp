#include "player/console/tool_runs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string_view>

#include "player/console/path_watch.hpp"
#include "player/path/path_file.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::console {
namespace {

constexpr std::size_t most_text_bytes = 65536;
constexpr std::size_t most_input_bytes = path::largest_path_bytes;  // of a path or a wall file
constexpr std::int64_t seconds_a_day = 24 * 3600;
constexpr std::chrono::milliseconds end_limit{2000};

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

fs::path rehearsal_folder(const ToolPlace& place) { return place.run_dir / "rehearsal"; }

/// The word behind an option; "" where it is not given.
std::string word_of(const Words& options, std::string_view option) {
  const auto found = std::ranges::find(options, option);
  return found == options.end() || found + 1 == options.end() ? "" : *(found + 1);
}

/// The words about how the running show draws its volume on its wall.
Words drawing_options(const ToolFiles& files, const ToolPlace& place) {
  Words words;
  if (!files.bezels.empty()) words.insert(words.end(), {"--bezels", files.bezels});
  if (!files.content.empty()) words.insert(words.end(), {"--content", files.content});
  words.insert(words.end(), place.render_options.begin(), place.render_options.end());
  return words;
}

/// The options of the show that `render` has too.
Words render_options(const ToolFiles& files, const ToolPlace& place) {
  Words words;
  for (const std::string_view option : {"--wall", "--launcher"})
    if (const std::string word = word_of(place.show_options, option); !word.empty())
      words.insert(words.end(), {std::string(option), word});
  if (std::ranges::find(place.show_options, "--local") != place.show_options.end())
    words.emplace_back("--local");
  std::ranges::move(drawing_options(files, place), std::back_inserter(words));
  return words;
}

/// The files beside the path's own by which its frames are drawn: the path's volume, its logo, and
/// its transfer functions.
Words files_of(const path::PathFile& path) {
  Words files = path.volume;
  if (path.logo) files.push_back(path.logo->file);
  for (const path::PathKey& key : path.keys)
    for (const path::StyleWord& word : key.style)
      if (word.field == "tf") files.push_back(word.value.substr(0, word.value.find('#')));
  return files;
}

/// Another text where these files have changed.
std::string stamps_of(const Words& files) {
  std::string text;
  for (const std::string& file : files) text += fmt::format("{} {}\n", file, stamp_of(file));
  return text;
}

/// The words after `tilewall` that run a tool; empty for a name that is none.
Words words_of(std::string_view name, const ToolFiles& files, const ToolPlace& place) {
  const auto with_options = [&](Words words) {
    words.insert(words.end(), place.show_options.begin(), place.show_options.end());
    return words;
  };
  const std::string run_dir = place.run_dir.string();
  if (name == "save") return {"ctl", "show", "save", "--run-dir", run_dir};
  if (name == "reload") return {"ctl", "show", "reload", "--run-dir", run_dir};
  if (name == "check") return with_options({"present", "check", files.show, "--preflight"});
  // Below the show's own run directory, so that it is no wall that `ctl` finds.
  if (name == "rehearse")
    return with_options({"present", "rehearse", files.show, "--headless", "--run-dir",
                         rehearsal_folder(place).string()});
  if (name == "render") {
    Words words = {"render", files.path, "-o", rendered_folder(files, place).string()};
    std::ranges::move(render_options(files, place), std::back_inserter(words));
    return words;
  }
  return {};
}

/// A text of several lines that browsers can show.
std::string printable_lines(const std::string& text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += printable_text(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return lines;
}

}  // namespace

fs::path rendered_folder(const ToolFiles& files, const ToolPlace& place) {
  std::string text = file_beginning(files.path, most_input_bytes);
  try {
    text += stamps_of(files_of(path::read_path_draft(files.path)));
  } catch (const InputError&) {  // the command tells what is wrong with it
  }
  text += file_beginning(word_of(place.show_options, "--wall"), most_input_bytes);
  text += stamps_of(drawing_options(files, place));  // the volume's files are among them
  // The path's day is the date of annotations for an audience.
  if (struct stat status = {}; ::stat(files.path.c_str(), &status) == 0)
    text += std::to_string(status.st_mtim.tv_sec / seconds_a_day);
  const fs::path path = files.path;
  return path.parent_path() /
         fmt::format("{}-{:08x}", path.stem().string(),
                     static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size())));
}

ToolRuns::ToolRuns(boost::asio::io_context& io, ToolPlace place, std::function<void()> changed)
    : place_(std::move(place)), changed_(std::move(changed)), child_ends_(io, SIGCHLD) {
  await_ends();
}

ToolRuns::~ToolRuns() {
  for (const auto& [name, run] : runs_)
    if (run.pid != 0) ::kill(run.pid, SIGTERM);
  for (const auto& [name, run] : runs_)
    if (run.pid != 0) end_child(run.pid, end_limit);
}

const std::vector<ToolRuns::Tool>& ToolRuns::tools() {
  static const std::vector<Tool> all = {
      {"save", "writes the changed cues into the show file (ctl show save)"},
      {"reload", "takes the cues of the show file again (ctl show reload)"},
      {"check", "tells whether the show will run, on all hosts (present check --preflight)"},
      {"rehearse", "plays all cues unattended beside the show, without windows (present rehearse)"},
      {"render", "renders the show's flight path as a movie beside its file (render)"}};
  return all;
}

fs::path ToolRuns::output_of(const std::string& name) const {
  return place_.run_dir / fmt::format("console-{}.out", name);
}

void ToolRuns::start(std::string_view name, const ToolFiles& files, const std::string& person,
                     std::int64_t at_utc_ms) {
  if (std::ranges::find(tools(), name, &Tool::name) == tools().end())
    throw InputError({"tools"}, "", "save, reload, check, rehearse or render",
                     printable_text(name));
  if (name == "render" && files.path.empty())
    throw InputError({std::string(name)}, "", "a show that keeps a flight path", "another one");
  if (name == "render" &&
      std::ranges::find(place_.show_options, "--wall") == place_.show_options.end())
    throw InputError({std::string(name)}, "", "a show that was given a wall file (--wall)", "none");
  if (name != "render" && files.show.empty())
    throw InputError({std::string(name)}, "", "a presentation (tilewall present)", "another show");
  Run& run = runs_[std::string(name)];
  if (run.pid != 0)
    throw InputError({std::string(name)}, "", "one at a time", "the one of " + run.by);
  const fs::path output = output_of(std::string(name));
  std::error_code ignored;
  fs::remove(output, ignored);
  // One that was killed has left it.
  if (name == "rehearse") fs::remove_all(rehearsal_folder(place_), ignored);
  Words words = {own_program("tilewall").string()};
  // The wall goes first where a rendering shares its processors.
  if (name == "render") words.insert(words.begin(), {"nice", "-n", "19"});
  for (std::string& word : words_of(name, files, place_)) words.push_back(std::move(word));
  ChildOptions options;
  options.output = output;
  options.environment = {{"TILEWALL_PERSON", person}};
  options.own_group = true;
  options.as_from_shell = true;
  run = {start_program(words, options), "running", false, person, at_utc_ms, ""};
  changed_();
}

void ToolRuns::stop(std::string_view name) {
  const auto found = runs_.find(name);
  if (found == runs_.end() || found->second.pid == 0)
    throw InputError({std::string(name)}, "", "a run that can be stopped", "none");
  found->second.is_stopped = true;
  ::kill(found->second.pid, SIGTERM);
}

nlohmann::json ToolRuns::json() const {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [name, run] : runs_)
    all[name] = {
        {"state", run.state}, {"by", run.by}, {"at_utc_ms", run.at_utc_ms}, {"text", run.text}};
  return all;
}

void ToolRuns::await_ends() {
  child_ends_.async_wait([this](boost::system::error_code error, int) {
    if (error) return;
    take_ends();
    await_ends();
  });
}

void ToolRuns::take_ends() {
  while (const auto end = reap_any()) {
    const auto found = std::ranges::find_if(
        runs_, [&](const auto& entry) { return entry.second.pid == end->pid; });
    if (found == runs_.end()) continue;
    Run& run = found->second;
    run.pid = 0;
    const bool is_done = end->signal == 0 && end->exit_code == exit_done;
    run.state = run.is_stopped ? "stopped" : is_done ? "done" : "failed";
    run.text = printable_lines(file_ending(output_of(found->first), most_text_bytes));
    changed_();
  }
}

}  // namespace tilewall::console
