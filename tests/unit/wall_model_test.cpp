#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "wallconfigs/wall.hpp"

using namespace tilewall;

namespace {

Wall shipped(const std::string& name) {
  return load_wall(std::filesystem::path(TILEWALL_SOURCE_DIR) / "wallconfigs" / name);
}

}  // namespace

TEST_CASE("the shipped walls have the sizes that their names promise", "[wall]") {
  struct Expected {
    const char* file;
    std::size_t panels;
    SizePx shown_px;
  };
  for (const Expected& expected :
       {Expected{"5x3.toml", 15, {12800, 4800}}, Expected{"5x2.toml", 10, {6400, 2048}},
        Expected{"mini-5x3.toml", 15, {1280, 480}}, Expected{"mini-5x2.toml", 10, {1600, 512}},
        Expected{"single.toml", 1, {1280, 720}}}) {
    CAPTURE(expected.file);
    const Wall wall = shipped(expected.file);
    CHECK(wall.panels.size() == expected.panels);
    CHECK(Canvas(wall, BezelMode::show).size_px() == expected.shown_px);
    if (!wall.has_bezels) CHECK(Canvas(wall, BezelMode::hide).size_px() == expected.shown_px);
  }
}
