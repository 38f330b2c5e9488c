// Walls whose panels overlap: the light of all panels adds up to that of one, everywhere.

#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>
#include <string>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/correction/edge_mask.hpp"
#include "player/present/presenter.hpp"
#include "tests/support/picture.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::present;
using namespace tilewall::wall;

namespace {

/// What the panels of a wall throw onto it, in light, pixel by pixel of its canvas.
class Light {
 public:
  explicit Light(SizePx canvas_px)
      : width_(static_cast<std::size_t>(canvas_px.width)),
        light_(width_ * static_cast<std::size_t>(canvas_px.height), -1) {}

  void add(PointPx at, double light) {
    double& sum = light_[static_cast<std::size_t>(at.y) * width_ + static_cast<std::size_t>(at.x)];
    sum = std::max(sum, 0.0) + light;
  }

  /// The largest deviation from `expected` on lit pixels.
  [[nodiscard]] double worst(double expected) const {
    double worst = 0;
    for (const double sum : light_)
      if (sum >= 0) worst = std::max(worst, std::abs(sum - expected));
    return worst;
  }

 private:
  std::size_t width_;
  std::vector<double> light_;  // -1: no panel lights it
};

void fill_with(const ImageView& picture, std::uint8_t level) {
  for (int y = 0; y < picture.size_px.height; ++y)
    std::fill_n(picture.row(y), picture.size_px.width * 4, level);
}

/// The panel's frame buffer after it was given a picture of one gray.
std::unique_ptr<Presenter> gray_panel(const Wall& wall, std::size_t index, std::uint8_t level) {
  const Panel& panel = wall.panels[index];
  PresenterOptions options;
  options.headless = true;
  options.frame_buffer_px = panel.size_px;
  options.rotation = panel.rotation;
  options.blend = panel_blend(wall, index);
  auto presenter = make_presenter(options);
  const TestPicture picture(panel.viewed_size_px());
  fill_with(picture.view(), level);
  presenter->prepare(picture.view());
  presenter->swap();
  return presenter;
}

/// Of a wall of native panels that all show the same gray.
Light light_of(const Wall& wall, std::uint8_t level) {
  const Canvas canvas(wall, BezelMode::hide);
  Light light(canvas.size_px());
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    const auto presenter = gray_panel(wall, i, level);
    const ImageView shown = presenter->shown();
    const RectF& rect = canvas.panel_rect_px(i);
    for (int y = 0; y < shown.size_px.height; ++y)
      for (int x = 0; x < shown.size_px.width; ++x) {
        const PointPx viewed = viewed_place({x, y}, shown.size_px, wall.panels[i].rotation);
        const double value = pixel_at(shown, {x, y})[1] / 255.0;
        light.add({static_cast<int>(rect.x) + viewed.x, static_cast<int>(rect.y) + viewed.y},
                  std::pow(value, wall.edge_blend.gamma));
      }
  }
  return light;
}

const std::string two_by_two =
    "columns = 2\nrows = 2\n[panels]\nsize_px = [120, 90]\n"
    "[overlap]\nhorizontal_px = 24\nvertical_px = 16\n";

struct OverlappingWall {
  const char* what;
  std::string toml;
};

const OverlappingWall overlapping_walls[] = {
    {"two by two", two_by_two},
    {"a hole in the corner", two_by_two + "[[hole]]\nname = \"door\"\ncolumn = 1\nrow = 1\n"},
    {"turned panels",
     "columns = 3\nrows = 1\n[panels]\nsize_px = [90, 120]\nrotation_deg = 90\n"
     "[[panel]]\ncolumn = 2\nrow = 0\nrotation_deg = 270\n"
     "[overlap]\nhorizontal_px = 30\n"},
    {"rows of unequal heights, by hand",
     "columns = 2\nrows = 1\n[panels]\nsize_px = [100, 80]\nsize_mm = [100, 80]\n"
     "[[panel]]\ncolumn = 1\nrow = 0\nsize_px = [100, 140]\nsize_mm = [100, 140]\n"
     "[overlap]\nhorizontal_px = 20\n"},
    {"a middle row between two of one panel less",
     "columns = 3\nrows = 3\n[panels]\nsize_px = [60, 50]\n[overlap]\nhorizontal_px = 20\n"
     "vertical_px = 20\n[[hole]]\nname = \"a\"\ncolumn = 0\nrow = 0\n"
     "[[hole]]\nname = \"b\"\ncolumn = 2\nrow = 2\n"},
    {"another gamma",
     "columns = 2\nrows = 1\n[panels]\nsize_px = [120, 60]\n"
     "[overlap]\nhorizontal_px = 40\ngamma = 1.8\n"},
};

}  // namespace

