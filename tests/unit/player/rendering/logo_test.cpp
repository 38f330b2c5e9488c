// Where a logo lies on a wall with bezels.

#include "player/rendering/logo.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/places.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::rendering;

TEST_CASE("a logo lies in one panel, near its place, with the image's shape", "[ranks]") {
  const wall::Wall wall = wall::load_wall(test::source_path("wallconfigs/5x3.toml"));
  const wall::Canvas canvas(wall, wall::BezelMode::hide);
  const SizePx picture{canvas.size_px().width / 4, canvas.size_px().height / 4};
  path::PathLogo logo;
  for (logo.x = 0; logo.x <= 1; logo.x += 0.125)
    for (logo.y = 0; logo.y <= 1; logo.y += 0.125)
      for (logo.width = 0.01; logo.width < 1; logo.width *= 3) {
        CAPTURE(logo.x, logo.y, logo.width);
        const RectPx place = logo_place(logo, {300, 200}, canvas, picture);
        int panels = 0;
        for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
          const RectF panel = canvas.panel_rect_px(i);
          const bool holds = place.x >= panel.x / 4 - 1 && place.y >= panel.y / 4 - 1 &&
                             place.right() <= panel.right() / 4 + 1 &&
                             place.bottom() <= panel.bottom() / 4 + 1;
          panels += holds ? 1 : 0;
        }
        CHECK(panels == 1);
        CHECK(std::abs(place.width * 2 - place.height * 3) <= 5);
        if (logo.width < 0.1) CHECK(place.width == Approx(logo.width * picture.width).margin(1.5));
      }
  logo = {};
  logo.is_across = true;
  logo.x = logo.y = 0.5;
  logo.width = 0.4;
  const RectPx across = logo_place(logo, {300, 200}, canvas, picture);
  CHECK(across.x + across.width / 2.0 == Approx(picture.width / 2.0).margin(1));
  CHECK(across.width > canvas.panel_rect_px(0).width / 4);
  logo = {};
  logo.is_in_mm = logo.width_is_in_mm = true;
  logo.x = logo.y = 200;
  logo.width = 100;
  const RectPx small = logo_place(logo, {300, 200}, canvas, picture);
  CHECK(small.width == Approx(100 * canvas.px_per_mm() / 4).margin(1));
  CHECK(small.x + small.width / 2.0 == Approx(200 * canvas.px_per_mm() / 4).margin(1));
}
