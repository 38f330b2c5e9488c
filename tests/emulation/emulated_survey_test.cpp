// Surveys of emulated hosts by mpirun.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/emulation/emulated_network.hpp"
#include "tests/emulation/emulated_wall.hpp"
#include "tests/emulation/network_or_skip.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// The check of that kind on a host of a survey's JSON; null where there is none.
nlohmann::json survey_check(const nlohmann::json& survey, std::size_t host,
                            const std::string& kind) {
  for (const auto& check : survey.at("hosts").at(host).at("checks"))
    if (check.at("kind") == kind) return check;
  return {};
}

}  // namespace

TEST_CASE("a survey finds the host without the movie, and the one that is off", "[emulation]") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "hosts");
  const auto network = network_or_skip({{}, {5'000'000'000, 20}, {}}, folder / "hosts");
  if (!network) return;
  write_wall_of(folder / "wall.toml", *network, 2);
  fs::create_directory(folder / "movies");
  write_numbered_movie(folder / "movies" / "movie", {480, 192}, 3);
  network->switch_host(network->hosts()[2], false);

  Words words = network->at_head();
  words.insert(words.end(),
               {tilewall_program, "wall", "survey", (folder / "wall.toml").string(),
                (folder / "movies" / "movie").string(), "--headless", "--json", "--seconds", "0.1",
                "--launcher", network->launcher(), "--key-file", network->key_file()});
  ProgramOptions options;
  options.environment = {{hidden_folder_variable, (folder / "movies").string()},
                         {hidden_host_variable, "h2"}};
  const ProgramResult result = run_program(words, std::chrono::seconds(90), options);
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 1);
  const nlohmann::json survey = nlohmann::json::parse(result.out, nullptr, false);
  REQUIRE(survey.is_object());
  REQUIRE(survey.at("hosts").size() == 3);
  for (std::size_t host = 0; host < 2; ++host) {
    CHECK(survey.at("hosts").at(host).at("host") == network->hosts()[host].name);
    CHECK(survey_check(survey, host, "host").at("light") == "green");
    CHECK(survey_check(survey, host, "version").at("light") == "green");
    CHECK(survey_check(survey, host, "clock").at("light") != "red");
  }
  CHECK(survey_check(survey, 0, "file").at("light") == "green");
  CHECK(survey_check(survey, 1, "file").at("light") == "red");
  CHECK(survey_check(survey, 1, "read").at("light") == "red");
  CHECK(survey.at("hosts").at(2).at("checks").size() == 1);
  const nlohmann::json off = survey_check(survey, 2, "host");
  CHECK(off.at("light") == "red");
  CHECK_THAT(off.at("text").get<std::string>(), Catch::Contains("no route to the host"));
}
