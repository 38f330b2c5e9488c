#include "tests/support/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>

#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds show_limit{60};

/// The file's bytes; "" where it cannot be read, as that of a process that ends meanwhile.
std::string contents(const fs::path& file) try {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
} catch (const std::ios_base::failure&) {
  return "";
}

/// What /proc says of a process after its name: state, parent, ...; "" where it is gone.
std::string stat_of(pid_t pid) {
  const std::string stat = contents(fmt::format("/proc/{}/stat", pid));
  const auto name_end = stat.rfind(") ");
  return name_end == std::string::npos ? "" : stat.substr(name_end + 2);
}

}  // namespace

std::string test_wall(const std::string& name) { return source_path("tests/data/walls/" + name); }

Words play_words(const fs::path& input, const std::string& wall, const Words& more) {
  Words words = {tilewall_program, "play", input.string(), "--wall", test_wall(wall)};
  if (std::find(more.begin(), more.end(), "--late") == more.end())
    words.insert(words.end(), {"--late", "slow"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words looping_options(const std::filesystem::path& folder, int fps, int frames) {
  return {"--headless",
          "--hashes",
          "--loop",
          "--fps",
          std::to_string(fps),
          "--frames",
          std::to_string(frames),
          "--run-dir",
          (folder / "run").string(),
          "--report",
          (folder / "report.json").string(),
          "--snapshot",
          "2:" + (folder / "begun.png").string()};
}

Show play_show(const fs::path& input, const std::string& wall, const Words& more) {
  const TemporaryFolder folder;
  const fs::path report = folder / "report.json";
  Words options = {"--headless", "--hashes", "--report", report.string()};
  options.insert(options.end(), more.begin(), more.end());
  const Words words = play_words(input, wall, options);
  Show show;
  show.program = run_program(words, show_limit);
  show.report = read_report(report);
  return show;
}

Show end_of(RunningProgram& program, const fs::path& report) {
  Show show;
  show.program = program.wait(show_limit);
  show.report = read_report(report);
  return show;
}

nlohmann::json read_report(const fs::path& file) {
  nlohmann::json report = nlohmann::json::parse(contents(file), nullptr, false);
  if (!report.is_object() || !report.contains("notes")) return report;
  nlohmann::json& notes = report.at("notes");
  for (std::size_t i = notes.size(); i-- > 0;)
    if (notes[i].is_string() && notes[i].get<std::string>().starts_with(realtime_note))
      notes.erase(i);
  if (notes.empty()) report.erase("notes");
  return report;
}

nlohmann::json panel_report(const nlohmann::json& report, const std::string& panel) {
  for (const auto& one : report.value("per_panel", nlohmann::json::array()))
    if (one.value("panel", "") == panel) return one;
  return nullptr;
}

bool has_event(const nlohmann::json& report, const std::string& cause, const std::string& panel) {
  const auto& events = report.at("late_events");
  return std::any_of(events.begin(), events.end(), [&](const nlohmann::json& event) {
    return event.at("cause") == cause && event.at("panel") == panel;
  });
}

std::ostream& operator<<(std::ostream& to, const ShownHash& shown) {
  return to << shown.frame << ':' << shown.hash;
}

std::vector<ShownHash> shown_by(const nlohmann::json& report, const std::string& panel) {
  std::vector<ShownHash> shown;
  const nlohmann::json part = panel_report(report, panel);
  if (!part.is_object()) return shown;
  for (const auto& frame : part.at("frames"))
    shown.push_back({frame.at("frame").get<std::int64_t>(), frame.at("hash").get<std::string>()});
  return shown;
}

std::string hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

bool is_alive(pid_t pid) {
  const std::string stat = stat_of(pid);
  return !stat.empty() && stat.front() != 'Z';
}

pid_t parent_of(pid_t pid) {
  char state = 0;
  pid_t parent = 0;
  std::istringstream(stat_of(pid)) >> state >> parent;
  return parent;
}

pid_t pid_in(const fs::path& file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  return pid;
}

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    if (contents(entry.path() / "cmdline").find(text) != std::string::npos && is_alive(pid))
      found.push_back(pid);
  }
  return found;
}

}  // namespace tilewall::test
