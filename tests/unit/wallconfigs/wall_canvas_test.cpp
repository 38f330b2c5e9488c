// The canvas: where panels lie in the picture, and the way to and fro.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/unit/wallconfigs/wall_support.hpp"
#include "wallconfigs/abutment.hpp"
#include "wallconfigs/advice.hpp"
#include "wallconfigs/eye_view.hpp"
#include "wallconfigs/panel_map.hpp"

using namespace tilewall;
using namespace tilewall::wall;

namespace {

constexpr BezelMode both_modes[] = {BezelMode::hide, BezelMode::show};

bool whole(double value) { return value == std::round(value); }

bool whole(const RectF& rect) {
  return whole(rect.x) && whole(rect.y) && whole(rect.width) && whole(rect.height);
}

/// Panels may share no more than this of the canvas.
void check_no_overlap(const Canvas& canvas, double tolerance_px) {
  for (std::size_t i = 0; i < canvas.panel_count(); ++i)
    for (std::size_t j = i + 1; j < canvas.panel_count(); ++j) {
      const RectF shared = intersection(canvas.panel_rect_px(i), canvas.panel_rect_px(j));
      CAPTURE(i, j, shared.width, shared.height);
      CHECK((shared.width <= tolerance_px || shared.height <= tolerance_px));
    }
}

void check_inside(const Canvas& canvas) {
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    const RectF& rect = canvas.panel_rect_px(i);
    CHECK(rect.width > 0);
    CHECK(rect.height > 0);
    CHECK(rect.x >= 0);
    CHECK(rect.y >= 0);
    CHECK(rect.right() <= canvas.size_px().width + 1e-6);
    CHECK(rect.bottom() <= canvas.size_px().height + 1e-6);
  }
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
    const Wall wall = shipped_wall(expected.file);
    CHECK(wall.panels.size() == expected.panels);
    CHECK(Canvas(wall, BezelMode::show).size_px() == expected.shown_px);
    CHECK(unlit_share(Canvas(wall, BezelMode::show)) == 0);
    if (!wall.has_bezels) CHECK(Canvas(wall, BezelMode::hide).size_px() == expected.shown_px);
  }
}

TEST_CASE("hidden bezels make the canvas larger by what they cover", "[wall]") {
  const Wall wall = shipped_wall("5x3.toml");
  const Canvas hide(wall, BezelMode::hide);
  CHECK(hide.size_px().width == std::lround(12800 + 4 * 46 * 2560 / 641.2));
  CHECK(hide.size_px().height == std::lround(4800 + 2 * 46 * 1600 / 400.8));
  CHECK(unlit_share(hide) ==
        Approx(1 - 12800.0 * 4800 / hide.size_px().width / hide.size_px().height));
}

TEST_CASE("panels of the commonest density lie on whole pixels, one to one", "[wall]") {
  for (const char* file : shipped_walls) {
    const Wall wall = shipped_wall(file);
    const Density density = commonest_density(wall.panels);
    for (const BezelMode mode : both_modes) {
      CAPTURE(file, static_cast<int>(mode));
      const Canvas canvas(wall, mode);
      for (std::size_t i = 0; i < wall.panels.size(); ++i) {
        if (!is_native(wall.panels[i], density)) continue;
        const RectF& rect = canvas.panel_rect_px(i);
        CHECK(whole(rect));
        CHECK(rect.width == wall.panels[i].viewed_size_px().width);
        CHECK(rect.height == wall.panels[i].viewed_size_px().height);
      }
      check_inside(canvas);
      if (wall.overlap_mm.horizontal == 0) check_no_overlap(canvas, 1e-6);
    }
  }
}

TEST_CASE("with bezels shown, panels of the mixed wall abut although they differ", "[wall]") {
  const Wall wall = shipped_wall("mixed.toml");
  const Canvas canvas(wall, BezelMode::show);
  CHECK(canvas.size_px() == SizePx{3 * 2560 + 2 * 1222, 3200});
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    CHECK(whole(canvas.panel_rect_px(i)));
    CHECK(canvas.panel_rect_px(i).height == 1600);
  }
  // Nothing but the hole is on no panel.
  CHECK(unlit_share(canvas) == Approx(2560.0 * 1600 / (10124.0 * 3200)));
}

