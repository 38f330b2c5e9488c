// Surveys of a wall's hosts by launchers that are scripts.

#include "player/supervisor/host_surveys.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;
using namespace std::chrono_literals;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

wall::Wall wall_on(const std::vector<std::string>& addresses) {
  wall::Wall wall;
  wall.clock_address = "127.0.0.1:7641";  // so that no clock daemon is started
  wall.standby_clock_address = "127.0.0.1:7642";
  for (const std::string& address : addresses) {
    wall.hosts.push_back({"host-" + address, address});
    wall.panels.emplace_back().host = "host-" + address;
  }
  return wall;
}

/// Surveys hosts by a launcher that runs `script`, with the host in $1 and the request as its
/// input.
std::vector<survey::HostSurvey> survey_by(const std::string& script,
                                          const std::vector<std::string>& addresses,
                                          std::string* clock = nullptr) {
  const TemporaryFolder folder;
  const fs::path file = folder / "launcher";
  std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
  fs::permissions(file, fs::perms::owner_all);
  HostSurveyOptions options;
  options.key_file = folder / "key";
  write_private_file(options.key_file, "sixteen bytes or more");
  options.launcher = file.string() + " {host}";
  options.launch_limit = 600ms;
  return survey_hosts(wall_on(addresses), options, [&](const LaunchHost&, const std::string& of) {
    if (clock != nullptr) *clock = of;
    survey::SurveyRequest request;
    request.limit = 1500ms;
    return request;
  });
}

}  // namespace

TEST_CASE("a launcher that hangs is ended, and other hosts have their answers", "[survey]") {
  std::string clock;
  const auto surveys = survey_by(
      "case $1 in 10.0.0.1) echo waiting >&2; exec sleep 1000;; esac\n"
      "sleep 0.2; echo Welcome; echo "
      "'{\"survey\":1,\"host\":\"n2\",\"version\":\"v\",\"checks\":[]}'",
      {"10.0.0.1", "10.0.0.2"}, &clock);
  CHECK(clock == "127.0.0.1:7641,127.0.0.1:7642");
  REQUIRE(surveys.size() == 2);
  CHECK(surveys[0].host == "host-10.0.0.1");
  REQUIRE(surveys[0].answer.checks.size() == 1);
  CHECK(surveys[0].answer.checks[0].kind == survey::CheckKind::host);
  CHECK(surveys[0].answer.checks[0].light == survey::Light::red);
  CHECK(surveys[0].answer.checks[0].text == "no answer within 3 s: waiting");  // of 2.1 s
  CHECK(surveys[1].host == "host-10.0.0.2");
  CHECK(surveys[1].answer.host == "n2");
  REQUIRE(surveys[1].answer.checks.size() == 1);
  CHECK(surveys[1].answer.checks[0].light == survey::Light::green);
  CHECK_THAT(surveys[1].answer.checks[0].text, Catch::StartsWith("answered in "));
}

TEST_CASE("an answer that is none is a red light", "[survey]") {
  const auto text_of = [](const std::string& script) {
    const auto surveys = survey_by(script, {"10.0.0.1"});
    REQUIRE(surveys.at(0).answer.checks.size() == 1);
    CHECK(surveys[0].answer.checks[0].light == survey::Light::red);
    return surveys[0].answer.checks[0].text;
  };
  CHECK(text_of("exit 7") == "the survey ended with code 7 and printed nothing");
  CHECK(text_of("kill -9 $$") == "the survey died (signal 9)");
  CHECK(text_of("exit 0") == "survey: expected a line with the answer, found nothing");
  CHECK(text_of("echo tilewall-host: no --survey >&2; exit 1") == "tilewall-host: no --survey");
}
