// Where the panels of an arc lie on the canvas in each content mode, against the geometry of the
// room computed another way.

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/unit/wallconfigs/wall_support.hpp"
#include "wallconfigs/advice.hpp"
#include "wallconfigs/eye_view.hpp"
#include "wallconfigs/picture_plane.hpp"

using namespace tilewall;
using namespace tilewall::wall;

namespace {

constexpr BezelMode both_bezels[] = {BezelMode::hide, BezelMode::show};

/// Five screens of 640x480 px and mm, 20 degrees each, whose edges touch.
constexpr const char* small_arc =
    "columns = 5\nrows = 1\n[panels]\nsize_px = [640, 480]\nsize_mm = [640, 480]\n"
    "[arc]\nincrement_deg = 20\n";

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

bool same_place(PointF a, PointF b, double tolerance_px) {
  return std::hypot(a.x - b.x, a.y - b.y) <= tolerance_px;
}

/// The panel's right edge against its right neighbour's left edge, at both ends.
void check_edges_meet(const Canvas& canvas, const Wall& wall, std::size_t left, std::size_t right) {
  const SizePx size = wall.panels[left].viewed_size_px();
  for (const double y : {0.0, static_cast<double>(size.height)}) {
    const PointF a = canvas.panel_map(left).to_canvas({static_cast<double>(size.width), y});
    const PointF b = canvas.panel_map(right).to_canvas({0, y});
    CAPTURE(left, y, a.x, a.y, b.x, b.y);
    CHECK(same_place(a, b, 0.01));
  }
}

}  // namespace

TEST_CASE("content modes have names", "[wall]") {
  for (const ContentMode mode : content_modes) CHECK(parse_content_mode(to_string(mode)) == mode);
  CHECK_FALSE(parse_content_mode(""));
  CHECK_FALSE(parse_content_mode("Flat"));
}

TEST_CASE("on a wall in one plane all content modes are the same", "[wall]") {
  for (const char* file : {"5x3.toml", "mixed.toml", "mini-5x2.toml"}) {
    const Wall wall = shipped_wall(file);
    for (const BezelMode bezels : both_bezels) {
      const Canvas plain(wall, bezels);
      for (const ContentMode mode : content_modes) {
        CAPTURE(file, to_string(mode));
        REQUIRE_FALSE(content_obstacle(wall, mode));
        const Canvas canvas(wall, bezels, mode);
        CHECK(canvas.size_px() == plain.size_px());
        for (std::size_t i = 0; i < canvas.panel_count(); ++i)
          CHECK(canvas.panel_map(i).matrix() == plain.panel_map(i).matrix());
      }
    }
  }
}

TEST_CASE("along an arc's length the canvas is the unrolled wall", "[wall]") {
  const Wall wall = shipped_wall("5x2.toml");
  const Canvas canvas(wall, BezelMode::hide, ContentMode::arc_length);
  CHECK(canvas.size_px() == SizePx{6400, 2048});
  CHECK(canvas.panel_rect_px(6) == RectF{1280, 1024, 1280, 1024});
}

TEST_CASE("for an eye at the centre, a screen lies where rays through it meet the picture plane",
          "[wall]") {
  const Wall wall = shipped_wall("5x2.toml");  // a pixel a millimetre
  const double radius = wall.arc->radius_mm;
  const Canvas canvas(wall, BezelMode::hide, ContentMode::eye);
  const PointF middle = canvas.panel_map(2).to_canvas({640, 1024});
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    const Panel& panel = wall.panels[i];
    for (const double x : {0.0, 333.5, 1280.0})
      for (const double y : {0.0, 100.0, 1024.0}) {
        // The ray to the pixel leaves the eye at this angle; the screen is radius / cos away there.
        const double aside = std::atan((x - 640) / radius);
        const double angle = radians(18.0 * (panel.column - 2)) + aside;
        const double away = radius / std::cos(aside);
        const double across = radius * std::tan(angle);
        const double down = (y + (panel.row == 0 ? -1024 : 0)) * radius / (away * std::cos(angle));
        const PointF at = canvas.panel_map(i).to_canvas({x, y});
        CAPTURE(panel.name, x, y, at.x, at.y);
        CHECK(same_place(at, {middle.x + across, middle.y + down}, 0.01));
      }
  }
}

TEST_CASE("from far away a screen is as narrow as the cosine of its angle", "[wall]") {
  const Canvas canvas(shipped_wall("5x2.toml"), BezelMode::hide, ContentMode::flat);
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    const RectF& rect = canvas.panel_rect_px(i);
    CAPTURE(i);
    CHECK(rect.width ==
          Approx(1280 * std::cos(radians(18.0 * (static_cast<int>(i % 5) - 2)))).margin(0.01));
    CHECK(rect.height == Approx(1024));
    CHECK(canvas.panel_map(i).is_upright({1280, 1024}));
  }
}