TEST_CASE("canvas and panel pixels convert to and fro", "[wall]") {
  std::mt19937 random(1);  // NOLINT: the same walk every time
  std::uniform_real_distribution<double> length(-3000, 3000);
  for (const char* file : shipped_walls)
    for (const BezelMode mode : both_modes) {
      CAPTURE(file);
      const Canvas canvas(shipped_wall(file), mode);
      for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
        const PointF at = {length(random), length(random)};
        const PanelMap& map = canvas.panel_map(i);
        const PointF back = map.to_canvas(map.to_panel(at));
        CHECK(back.x == Approx(at.x).margin(1e-9));
        CHECK(back.y == Approx(at.y).margin(1e-9));
      }
    }
}

TEST_CASE("a panel's own rectangle is all of its pixels as seen", "[wall]") {
  const Wall wall = shipped_wall("mixed.toml");
  for (const BezelMode mode : both_modes) {
    const Canvas canvas(wall, mode);
    for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
      const RectF& rect = canvas.panel_rect_px(i);
      const PointF first = canvas.panel_map(i).to_panel({rect.x, rect.y});
      const PointF end = canvas.panel_map(i).to_panel({rect.right(), rect.bottom()});
      CHECK(first.x == Approx(0).margin(1e-9));
      CHECK(first.y == Approx(0).margin(1e-9));
      CHECK(end.x == Approx(wall.panels[i].viewed_size_px().width));
      CHECK(end.y == Approx(wall.panels[i].viewed_size_px().height));
    }
  }
  const Canvas exact(shipped_wall("5x3.toml"), BezelMode::hide);
  CHECK(exact.panel_rect_px(1) == RectF{2744, 0, 2560, 1600});
}

TEST_CASE("panels that overlap by declaration show the same canvas pixels", "[wall]") {
  const Wall wall = wall_of(
      "columns = 3\nrows = 2\n[panels]\nsize_px = [1920, 1080]\nsize_mm = [3840.0, 2160.0]\n"
      "[overlap]\nhorizontal_px = 192\nvertical_mm = 216\n");
  for (const BezelMode mode : both_modes) {
    const Canvas canvas(wall, mode);
    CHECK(canvas.size_px() == SizePx{3 * 1920 - 2 * 192, 2 * 1080 - 108});
    CHECK(canvas.panel_rect_px(1) == RectF{1728, 0, 1920, 1080});
    const RectF shared = intersection(canvas.panel_rect_px(0), canvas.panel_rect_px(4));
    CHECK(shared == RectF{1728, 972, 192, 108});
  }
}

TEST_CASE("portrait beside landscape keeps its shape with bezels shown", "[wall]") {
  const Wall wall = wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [1920, 1200]\nsize_mm = [518.4, 324.0]\n"
      "bezel_mm = 10\n[[panel]]\ncolumn = 1\nrow = 0\nrotation_deg = 90\n");
  const Canvas canvas(wall, BezelMode::show);
  CHECK(canvas.size_px() == SizePx{3120, 1920});
  CHECK(canvas.panel_rect_px(0) == RectF{0, 360, 1920, 1200});
  CHECK(canvas.panel_rect_px(1) == RectF{1920, 0, 1200, 1920});
}

TEST_CASE("random walls lie inside of their canvas without overlap in either mode", "[wall]") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    const int columns = pick(1, 5);
    const int rows = pick(1, 4);
    std::string toml = "columns = " + std::to_string(columns) + "\nrows = " + std::to_string(rows) +
                       "\n[panels]\nsize_px = [1600, 1000]\nsize_mm = [400.0, 250.0]\nbezel_mm = " +
                       std::to_string(pick(0, 30)) + "\n";
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < rows; ++row) {
        if (pick(0, 2) == 0) continue;
        toml += "[[panel]]\ncolumn = " + std::to_string(column) + "\nrow = " + std::to_string(row) +
                "\nsize_px = [" + std::to_string(pick(1, 3000)) + ", " +
                std::to_string(pick(1, 3000)) + "]\nsize_mm = [" + std::to_string(pick(1, 900)) +
                ", " + std::to_string(pick(1, 900)) +
                "]\nrotation_deg = " + std::to_string(90 * pick(0, 3)) + "\n";
      }
    CAPTURE(toml);
    const Wall wall = wall_of(toml);
    for (const BezelMode mode : both_modes) {
      const Canvas canvas(wall, mode);
      check_inside(canvas);
      // Hidden: panels within half a per cent of the commonest density keep their own pixels.
      check_no_overlap(canvas, mode == BezelMode::show ? 0 : 16);
    }
  }
}

TEST_CASE("a staircase of small steps keeps every panel its own length", "[wall]") {
  std::vector<ExtentMm> panels;
  for (int i = 0; i < 60; ++i) panels.push_back({i * 4.0, i * 4.0 + 100, 100});
  const std::vector<ExtentPx> extents = abut(panels, 1);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    CHECK(extents[i].start == 4 * static_cast<int>(i));
    CHECK(extents[i].end == extents[i].start + 100);
  }
}