TEST_CASE("where panels overlap their light adds up to one panel's", "[present][wall]") {
  for (const OverlappingWall& overlapping : overlapping_walls) {
    CAPTURE(overlapping.what);
    const Wall wall = wall_of(overlapping.toml);
    // A value is off by up to half a 255th, in light by gamma times that; up to four panels add up.
    for (const int level : {255, 128}) {
      const double expected = std::pow(level / 255.0, wall.edge_blend.gamma);
      CAPTURE(level);
      CHECK(light_of(wall, static_cast<std::uint8_t>(level)).worst(expected) < 2.0 / 255);
    }
  }
}

TEST_CASE("before values are rounded, the shares of all panels add up to 1", "[present][wall]") {
  for (const OverlappingWall& overlapping : overlapping_walls) {
    CAPTURE(overlapping.what);
    const Wall wall = wall_of(overlapping.toml);
    const Canvas canvas(wall, BezelMode::hide);
    Light light(canvas.size_px());
    for (std::size_t i = 0; i < wall.panels.size(); ++i) {
      const PanelBlend blend = panel_blend(wall, i);
      const RectF& rect = canvas.panel_rect_px(i);
      for (int y = 0; y < static_cast<int>(rect.height); ++y)
        for (int x = 0; x < static_cast<int>(rect.width); ++x)
          light.add({static_cast<int>(rect.x) + x, static_cast<int>(rect.y) + y},
                    light_share(blend, {x + 0.5, y + 0.5}));
    }
    CHECK(light.worst(1) < 1e-9);
  }
}

TEST_CASE("only edges that a neighbour reaches across fade", "[present][wall]") {
  const Wall wall = wall_of(two_by_two + "[[hole]]\nname = \"door\"\ncolumn = 1\nrow = 1\n");
  const FadedRect upper_left = panel_blend(wall, 0).own;
  CHECK(upper_left == FadedRect{{0, 0, 120, 90}, 0, 24, 0, 16});
  const auto presenter = gray_panel(wall, 0, 200);
  const ImageView shown = presenter->shown();
  for (const PointPx at : {PointPx{0, 0}, {95, 0}, {0, 73}, {50, 73}}) {
    CAPTURE(at.x, at.y);
    CHECK(pixel_at(shown, at)[0] == 200);
  }
  for (const PointPx at : {PointPx{98, 0}, {98, 40}, {119, 0}, {0, 76}, {50, 89}, {119, 89}}) {
    CAPTURE(at.x, at.y);
    CHECK(pixel_at(shown, at)[0] < 200);
  }
  CHECK(pixel_at(shown, {119, 10})[0] < 30);
}

TEST_CASE("panels of unequal size fade over what the wall declares, and no further",
          "[present][wall]") {
  // The right panel reaches 30 px further up and down than the left one, and is no light on it
  // there.
  const Wall row = wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [100, 80]\nsize_mm = [200, 80]\n"
      "[[panel]]\ncolumn = 1\nrow = 0\nsize_px = [100, 140]\nsize_mm = [200, 140]\n"
      "[overlap]\nhorizontal_px = 20\n");
  CHECK(panel_blend(row, 0).own == FadedRect{{0, 0, 100, 80}, 0, 20, 0, 0});
  CHECK(panel_blend(row, 1).own == FadedRect{{0, 0, 100, 140}, 20, 0, 0, 0});
  const Wall column = wall_of(
      "columns = 1\nrows = 2\n[panels]\nsize_px = [80, 100]\nsize_mm = [80, 200]\n"
      "[[panel]]\ncolumn = 0\nrow = 1\nsize_px = [140, 100]\nsize_mm = [140, 200]\n"
      "[overlap]\nvertical_px = 20\n");
  CHECK(panel_blend(column, 0).own == FadedRect{{0, 0, 80, 100}, 0, 0, 0, 20});
  CHECK(panel_blend(column, 1).own == FadedRect{{0, 0, 140, 100}, 0, 0, 20, 0});
}

