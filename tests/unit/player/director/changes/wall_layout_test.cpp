#include "player/director/changes/wall_layout.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

Json layout_of(const std::string& toml, wall::BezelMode bezels) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "wall.toml") << toml;
  const wall::Wall wall = wall::load_wall(folder / "wall.toml");
  return wall_layout_json(wall, wall::Canvas(wall, bezels));
}

const std::string three_places = R"(
name = "Foyer"
columns = 2
rows = 2
[panels]
size_px = [800, 400]
size_mm = [400, 200]
bezel_mm = 10
[[panel]]
column = 1
row = 0
name = "door side"
rotation_deg = 180
[[hole]]
column = 1
row = 1
name = "door"
)";

}  // namespace

TEST_CASE("the layout of a wall has each panel on the wall and on the canvas", "[director]") {
  const Json hidden = layout_of(three_places, wall::BezelMode::hide);
  CHECK(hidden.at("type") == "wall");
  CHECK(hidden.at("name") == "Foyer");
  CHECK(hidden.at("lit_mm") == Json({820, 420}));
  CHECK(hidden.at("canvas_px") == Json({1640, 840}));
  CHECK(hidden.at("arc") == nullptr);
  REQUIRE(hidden.at("panels").size() == 3);
  const Json& turned = hidden.at("panels").at(1);
  CHECK(turned.at("panel") == "door side");
  CHECK(turned.at("host") == "");
  CHECK(turned.at("column") == 1);
  CHECK(turned.at("row") == 0);
  CHECK(turned.at("rotation_deg") == 180);
  CHECK(turned.at("size_px") == Json({800, 400}));
  CHECK(turned.at("mm") == Json({420, 0, 400, 200}));
  CHECK(turned.at("frame_mm") == Json({410, -10, 420, 220}));
  CHECK(turned.at("canvas_px") == Json({840, 0, 800, 400}));
  REQUIRE(hidden.at("holes").size() == 1);
  CHECK(hidden.at("holes").at(0) ==
        Json{{"name", "door"}, {"column", 1}, {"row", 1}, {"mm", {410, 210, 420, 220}}});

  const Json shown = layout_of(three_places, wall::BezelMode::show);
  CHECK(shown.at("canvas_px") == Json({1600, 800}));
  CHECK(shown.at("panels").at(1).at("canvas_px") == Json({800, 0, 800, 400}));
  CHECK(shown.at("panels").at(1).at("mm") == turned.at("mm"));
}

TEST_CASE("the layout of a curved wall has its radius and sizes as seen", "[director]") {
  const Json layout = layout_of(R"(
columns = 2
rows = 1
[panels]
size_px = [800, 400]
size_mm = [400, 200]
rotation_deg = 90
[arc]
increment_deg = 10
radius_mm = 2000
)",
                                wall::BezelMode::hide);
  CHECK(layout.at("arc").at("radius_mm") == 2000);
  const Json& panel = layout.at("panels").at(1);
  CHECK(panel.at("size_px") == Json({400, 800}));
  CHECK(panel.at("rotation_deg") == 90);
  CHECK(panel.at("mm") == Json({200, 0, 200, 400}));
}

}  // namespace tilewall::director