TEST_CASE("the smallest panel has a pixel, also where its length rounds to none", "[wall]") {
  // At 0.1 pixels per millimetre the panels have 0.4, 10 and 0.4 pixels.
  const std::vector<ExtentMm> panels = {{0, 4}, {4, 104}, {104, 108}};
  const std::vector<ExtentPx> extents = abut(panels, 0.1);
  REQUIRE(extents.size() == 3);
  CHECK(extents[0].start == 0);
  CHECK(extents[0].end == 1);
  CHECK(extents[1].start == 1);
  CHECK(extents[1].end == 11);
  CHECK(extents[2].start == 11);
  CHECK(extents[2].end == 12);
}

TEST_CASE("a native panel keeps its pixels where a longer neighbour ends at its seam", "[wall]") {
  // The second panel measures 51 mm beside the first one's 50, and has no pixels of its own.
  const std::vector<ExtentMm> panels = {{0, 50, 100}, {0, 51, 0}, {50, 100, 100}, {51, 100, 0}};
  const std::vector<ExtentPx> extents = abut(panels, 2);
  REQUIRE(extents.size() == 4);
  for (const std::size_t left : {0u, 1u}) {
    CHECK(extents[left].start == 0);
    CHECK(extents[left].end == 100);
  }
  for (const std::size_t right : {2u, 3u}) {
    CHECK(extents[right].start == 100);
    CHECK(extents[right].end == 200);
  }
}

TEST_CASE("bezels of rows that do not quite align leave no gap when shown", "[wall]") {
  // Two rows of different models: the second row's panels are a millimetre narrower.
  const Wall wall = wall_of(
      "columns = 3\nrows = 2\n[panels]\nsize_px = [1920, 1080]\nsize_mm = [520.0, 292.5]\n"
      "bezel_mm = 8\n[[panel]]\nrow = 1\nsize_mm = [519.0, 291.9]\n");
  const Canvas canvas(wall, BezelMode::show);
  CHECK(canvas.size_px() == SizePx{3 * 1920, 2 * 1080});
  CHECK(unlit_share(canvas) == 0);
}

TEST_CASE("a panel between pixels on the left moves the others by whole pixels", "[wall]") {
  // Two panels of a pixel a millimetre, and one of half as many that hangs up on the left of them.
  const Wall wall = wall_of(
      "columns = 3\nrows = 1\n[panels]\nsize_px = [100, 80]\nsize_mm = [100.0, 80.0]\n"
      "[[panel]]\nname = \"c2r0\"\nsize_px = [50, 40]\nsize_mm = [100.0, 80.0]\n"
      "position_mm = [-130.5, -40.25]\n");
  const Canvas canvas(wall, BezelMode::hide);
  CHECK(canvas.panel_rect_px(0) == RectF{131, 41, 100, 80});
  CHECK(canvas.panel_rect_px(1) == RectF{231, 41, 100, 80});
  CHECK(canvas.panel_rect_px(2) == RectF{0.5, 0.75, 100, 80});
  CHECK(canvas.size_px() == SizePx{331, 121});
}

TEST_CASE("the density that most panels have both ways is the wall's, the first of equals",
          "[wall]") {
  // A pixel a millimetre; twice; twice across alone.
  const auto panel = [](SizePx px) {
    Panel one;
    one.size_px = px;
    one.size_mm = {100, 80};
    return one;
  };
  const Panel coarse = panel({100, 80});
  const Panel fine = panel({200, 160});
  const Panel wide = panel({200, 80});
  CHECK(commonest_density(std::vector{coarse, coarse, fine, fine}).x_px_per_mm == 1);
  CHECK(commonest_density(std::vector{fine, coarse, fine, coarse}).x_px_per_mm == 2);
  CHECK(commonest_density(std::vector{fine, coarse, coarse}).x_px_per_mm == 1);
  const Density odd = commonest_density(std::vector{wide, fine, coarse, fine});
  CHECK(odd.x_px_per_mm == 2);
  CHECK(odd.y_px_per_mm == 2);
  CHECK(is_native(coarse, density_of(coarse)));
  CHECK_FALSE(is_native(wide, density_of(fine)));
  CHECK_FALSE(is_native(wide, density_of(coarse)));
}

