// `tilewall demo` on a machine that has never seen it, as it is built and as it is installed.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/picture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// Copies what an installation has into `prefix`; these tests may be that installation themselves.
void install_into(const fs::path& prefix) {
  const fs::path helpers = installed_helpers();
  if (!helpers.empty()) {
    fs::create_directory_symlink(helpers.parent_path().parent_path(), prefix);
    return;
  }
  const ProgramResult installed =
      run_program({"cmake", "--install", build_folder().string(), "--component", "tilewall",
                   "--prefix", prefix.string()},
                  std::chrono::seconds(60));
  CAPTURE(installed.err);
  REQUIRE(installed.exit_code == 0);
}

}  // namespace

TEST_CASE("the installed demo computes a volume and flies past it", "[demo]") {
  const TemporaryFolder folder;
  const fs::path prefix = folder / "prefix";
  install_into(prefix);
  for (const char* file :
       {"bin/tilewall", "libexec/tilewall/tilewall-panel", "share/tilewall/wallconfigs/5x3.toml",
        "share/tilewall/examples/wall.toml", "share/man/man1/tilewall-play.1",
        "share/bash-completion/completions/tilewall"}) {
    CAPTURE(file);
    CHECK(fs::exists(prefix / file));
  }
  const std::string program = (prefix / "bin" / "tilewall").string();
  const ProgramResult example = run_program(
      {program, "wall", "check", (prefix / "share/tilewall/examples/wall.toml").string()});
  CHECK(example.exit_code == 0);

  ProgramOptions options;
  options.environment = {{"XDG_CACHE_HOME", (folder / "cache").string()}, {"DISPLAY", ""}};
  options.folder = folder.path();
  const ProgramResult result =
      run_program({program, "demo", "--show", "volume", "--headless", "--seconds", "1"},
                  std::chrono::seconds(120), options);
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  const TestPicture wall = read_png(folder / "tilewall-demo.png");
  const SizePx size = wall.view().size_px;
  int bright = 0;
  for (int x = 0; x < size.width; ++x)
    bright += pixel_at(wall.view(), {x, size.height / 2})[2] > 100 ? 1 : 0;
  CHECK(bright > 20);
  CHECK(bright < size.width / 2);
}

TEST_CASE("the demo paints and plays a movie, and ends by itself", "[demo]") {
  const TemporaryFolder folder;
  ProgramOptions options;
  options.environment = {{"XDG_CACHE_HOME", (folder / "cache").string()}, {"DISPLAY", ""}};
  options.folder = folder.path();
  const ProgramResult result =
      run_program({tilewall_program, "demo", "--headless", "--seconds", "2"},
                  std::chrono::seconds(240), options);
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains(" on 15 panels at "));
  CHECK_THAT(result.out, Catch::Contains((folder / "tilewall-demo.png").string()));
  CHECK(fs::exists(folder / "cache"));

  const TestPicture wall = read_png(folder / "tilewall-demo.png");
  CHECK(wall.view().size_px.width >= 1200);
  const Bgrx corner = pixel_at(wall.view(), {0, 0});
  bool one_colour = true;
  for (int x = 0; x < wall.view().size_px.width; ++x)
    one_colour &= pixel_at(wall.view(), {x, wall.view().size_px.height / 2}) == corner;
  CHECK_FALSE(one_colour);
}
