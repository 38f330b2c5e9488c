#include "player/supervisor/show_outcome.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sync/base/error.hpp"

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