TEST_CASE("in every content mode the middle screen keeps its own pixels", "[wall]") {
  for (const char* toml :
       {small_arc,
        "columns = 3\nrows = 2\n[panels]\nsize_px = [640, 480]\nsize_mm = [510.3, 377.7]\n"
        "bezel_mm = 7\n[arc]\nincrement_deg = 15\nstart_angle_deg = 10\n"}) {
    const Wall wall = wall_of(toml);
    for (const BezelMode bezels : both_bezels)
      for (const ContentMode mode : content_modes) {
        const Canvas canvas(wall, bezels, mode);
        for (std::size_t i = 0; i < wall.panels.size(); ++i) {
          if (wall.panels[i].column != wall.columns / 2) continue;
          const RectF& rect = canvas.panel_rect_px(i);
          CAPTURE(to_string(mode), i, rect.x, rect.y);
          CHECK(canvas.panel_map(i).is_upright({640, 480}));
          CHECK(SizePx{640, 480} ==
                SizePx{static_cast<int>(rect.width), static_cast<int>(rect.height)});
          CHECK(rect.x == std::round(rect.x));
          CHECK(rect.y == std::round(rect.y));
        }
      }
  }
}

TEST_CASE("screens whose frames touch share their edges in the picture, frames left out",
          "[wall]") {
  const Wall bare = wall_of(small_arc);
  const Wall framed = wall_of(
      "columns = 5\nrows = 1\n[panels]\nsize_px = [640, 480]\nsize_mm = [640, 480]\n"
      "bezel_mm = 10\n[arc]\nincrement_deg = 20\n");
  for (const ContentMode mode : {ContentMode::eye, ContentMode::flat})
    for (std::size_t i = 0; i < 4; ++i) {
      CAPTURE(to_string(mode));
      check_edges_meet(Canvas(bare, BezelMode::hide, mode), bare, i, i + 1);
      check_edges_meet(Canvas(framed, BezelMode::show, mode), framed, i, i + 1);
    }
  const Canvas hidden(framed, BezelMode::hide, ContentMode::flat);
  CHECK(hidden.panel_rect_px(1).right() + 15 < hidden.panel_rect_px(2).x);  // behind two frames
}

TEST_CASE("all of the wall lies on the canvas, and touches its sides", "[wall]") {
  for (const char* toml : {small_arc,
                           "columns = 2\nrows = 3\n[panels]\nsize_px = [64, 48]\n"
                           "[arc]\nincrement_deg = 50\neye_mm = [3, -5, 9]\n"}) {
    const Wall wall = wall_of(toml);
    for (const ContentMode mode : content_modes) {
      const Canvas canvas(wall, BezelMode::hide, mode);
      RectF box = canvas.panel_rect_px(0);
      for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
        const RectF& rect = canvas.panel_rect_px(i);
        box.x = std::min(box.x, rect.x);
        box.y = std::min(box.y, rect.y);
        CHECK(rect.right() <= canvas.size_px().width + 1e-6);
        CHECK(rect.bottom() <= canvas.size_px().height + 1e-6);
      }
      CAPTURE(to_string(mode), box.x, box.y);
      CHECK(box.x >= -1e-6);
      CHECK(box.y >= -1e-6);
      CHECK(box.x < 1);
      CHECK(box.y < 1);
    }
  }
}

TEST_CASE("a screen tilted by its own pose is a quadrilateral as the eye sees it", "[wall]") {
  const Wall wall = wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [100, 100]\nsize_mm = [100, 100]\n"
      "[[panel]]\ncolumn = 1\nrow = 0\npose = { pitch_deg = 30 }\n");
  // No arc: the eye is as far in front of the middle as the wall is wide.
  CHECK(wall.eye_mm == std::array<double, 3>{0, 0, 200});
  const Canvas canvas(wall, BezelMode::hide, ContentMode::eye);
  const PointF middle = canvas.panel_map(0).to_canvas({100, 50});
  // The tilted panel's upper edge comes forward (its normal points down): up by 50 cos 30, towards
  // the viewer by 50 sin 30.
  const double scale = 200.0 / (200 - 25);
  const PointF corner = canvas.panel_map(1).to_canvas({0, 0});
  CHECK(same_place(corner, {middle.x, middle.y - 50 * std::cos(radians(30)) * scale}, 0.01));
  CHECK_FALSE(canvas.panel_map(1).is_upright({100, 100}));
}

