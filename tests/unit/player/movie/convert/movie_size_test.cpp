// At which size a movie is stored, and what of it each panel shows.

#include "player/movie/convert/movie_size.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::movie;

TEST_CASE("a movie is stored as large as the canvas can show it", "[source]") {
  const SizePx large = {3840, 2160};
  const SizePx canvas = {1920, 1200};
  CHECK(stored_size_px(large, canvas, SizeFit::contain, {}) == SizePx{1920, 1080});
  CHECK(stored_size_px(large, canvas, SizeFit::cover, {}) == SizePx{2133, 1200});
  CHECK(stored_size_px(large, canvas, SizeFit::stretch, {}) == SizePx{1920, 1200});
  for (const SizeFit fit : {SizeFit::contain, SizeFit::cover, SizeFit::stretch})
    CHECK(stored_size_px({640, 480}, canvas, fit, {}) == SizePx{640, 480});
  // Only the side that the canvas cannot show is made smaller.
  CHECK(stored_size_px({4000, 100}, {2000, 1000}, SizeFit::stretch, {}) == SizePx{2000, 100});
  CHECK(stored_size_px({100, 4000}, {1000, 2000}, SizeFit::stretch, {}) == SizePx{100, 2000});
  CHECK(stored_size_px({5000, 1}, {50, 50}, SizeFit::contain, {}) == SizePx{50, 1});
  CHECK(stored_size_px(large, canvas, SizeFit::contain, SizePx{5000, 50}) == SizePx{5000, 50});
  CHECK(stored_size_px(large, {}, SizeFit::contain, {}) == large);
  CHECK(stored_size_px(large, {1920, 0}, SizeFit::contain, {}) == large);
}

TEST_CASE("a panel's share of a movie is its part of the abutting canvas", "[source]") {
  WallTarget wall;
  CHECK(panel_share_px({1920, 1080}, wall, SizeFit::contain) == SizePx{0, 0});
  wall.abutting_px = {3840, 2400};
  wall.panel_px = {960, 800};
  CHECK(panel_share_px({1920, 1080}, wall, SizeFit::contain) == SizePx{480, 400});
  CHECK(panel_share_px({1920, 1080}, wall, SizeFit::cover) == SizePx{432, 360});
  CHECK(panel_share_px({1920, 1080}, wall, SizeFit::stretch) == SizePx{480, 360});
}

TEST_CASE("panels' shares of a movie have a border for the filter where it is scaled", "[source]") {
  WallTarget wall;
  wall.canvas_px = {4000, 2600};
  CHECK(panel_shares_px({1000, 500}, wall, SizeFit::contain).empty());
  // Four times as large, with 300 px left free above; enlarging, the filter looks 4 + 2 px far.
  wall.panels_px = {{100, 400, 800, 600}, {3000, 2000, 400, 200}};
  CHECK(panel_shares_px({1000, 500}, wall, SizeFit::contain) ==
        std::vector<RectF>{{19, 19, 212, 162}, {744, 419, 112, 62}});
  // Four times as wide and half as high, where the filter looks 8 + 2 px far.
  wall.canvas_px = {4000, 1000};
  wall.panels_px = {{400, 100, 800, 300}};
  CHECK(panel_shares_px({1000, 2000}, wall, SizeFit::stretch) ==
        std::vector<RectF>{{94, 190, 212, 620}});
  // Pixel for pixel nothing is filtered.
  wall.canvas_px = {1000, 500};
  wall.panels_px = {{500, 100, 400, 300}};
  CHECK(panel_shares_px({1000, 500}, wall, SizeFit::contain) == wall.panels_px);

  wall.abutting_px = {900, 450};
  wall.abutting_panels_px = {{450, 50, 400, 300}};
  CHECK(panel_shares_px({900, 450}, wall, SizeFit::contain) == wall.abutting_panels_px);
}

TEST_CASE("a movie fills the abutting canvas where both of its sides do", "[source]") {
  WallTarget wall;
  CHECK_FALSE(fills_canvas({1920, 1200}, wall, SizeFit::stretch));
  wall.abutting_px = {3840, 2400};
  CHECK(fills_canvas({1920, 1200}, wall, SizeFit::contain));
  CHECK(fills_canvas({1920, 1200}, wall, SizeFit::cover));
  for (const SizePx other : {SizePx{1920, 1080}, SizePx{1200, 1200}}) {
    CHECK_FALSE(fills_canvas(other, wall, SizeFit::contain));
    CHECK_FALSE(fills_canvas(other, wall, SizeFit::cover));
    CHECK(fills_canvas(other, wall, SizeFit::stretch));
  }
}