namespace {
namespace region_plane_test {

// Two screens 1 m ahead of the eye, side by side: pixels 2 mm wide and 4 mm high. The canvas has
// 100 x 50 pixels of each; the eye looks at the upper left corner of the right one.
std::vector<ScreenFromEye> two_screens() {
  return {{{0, 0, 100, 50}, {-200, 0, -1000}, {2, 0, 0}, {0, -4, 0}},
          {{100, 0, 100, 50}, {0, 0, -1000}, {2, 0, 0}, {0, -4, 0}}};
}

}  // namespace region_plane_test
}  // namespace

TEST_CASE("a region's plane goes through its middle and faces the eye", "[wall]") {
  using namespace region_plane_test;
  const std::vector<ScreenFromEye> screens = two_screens();
  const RectF region{110, 10, 40, 20};  // middle (130, 20): 60 mm right, 80 mm down
  const RegionPlane plane = region_plane(screens, region);
  CHECK(plane.middle_mm.x == Approx(60));
  CHECK(plane.middle_mm.y == Approx(-80));
  CHECK(plane.middle_mm.z == Approx(-1000));
  CHECK(length(plane.right_mm) == Approx(4));
  CHECK(length(plane.down_mm) == Approx(4));
  CHECK(dot(plane.right_mm, plane.middle_mm) == Approx(0).margin(1e-9));
  CHECK(dot(plane.down_mm, plane.middle_mm) == Approx(0).margin(1e-9));
  CHECK(plane.right_mm.x > 0);
  CHECK(plane.right_mm.y == Approx(0).margin(1e-9));
  CHECK(plane.down_mm.y < 0);
  // 20 pixels of 4 mm at a distance of sqrt(60^2 + 80^2 + 1000^2).
  CHECK(true_fov_rad(plane, region) == Approx(2 * std::atan(40 / std::sqrt(1010'000.0))));
  // The region's middle on the screen is the middle of its flat picture.
  const PointF middle = onto_plane(screens[1], plane, region).to_canvas({20, 10});
  CHECK(middle.x == Approx(20));
  CHECK(middle.y == Approx(10));
}

TEST_CASE("what screens see of a region's plane is where the rays through its corners meet it",
          "[wall]") {
  using namespace region_plane_test;
  // The middle is straight ahead, so the plane is the screens' own, with square pixels of 4 mm.
  std::vector<ScreenFromEye> screens = two_screens();
  for (ScreenFromEye& screen : screens) screen.corner_mm.y = 100;
  const RectF region{80, 15, 40, 20};  // 80 mm wide, 80 mm high
  const RegionPlane plane = region_plane(screens, region);
  CHECK(plane.middle_mm.y == Approx(0).margin(1e-9));
  REQUIRE(plane.seen_px);
  CHECK(plane.seen_px->x == Approx(10));  // 40 mm left of the middle at 20
  CHECK(plane.seen_px->y == Approx(0).margin(1e-9));
  CHECK(plane.seen_px->width == Approx(20));
  CHECK(plane.seen_px->height == Approx(20));
  CHECK(true_fov_rad(plane, region) == Approx(2 * std::atan(0.04)));
  // Two pixels of the screen are as wide as one of the plane.
  const PanelMap map = onto_plane(screens[0], plane, region);
  CHECK(map.to_canvas({0, 0}).x == Approx(10));
  CHECK(map.to_canvas({0, 0}).y == Approx(0).margin(1e-9));
  CHECK(map.to_canvas({40, 0}).x == Approx(30));
  CHECK(map.to_canvas({0, 20}).y == Approx(20));
}

TEST_CASE("straight above the eye a region's plane lies as its screen does", "[wall]") {
  const std::vector<ScreenFromEye> ceiling = {
      {{0, 0, 100, 100}, {-100, 1000, 100}, {2, 0, 0}, {0, 0, -2}}};
  const RectF region{0, 0, 100, 100};
  const RegionPlane plane = region_plane(ceiling, region);
  CHECK(plane.middle_mm.y == Approx(1000));
  CHECK(plane.right_mm.x == Approx(2));
  CHECK(plane.down_mm.z == Approx(-2));
  const PointF same = onto_plane(ceiling[0], plane, region).to_canvas({30, 70});
  CHECK(same.x == Approx(30));
  CHECK(same.y == Approx(70));
  // A screen that leans: the plane is still at right angles to the line of sight.
  const std::vector<ScreenFromEye> leaning = {
      {{0, 0, 100, 100}, {-100, 990, 100}, {2, 0.2, 0}, {0, 0, -2}}};
  CHECK(region_plane(leaning, region).right_mm.x == Approx(2));
  CHECK(region_plane(leaning, region).right_mm.y == Approx(0).margin(1e-9));
}

TEST_CASE("a region's plane shows what lies up to 85 degrees aside", "[wall]") {
  const auto is_seen = [](double half_width_mm) {
    const std::vector<ScreenFromEye> wide = {
        {{0, 0, 100, 50}, {-half_width_mm, 100, -1000}, {half_width_mm / 50, 0, 0}, {0, -4, 0}}};
    return region_plane(wide, {0, 15, 100, 20}).seen_px.has_value();
  };
  CHECK(is_seen(10'000));        // 84.3 degrees
  CHECK_FALSE(is_seen(12'000));  // 85.2
}

TEST_CASE("a pixel's sides are the map's derivative, in perspective too", "[wall]") {
  const PanelMap map({1.5, 0.25, 40, -0.125, 2, 7, 0.0005, -0.00025, 0.9});
  constexpr double step = 1e-4;
  for (const PointF at : {PointF{0, 0}, PointF{100, 20}, PointF{640, 480}, PointF{30, 700}}) {
    CAPTURE(at.x, at.y);
    const auto derivative = [&](PointF by) {
      const PointF before = map.to_canvas({at.x - by.x, at.y - by.y});
      const PointF behind = map.to_canvas({at.x + by.x, at.y + by.y});
      return std::hypot(behind.x - before.x, behind.y - before.y) / (2 * step);
    };
    const PanelMap::PixelSides sides = map.pixel_sides(at);
    CHECK(sides.across == Approx(derivative({step, 0})).epsilon(1e-6));
    CHECK(sides.down == Approx(derivative({0, step})).epsilon(1e-6));
    const PointF back = map.to_panel(map.to_canvas(at));
    CHECK(back.x == Approx(at.x).margin(1e-7));
    CHECK(back.y == Approx(at.y).margin(1e-7));
  }
  // (1.5 * 100 + 0.25 * 20 + 40, -0.125 * 100 + 2 * 20 + 7) / (0.05 - 0.005 + 0.9)
  CHECK(map.to_canvas({100, 20}).x == Approx(195 / 0.945));
  CHECK(map.to_canvas({100, 20}).y == Approx(34.5 / 0.945));
}

TEST_CASE("a moved, scaled or chained map takes each place where both lead", "[wall]") {
  const PanelMap map({1.5, 0.25, 40, -0.125, 2, 7, 0.0005, -0.00025, 0.9});
  const PanelMap other({0.5, -1, 3, 1, 0.75, -20, -0.0001, 0.0002, 1.25});
  for (const PointF at : {PointF{0, 0}, PointF{100, 20}, PointF{640, 480}}) {
    const PointF there = map.to_canvas(at);
    const PointF moved = map.moved({-5, 11}).to_canvas(at);
    CHECK(moved.x == Approx(there.x - 5));
    CHECK(moved.y == Approx(there.y + 11));
    const PointF scaled = map.scaled(3, 0.25).to_canvas(at);
    CHECK(scaled.x == Approx(3 * there.x));
    CHECK(scaled.y == Approx(there.y / 4));
    const PointF both = other.after(map).to_canvas(at);
    CHECK(both.x == Approx(other.to_canvas(there).x));
    CHECK(both.y == Approx(other.to_canvas(there).y));
  }
}

TEST_CASE("the lit box holds the lit areas of all panels, wherever they stand", "[wall]") {
  Wall wall;
  wall.panels.resize(3);
  wall.panels[0].position_mm = {300, 40};
  wall.panels[0].size_mm = {100, 50};
  wall.panels[1].position_mm = {-20, 70};
  wall.panels[1].size_mm = {30, 60};
  wall.panels[2].position_mm = {5, -8};
  wall.panels[2].size_mm = {10, 9};
  const RectF box = wall.lit_box_mm();
  CHECK(box.x == -20);
  CHECK(box.y == -8);
  CHECK(box.right() == 400);
  CHECK(box.bottom() == 130);
}

TEST_CASE("a wall is flat unless a panel is turned or stands before it", "[wall]") {
  Wall wall;
  wall.panels.resize(2);
  wall.panels[1].pose.centre_mm = {500, 30, 0};
  CHECK(wall.flat());
  for (double* const value : {&wall.panels[1].pose.yaw_deg, &wall.panels[1].pose.pitch_deg,
                              &wall.panels[1].pose.roll_deg, &wall.panels[1].pose.centre_mm[2]}) {
    *value = -0.5;
    CHECK_FALSE(wall.flat());
    *value = 0;
  }
}
