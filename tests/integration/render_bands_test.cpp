// tilewall render under a small memory limit: frames in bands have the bytes of those drawn as a
// whole.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sync/base/file.hpp"
#include "tests/integration/flight.hpp"
#include "tests/support/run_program.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

TEST_CASE("frames larger than the memory are drawn in bands, with the same bytes", "[render]") {
  const Flight flight(1);
  REQUIRE(flight.render("red", {"--background", "#ff0000", "--size", "64x64", "--frames", "0-0"})
              .exit_code == 0);
  REQUIRE(run_program({program_path("tilewall"), "export", flight.at("red"), "-o",
                       flight.at("logo.png"), "--frames", "0"})
              .exit_code == 0);
  const std::string path = read_text_file(flight.path(), 1 << 16);
  std::ofstream(flight.path()) << path.substr(0, path.find("[[key]]"))
                               << "[logo]\nfile = \"logo.png\"\nat = [0.4, 0.3]\nwidth = 0.2\n"
                               << path.substr(path.find("[[key]]"));
  const std::string arc = source_path("tests/data/walls/arc.toml");
  struct Case {
    Words options;
    std::string wall = flight_wall;
  };
  const Case one =
      GENERATE_REF(Case{{"--size", "1283x721", "--annotate", "audience"}},
                   Case{{"--size", "640x400", "--samples", "4"}},
                   Case{{"--size", "800x450", "--shutter", "0.5", "--lossless", "zstd"}},
                   Case{{"--size", "900x1600", "--ranks", "2"}},
                   Case{{"--bezels", "hide", "--samples", "16"}, arc});
  // The manifest tells the limit, which may change what is seen of larger volumes.
  const auto render = [&](const char* movie, const char* memory) {
    Words words = one.options;
    words.insert(words.end(), {"--memory", memory, "--frames", "5-6"});
    const ProgramResult result = flight.render(movie, words, one.wall);
    CAPTURE(result.err, one.options);
    REQUIRE(result.exit_code == 0);
    auto files = files_of_movie(flight.at(movie));
    files.erase("movie.toml");
    CHECK(files.size() == 2);
    return files;
  };
  CHECK(render("banded", "2") == render("whole", "1000"));
}

TEST_CASE("frames in bands are estimated", "[render]") {
  const Flight flight(1);
  CHECK(
      flight.render("estimated", {"--memory", "2", "--size", "1283x721", "--estimate"}).exit_code ==
      0);
}

TEST_CASE("images are drawn as a whole, whatever the memory limit", "[render]") {
  const Flight flight(1);
  const std::string kind = GENERATE("--png", "--exr");
  const auto render = [&](const char* folder, const char* memory) {
    const ProgramResult result =
        flight.render(folder, {kind, "--memory", memory, "--size", "400x300", "--frames", "5-5"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    auto files = files_of_movie(flight.at(folder));
    files.erase("pictures.toml");
    return files;
  };
  CHECK(render("less", "1") == render("more", "1000"));
}
