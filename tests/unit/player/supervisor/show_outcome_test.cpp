#include "player/supervisor/show_outcome.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;
using nlohmann::json;

namespace {

ChildEnd exited(int code) { return {1, code, 0}; }
ChildEnd killed(int signal) { return {1, 0, signal}; }

const json shown_report = {{"frames_shown", 12}};
const json empty_report = json::object();

}  // namespace

TEST_CASE("a show whose processes end in order keeps the director's report", "[supervisor]") {
  ShowOutcome outcome("mpirun");
  outcome.director_ended(exited(0));
  outcome.launcher_ended(exited(0));
  const ShowResult result = outcome.explained(shown_report, "");
  CHECK(result.exit_code == 0);
  CHECK(result.report == shown_report);
}

TEST_CASE("a launcher that failed is the error unless frames were shown", "[supervisor]") {
  ShowOutcome outcome("mpirun");
  outcome.director_ended(exited(0));
  outcome.launcher_ended(exited(213));
  const ShowResult dark = outcome.explained(empty_report, "");
  CHECK(dark.exit_code == exit_failed);
  CHECK(dark.report.at("error") == "mpirun ended with code 213 and printed nothing");
  CHECK(outcome.explained(shown_report, "").report == shown_report);
  CHECK(outcome.explained(shown_report, "").exit_code == 0);
}

TEST_CASE("a launcher that was killed is the error even after frames", "[supervisor]") {
  ShowOutcome outcome("mpirun");
  outcome.director_ended(exited(0));
  outcome.launcher_ended(killed(9));
  const ShowResult result = outcome.explained(shown_report, "");
  CHECK(result.exit_code == exit_failed);
  CHECK(result.report.at("error") == "mpirun died (signal 9)");
}

TEST_CASE("a director that died or gave no report is the error", "[supervisor]") {
  ShowOutcome died("mpirun");
  died.director_ended(killed(11));
  CHECK(died.explained(empty_report, "").exit_code == exit_failed);
  CHECK(died.explained(empty_report, "").report.at("error") == "the director died (signal 11)");
  ShowOutcome silent("mpirun");
  silent.director_ended(exited(2));
  CHECK(silent.explained(empty_report, "").exit_code == 2);
  CHECK(silent.explained(empty_report, "").report.at("error") ==
        "the director ended with code 2 and gave no report");
}

TEST_CASE("the director's own error stays, and restarts are added to it", "[supervisor]") {
  ShowOutcome outcome("mpirun");
  outcome.director_ended(exited(1));
  outcome.launcher_ended(killed(9));
  outcome.add_restart({{"role", "clockd"}});
  const ShowResult result = outcome.explained({{"error", "no panel"}}, "");
  CHECK(result.exit_code == 1);
  CHECK(result.report.at("error") == "no panel");
  CHECK(result.report.at("restarts") == json::array({{{"role", "clockd"}}}));
}

TEST_CASE("a crash is told once, is a note, and keeps the logs of a show that went on",
          "[supervisor]") {
  const test::TemporaryFolder folder;
  std::string line;
  {
    RunDir run_dir(folder / "run");
    const auto file = run_dir.path() / "logs" / "panel-3.crash";
    ShowOutcome outcome("mpirun");
    outcome.director_ended(exited(0));
    outcome.launcher_ended(exited(0));
    CHECK(outcome.new_crashes(run_dir.path()).empty());
    std::ofstream(file) << "crash of tilewall-panel, process 7, thread x\n";
    CHECK(outcome.new_crashes(run_dir.path()).empty());  // it is being written
    std::ofstream(file, std::ios::app) << "signal 7 (Bus error), address 0x0\n";
    std::ofstream(run_dir.path() / "logs" / "panel-3.log")
        << "[1.000000] tilewall-panel: crashed\n";
    line = "panel-3 crashed by signal 7 (Bus error): see " + file.string();
    CHECK(outcome.new_crashes(run_dir.path()) == std::vector<std::string>{line});
    CHECK(outcome.new_crashes(run_dir.path()).empty());
    std::ofstream(run_dir.path() / "logs" / "host.crash") << "x\nsignal 6 (Aborted), address 0x0\n";
    const ShowResult result = outcome.result(shown_report, run_dir);
    CHECK(result.exit_code == 0);
    CHECK(result.told == std::vector<std::string>{line});
    CHECK(result.report.at("notes") == json{"host crashed by signal 6 (Aborted): see " +
                                                (run_dir.path() / "logs" / "host.crash").string(),
                                            line});
    CHECK(result.report.at("logs") == (run_dir.path() / "logs").string());
  }
  CHECK(std::filesystem::exists(folder / "run/logs/panel-3.crash"));
  CHECK(std::filesystem::exists(folder / "run/logs/host.crash"));
  CHECK_NOTHROW(RunDir(folder / "run"));  // it can be used again
}
