#include "player/supervisor/show_outcome.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "player/supervisor/launch.hpp"
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
  const ShowResult result = outcome.explained(shown_report, "");
  CHECK(result.exit_code == 0);
  CHECK(result.report == shown_report);
}

TEST_CASE("a show for which no launcher starts panels fails with the launcher's words",
          "[supervisor]") {
  ShowOutcome outcome("mpirun");
  outcome.director_ended(exited(0));
  outcome.launcher_failed(exited(213), "launcher");
  const ShowResult silent = outcome.explained(empty_report, "");
  CHECK(silent.exit_code == exit_failed);
  CHECK(silent.report.at("error") == "mpirun ended with code 213 and printed nothing");
  CHECK(outcome.explained(empty_report, "ssh: no route\n").report.at("error") ==
        "mpirun ended with code 213: ssh: no route");
  outcome.launcher_failed(killed(9), "launcher");
  CHECK(outcome.explained(empty_report, "").report.at("error") == "mpirun died (signal 9)");
}

TEST_CASE("hosts without panels at the end stand in the report with cause and remedy",
          "[supervisor]") {
  ShowOutcome outcome("mpirun");
  outcome.director_ended(exited(1));
  outcome.set_missing_hosts({{"h2", "10.0.0.2", "it is off", "switch it on"}});
  const json report = {{"frames_shown", 12}, {"error", "no picture from host h2 within 10 s"}};
  const ShowResult result = outcome.explained(report, "");
  CHECK(result.exit_code == exit_failed);
  CHECK(result.report.at("error") == report.at("error"));
  CHECK(result.report.at("hosts") == json::array({{{"host", "h2"},
                                                   {"address", "10.0.0.2"},
                                                   {"cause", "it is off"},
                                                   {"remedy", "switch it on"}}}));
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
  const ShowOutcome stopped("mpirun");  // while no director ran
  CHECK(stopped.explained(empty_report, "").exit_code == exit_failed);
  CHECK(stopped.explained(empty_report, "").report.at("error") == "the director gave no report");
}

TEST_CASE("the director's own error stays, and restarts are added to it", "[supervisor]") {
  ShowOutcome outcome("mpirun");
  outcome.director_ended(exited(1));
  outcome.launcher_failed(killed(9), "launcher");
  outcome.add_restart({{"role", "clockd"}});
  const ShowResult result = outcome.explained({{"error", "no panel"}}, "");
  CHECK(result.exit_code == 1);
  CHECK(result.report.at("error") == "no panel");
  CHECK(result.report.at("restarts") == json::array({{{"role", "clockd"}}}));
}

TEST_CASE("a failed show's notes have what is known of mpirun's trouble, unless the error has it",
          "[supervisor]") {
  const test::TemporaryFolder folder;
  RunDir run_dir(folder / "run");
  const std::string log =
      "[vm:1] ORTE_ERROR_LOG: The system limit on number of pipes a process can open was reached "
      "in file x.c at line 642\n";
  std::ofstream(run_dir.path() / "logs" / "launcher.log") << log;
  const std::string trouble = known_launch_trouble(log);
  REQUIRE_FALSE(trouble.empty());
  const auto notes_of = [&](int exit_code, const std::string& error) {
    ShowOutcome outcome("mpirun");
    outcome.director_ended(exited(exit_code));
    const ShowResult result = outcome.result({{"error", error}}, run_dir);
    return result.report.value("notes", json::array());
  };
  CHECK(notes_of(exit_failed, "no panel came") == json{trouble});
  CHECK(notes_of(exit_failed, "no panel came: " + trouble).empty());
  CHECK(notes_of(exit_done, "").empty());
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
