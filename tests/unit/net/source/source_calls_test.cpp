// The library as simulations in C and C++ link it.

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

TEST_CASE("wrong calls in C give a code and a line, and write nothing", "[source]") {
  const ProgramResult result = run_program({program_path("source_calls")});
  CHECK(result.out == "");
  CHECK(result.err == "");
  CHECK(result.exit_code == 0);
}

TEST_CASE("pkg-config finds the library wherever it was installed", "[source]") {
  const TemporaryFolder folder;
  const std::string prefix = (folder.path() / "there").string();
  REQUIRE(run_program({"cmake", "--install", build_folder().string(), "--component", "source",
                       "--prefix", prefix})
              .exit_code == 0);
  std::string places;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(prefix))
    if (entry.path().filename() == "tilewall_source.pc")
      places = entry.path().parent_path().string();
  REQUIRE(!places.empty());
  ProgramOptions options;
  options.environment = {{"PKG_CONFIG_PATH", places}};
  const ProgramResult found =
      run_program({"pkg-config", "--variable=includedir", "tilewall_source"},
                  std::chrono::seconds(20), options);
  REQUIRE(found.exit_code == 0);
  const std::filesystem::path includes = found.out.substr(0, found.out.find('\n'));
  CHECK(std::filesystem::exists(includes / "tilewall_source.h"));
  CHECK(std::filesystem::canonical(includes).string().starts_with(prefix));
}

TEST_CASE("the example simulation runs without a wall", "[source]") {
  const ProgramResult result = run_program(
      {program_path("gray_scott"), "--grid", "16", "--steps", "5", "--listen", "127.0.0.1:1"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("step 5 of 5") && Catch::Contains("0 walls"));
  const ProgramResult wrong = run_program({program_path("gray_scott"), "--grid", "3"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Catch::Contains("--grid: expected 8 to 8192, found 3"));
}
