// The table of lights and its JSON.

#include "player/survey/survey_table.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::survey;

namespace {

SurveyCheck check(CheckKind kind, const std::string& subject, Light light,
                  const std::string& text = "fine", const std::string& label = "") {
  return {kind, subject, label, light, "", "", text};
}

SurveyCheck rate(const std::string& subject, Light light, double ratio) {
  SurveyCheck one = check(CheckKind::decode, subject, light, "slow");
  one.rate_ratio = ratio;
  return one;
}

std::vector<HostSurvey> two_hosts() {
  return {{"h1",
           {"node1",
            "tilewall 1.2.3",
            {check(CheckKind::host, "", Light::green), check(CheckKind::logs, "/a", Light::green),
             check(CheckKind::file, "/m/a.mp4", Light::red, "not there", "cue 1"),
             check(CheckKind::display, ":0", Light::amber, "slow")}}},
          {"h2",
           {"node2",
            "tilewall 1.2.3",
            {check(CheckKind::host, "", Light::green), check(CheckKind::logs, "/b", Light::green),
             check(CheckKind::file, "/m/a.mp4", Light::green, "fine", "cue 1"),
             check(CheckKind::display, ":0", Light::amber, "slow"),
             check(CheckKind::read, "/m/a.mp4", Light::not_measured, "no rate"),
             rate("/m/b.mp4", Light::green, 40.4), rate("/m/c.mp4", Light::red, 0.25)}}}};
}

}  // namespace

TEST_CASE("the table has a row for each subject and a column for each host", "[survey]") {
  CHECK(survey_table(two_hosts(), TableColour::none) ==
        "                       h1     h2\n"
        "host                   green  green\n"
        "logs                   green  green\n"
        "file [cue 1] /m/a.mp4  red    green\n"
        "display :0             amber  amber\n"
        "read /m/a.mp4                 -\n"
        "decode /m/b.mp4               green 40x\n"
        "decode /m/c.mp4               red 0.2x\n"
        "\n"
        "red: h1: file [cue 1] /m/a.mp4: not there\n"
        "red: h2: decode /m/c.mp4: slow\n"
        "amber: h1, h2: display :0: slow\n"
        "not measured: h2: read /m/a.mp4: no rate\n"
        "\n"
        "red: 6 green, 2 amber, 2 red, 1 not measured\n");
}

TEST_CASE("a terminal's table has colours, and the same columns", "[survey]") {
  std::string table = survey_table(two_hosts(), TableColour::terminal);
  CHECK_THAT(table, Catch::Contains("\x1b[31;1mred  \x1b[0m  \x1b[32mgreen    \x1b[0m\n"));
  for (auto at = table.find('\x1b'); at != std::string::npos; at = table.find('\x1b'))
    table.erase(at, table.find('m', at) + 1 - at);
  std::string plain;
  for (const char letter : table)  // blanks that end a line are within a colour
    if (letter != ' ') plain += letter;
  std::string expected;
  for (const char letter : survey_table(two_hosts(), TableColour::none))
    if (letter != ' ') expected += letter;
  CHECK(plain == expected);
}

TEST_CASE("long names keep their ends", "[survey]") {
  const std::vector<HostSurvey> surveys = {
      {"h1",
       {"", "", {check(CheckKind::file, "/a/" + std::string(60, 'b') + "/movie", Light::green)}}}};
  CHECK_THAT(survey_table(surveys, TableColour::none),
             Catch::Contains("\nfile ..." + std::string(30, 'b') + "/movie  green\n"));
}

TEST_CASE("the exit code tells whether a light is red", "[survey]") {
  std::vector<HostSurvey> surveys = two_hosts();
  CHECK(survey_exit_code(surveys) == exit_failed);
  CHECK(worst_light(surveys) == Light::red);
  surveys[0].answer.checks[2].light = Light::not_measured;
  surveys[1].answer.checks.pop_back();
  CHECK(survey_exit_code(surveys) == exit_done);
  CHECK(worst_light(surveys) == Light::amber);
  CHECK(worst_light({}) == Light::not_measured);
}

TEST_CASE("the JSON has counts, and every check of every host", "[survey]") {
  const nlohmann::json json = nlohmann::json::parse(survey_json(two_hosts()).dump());
  CHECK(json.at("light") == "red");
  CHECK(json.at("counts") ==
        nlohmann::json{{"green", 6}, {"amber", 2}, {"red", 2}, {"not_measured", 1}});
  REQUIRE(json.at("hosts").size() == 2);
  CHECK(json.at("hosts").at(0).at("name") == "h1");
  CHECK(json.at("hosts").at(0).at("host") == "node1");
  CHECK(json.at("hosts").at(1).at("light") == "red");
  CHECK(json.at("hosts").at(1).at("checks").at(5).at("rate_ratio") == 40.4);
  CHECK(json.at("hosts").at(0).at("checks").at(2) == nlohmann::json{{"kind", "file"},
                                                                    {"subject", "/m/a.mp4"},
                                                                    {"label", "cue 1"},
                                                                    {"light", "red"},
                                                                    {"expected", ""},
                                                                    {"found", ""},
                                                                    {"text", "not there"}});
}