TEST_CASE("a panel's directions are at right angles, however it is turned", "[wall]") {
  const auto is_near = [](Vec3d a, Vec3d b) { return length(a - b) < 1e-12; };
  for (const double yaw : {0.0, 30.0, -120.0})
    for (const double pitch : {0.0, 20.0, -90.0})
      for (const double roll : {0.0, 45.0, 180.0}) {
        CAPTURE(yaw, pitch, roll);
        const Facing facing = facing_of({{}, yaw, pitch, roll});
        CHECK(length(facing.right) == Approx(1));
        CHECK(length(facing.up) == Approx(1));
        CHECK(dot(facing.right, facing.up) == Approx(0).margin(1e-12));
        CHECK(is_near(cross(facing.right, facing.up), facing.out));
      }
  const Facing plain = facing_of({});
  CHECK(is_near(plain.right, {1, 0, 0}));
  CHECK(is_near(plain.up, {0, 1, 0}));
  CHECK(is_near(plain.out, {0, 0, 1}));
  CHECK(is_near(facing_of({{}, 90, 0, 0}).out, {1, 0, 0}));
  CHECK(is_near(facing_of({{}, 0, 90, 0}).out, {0, -1, 0}));
  CHECK(is_near(facing_of({{}, 0, 0, 90}).right, {0, 1, 0}));
}

TEST_CASE("an eye picture ends where a screen's corner is 85 degrees aside, or up", "[wall]") {
  // The eye is as far in front of the middle as the wall is wide, and 200 mm below the upper edge.
  const auto tall_wall = [](int width_mm) {
    return wall_of("columns = 1\nrows = 2\n[panels]\nsize_px = [10, 200]\nsize_mm = [" +
                   std::to_string(width_mm) +
                   ", 200]\n[[panel]]\ncolumn = 0\nrow = 1\npose = { pitch_deg = 1 }\n");
  };
  CHECK_FALSE(content_obstacle(tall_wall(20), ContentMode::eye));  // atan(hypot(200, 10) / 20)
  const auto obstacle = content_obstacle(tall_wall(10), ContentMode::eye);
  REQUIRE(obstacle);
  CHECK(obstacle->expected ==
        "screens within 85 degrees of straight ahead, seen from the eye point");
  CHECK(obstacle->found == "c0r0 at 87.14");  // atan(hypot(200, 5) / 10)
}

TEST_CASE("panels are on one screen where they stand in one column of an arc and are turned alike",
          "[wall]") {
  const auto numbers = [](const std::string& panels) {
    const Wall wall = wall_of("rows = 1\n" + panels);
    std::vector<std::vector<std::size_t>> lists;
    for (const WallScreen& screen : screens_of(wall)) lists.push_back(screen.panels);
    return lists;
  };
  using Lists = std::vector<std::vector<std::size_t>>;
  const std::string square = "[panels]\nsize_px = [100, 100]\nsize_mm = [100.0, 100.0]\n";
  CHECK(numbers("columns = 3\n" + square) == Lists{{0, 1, 2}});
  CHECK(numbers("columns = 4\n" + square + "[arc]\nincrement_deg = 20\ncolumns_per_screen = 2\n") ==
        Lists{{0, 1}, {2, 3}});
  CHECK(numbers("columns = 2\n" + square +
                "[[panel]]\nname = \"c1r0\"\npose = { yaw_deg = 5 }\n") == Lists{{0}, {1}});
  // Two rows of one column, of which the lower panel is turned.
  for (const char* turn : {"yaw_deg", "pitch_deg", "roll_deg"}) {
    CAPTURE(turn);
    const Wall wall = wall_of("columns = 1\nrows = 2\n" + square +
                              "[[panel]]\nname = \"c0r1\"\npose = { " + turn + " = 5 }\n");
    CHECK(screens_of(wall).size() == 2);
  }
}

TEST_CASE("the stretch of each screen is that of the geometry, at its edges and its middle",
          "[wall]") {
  std::string toml = small_arc;
  if (GENERATE(false, true)) toml.replace(toml.find("rows = 1"), 8, "rows = 2");
  const Wall wall = wall_of(toml);
  const std::vector<Stretch> along = stretch_of(wall, ContentMode::arc_length);
  const std::vector<Stretch> flat = stretch_of(wall, ContentMode::flat);
  const std::vector<Stretch> eye = stretch_of(wall, ContentMode::eye);
  REQUIRE(along.size() == 5);
  REQUIRE(flat.size() == 5);
  REQUIRE(eye.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    const double aside = std::abs(20 * (static_cast<double>(i) - 2));
    for (const double stretch : {along[i].least, along[i].middle, along[i].most})
      CHECK(stretch == Approx(1));
    for (const double stretch : {flat[i].least, flat[i].middle, flat[i].most})
      CHECK(stretch == Approx(1 / std::cos(radians(aside))));
    // A ray at the angle `a` meets the screen at tan(a - aside), and the picture plane at tan(a).
    const auto at = [&](double a) {
      return std::pow(std::cos(radians(a)) / std::cos(radians(a - aside)), 2);
    };
    CHECK(eye[i].middle == Approx(at(aside)).epsilon(1e-3));
    CHECK(eye[i].least == Approx(at(aside + 10)).epsilon(1e-3));
    CHECK(eye[i].most == Approx(i == 2 ? 1 : at(aside - 10)).epsilon(1e-3));
  }
}
