// What processes that crash leave, and the logs of all processes of a show.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "tests/integration/looping_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.find(part) != std::string::npos) found.push_back(line);
  return found;
}

/// The answer of `tilewall ctl logs --json`; discarded where there was none.
nlohmann::json logs_of(const fs::path& run_dir, const Words& more = {}) {
  Words words = {tilewall_program, "ctl", "logs", "--json", "--run-dir", run_dir.string()};
  words.insert(words.end(), more.begin(), more.end());
  return nlohmann::json::parse(run_program(words).out, nullptr, false);
}

bool has_line(const nlohmann::json& logs, const std::string& role, const std::string& part) {
  return logs.is_object() && std::ranges::any_of(logs.at("lines"), [&](const auto& line) {
           return line.at("role") == role &&
                  line.at("text").template get<std::string>().find(part) != std::string::npos;
         });
}

}  // namespace

TEST_CASE("processes that crash leave a report each, come back, and are named in one line",
          "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 300;
  LoopingShow running(folder, frames);
  const std::vector<std::string> roles = {"panel-1", "host", "clockd"};
  for (const std::string& role : roles) CHECK(running.kill_role(role, SIGSEGV) > 0);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("logs") == (running.run_dir() / "logs").string());
  for (const std::string& role : roles) {
    const fs::path file = running.run_dir() / "logs" / (role + ".crash");
    const std::string report = read_text_file(file, 1 << 20);
    CAPTURE(role, report);
    CHECK(lines_with(report, "signal 11 (Segmentation fault), sent by process").size() == 1);
    CHECK(lines_with(report, " main+0x").size() == 1);
    CHECK_FALSE(lines_with(report, "build id").empty());
    const std::string note =
        role + " crashed by signal 11 (Segmentation fault): see " + file.string();
    CHECK(lines_with(show.program.err, role + ".crash") ==
          std::vector<std::string>{"tilewall: " + note});
    const auto& notes = show.report.at("notes");
    CHECK(std::ranges::count(notes, nlohmann::json(note)) == 1);
  }
  // What the panel did last is there without --trace.
  const std::string panel = read_text_file(running.run_dir() / "logs/panel-1.crash", 1 << 20);
  CHECK_FALSE(lines_with(panel, " another thread: picture").empty());
  CHECK(restarts_of(show, "panel").size() == 1);
  CHECK(shown_by(show.report, "c0r0").size() == frames);
}

TEST_CASE("ctl logs prints the logs of all roles in one order of time", "[play][control]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  CHECK(running.kill_role("panel-1", SIGSEGV) > 0);
  CHECK(running.kill_role("panel-2", SIGKILL) > 0);
  nlohmann::json logs;
  CHECK(eventually([&] {
    logs = logs_of(running.run_dir());
    return has_line(logs, "launcher", "tilewall-keeper: panel 2 on ");
  }));
  CAPTURE(logs);
  CHECK(has_line(logs, "panel-1", "tilewall-panel: crashed by signal 11"));
  CHECK(has_line(logs, "launcher",
                 "tilewall-keeper: panel 1 on " + host_name() +
                     " died of signal 11: tilewall-panel: crashed by signal 11"));
  const nlohmann::json& lines = logs.at("lines");
  CHECK(std::ranges::is_sorted(
      lines, {}, [](const auto& line) { return line.at("at_ns").template get<std::int64_t>(); }));
  const auto at_of = [&](const std::string& part) {
    for (const auto& line : lines)
      if (line.at("text").get<std::string>().starts_with(part))
        return line.at("at_ns").get<std::int64_t>();
    return std::int64_t{0};
  };
  // The keeper has global time and the handler of a crash has the host's; one follows the other.
  CHECK(at_of("tilewall-panel: crashed") < at_of("tilewall-keeper: panel 1 on "));
  CHECK(at_of("tilewall-keeper: panel 2 on ") < logs.at("now_ns"));
  CHECK(logs.at("missing").empty());
  CHECK_FALSE(has_line(logs_of(running.run_dir(), {"--role", "panel"}), "launcher", ""));
  CHECK(has_line(logs_of(running.run_dir(), {"--role", "panel"}), "panel-1", ""));
  CHECK_FALSE(has_line(logs_of(running.run_dir(), {"--role", "launcher"}), "panel-1", ""));
  const ProgramResult text = run_program({tilewall_program, "ctl", "logs", "--role", "panel-1",
                                          "--run-dir", running.run_dir().string()});
  CAPTURE(text.out, text.err);
  CHECK(text.exit_code == 0);
  CHECK(lines_with(text.out, "Z " + host_name() + " panel-1: tilewall-panel: crashed by ").size() ==
        1);
  const ProgramResult wrong = run_program(
      {tilewall_program, "ctl", "logs", "--role", "../x", "--run-dir", running.run_dir().string()});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err ==
        "tilewall: logs: role: expected a role's name, such as panel-3 or decoder, found "
        "\"../x\"\n");
  CHECK(running.stop().program.exit_code == 0);
}