TEST_CASE("beside each other two panels fade by a smoothstep and its complement",
          "[present][wall]") {
  const Wall wall = wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [120, 60]\n[overlap]\nhorizontal_px = 40\n");
  const PanelBlend left = panel_blend(wall, 0);
  for (int x = 0; x < 40; ++x) {
    const double t = (x + 0.5) / 40;
    CHECK(light_share(left, {80 + x + 0.5, 7.5}) == Approx(1 - t * t * (3 - 2 * t)));
  }
}

TEST_CASE("walls without overlap, and those that blend by themselves, are not darkened",
          "[present][wall]") {
  const Wall apart = wall_of("columns = 2\nrows = 2\n[panels]\nsize_px = [120, 90]\n");
  const Wall off = wall_of(two_by_two + "blend = false\n");
  for (const Wall* wall : {&apart, &off})
    for (std::size_t i = 0; i < 4; ++i) CHECK(panel_blend(*wall, i).empty());
}

// Three columns and rows of 1000 x 800 px, of which only some places have panels: each panel has
// one neighbour at most, so that each fading has one cause.
TEST_CASE("a panel fades towards its neighbour and nowhere else", "[present][edge-blend]") {
  const auto wall_without = [](const std::string& holes) {
    std::string file =
        "columns = 3\nrows = 3\n[panels]\nsize_px = [1000, 800]\nsize_mm = [1000.0, 800.0]\n"
        "[overlap]\nhorizontal_px = 100\nvertical_px = 50\n";
    std::istringstream names(holes);
    for (std::string name; names >> name;)
      file += std::string("[[hole]]\nname = \"") + name + "\"\ncolumn = " + name[1] +
              "\nrow = " + name[3] + "\n";
    return wall_of(file);
  };
  const auto faded = [](const Wall& wall, std::string_view name) {
    for (std::size_t i = 0; i < wall.panels.size(); ++i)
      if (wall.panels[i].name == name) return panel_blend(wall, i).own;
    return FadedRect{};
  };
  const auto check = [](const FadedRect& own, double left, double right, double top,
                        double bottom) {
    CHECK(own.rect_px == RectF{0, 0, 1000, 800});
    CHECK(own.left_px == Approx(left).margin(1e-6));
    CHECK(own.right_px == Approx(right).margin(1e-6));
    CHECK(own.top_px == Approx(top).margin(1e-6));
    CHECK(own.bottom_px == Approx(bottom).margin(1e-6));
  };
  const Wall beside = wall_without("c1r0 c2r0 c0r1 c1r1 c2r1 c2r2");  // c0r2 and c1r2
  check(faded(beside, "c0r2"), 0, 100, 0, 0);
  check(faded(beside, "c1r2"), 100, 0, 0, 0);
  check(faded(beside, "c0r0"), 0, 0, 0, 0);
  const Wall below = wall_without("c1r0 c1r1 c0r1 c0r2 c1r2 c2r2");  // c2r0 and c2r1
  check(faded(below, "c2r0"), 0, 0, 0, 50);
  check(faded(below, "c2r1"), 0, 0, 50, 0);
  check(faded(below, "c0r0"), 0, 0, 0, 0);
}

TEST_CASE("pixels that another panel covers in part are blended, too", "[present]") {
  PanelBlend blend;
  blend.gamma = 1;
  blend.own = {{0, 0, 20, 10}, 0, 8.7, 0, 4.7};
  blend.others = {{{11.3, 5.3, 20, 10}, 8.7, 0, 4.7, 0}};
  const auto factors = blend_factors(blend, {20, 10}, Rotation::deg0);
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 20; ++x) {
      const double share = x < 11 || y < 5 ? 1 : light_share(blend, {x + 0.5, y + 0.5});
      CAPTURE(x, y);
      REQUIRE(factors[static_cast<std::size_t>(20 * y + x)] == std::lround(65535 * share));
    }
}
