// Which wall a show without --wall has.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

ProgramResult plan(const Variables& variables) {
  return run_program(
      {program_path("tilewall"), "play", "pattern:count", "--headless", "--plan", "--json"},
      std::chrono::seconds(20), {variables, {}});
}

std::size_t planned_panels(const Variables& variables) {
  const ProgramResult result = plan(variables);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out).at("hosts").at(0).at("panels").size();
}

/// A wall file of so many panels, where a configuration folder has it.
std::string configuration(const TemporaryFolder& folder, const std::string& name, int panels) {
  const auto file = folder / name / "tilewall" / "wall.toml";
  std::filesystem::create_directories(file.parent_path());
  write_file_atomically(
      file, "columns = " + std::to_string(panels) + "\nrows = 1\n[panels]\nsize_px = [64, 64]\n");
  return (folder / name).string();
}

}  // namespace

TEST_CASE("the default wall is TILEWALL_WALL's, the user's, the system's, or a made-up 5x3",
          "[wall]") {
  const TemporaryFolder folder;
  const std::string user = configuration(folder, "user", 2);
  const std::string system = configuration(folder, "system", 3);
  const std::string named = configuration(folder, "named", 4) + "/tilewall/wall.toml";
  const std::string none = (folder / "none").string();
  CHECK(planned_panels({{"XDG_CONFIG_HOME", none}, {"XDG_CONFIG_DIRS", none}}) == 15);
  CHECK(planned_panels({{"XDG_CONFIG_HOME", none}, {"XDG_CONFIG_DIRS", none + ":" + system}}) == 3);
  CHECK(planned_panels({{"XDG_CONFIG_HOME", user}, {"XDG_CONFIG_DIRS", system}}) == 2);
  CHECK(planned_panels({{"XDG_CONFIG_HOME", user}, {"TILEWALL_WALL", named}}) == 4);
  const std::string home = configuration(folder, "home/.config", 5);
  CHECK(planned_panels({{"XDG_CONFIG_HOME", ""}, {"HOME", (folder / "home").string()}}) == 5);
}

TEST_CASE("a default wall that is no wall file is refused by its name", "[wall]") {
  const TemporaryFolder folder;
  const std::string missing = (folder / "missing.toml").string();
  const ProgramResult named = plan({{"TILEWALL_WALL", missing}});
  CHECK(named.exit_code == 2);
  CHECK(named.err == "tilewall: TILEWALL_WALL: expected a wall file, found \"" + missing +
                         "\", which does not exist\n");
  const std::string user = configuration(folder, "user", 0);
  const ProgramResult bad = plan({{"XDG_CONFIG_HOME", user}});
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.err, Catch::StartsWith("tilewall: " + user + "/tilewall/wall.toml:1: columns: "));
}
