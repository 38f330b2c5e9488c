// What a presenter does to the test card on its way into the frame buffer: rotation moves its marks
// just so, the colour match changes its ramp just so, and two panels that overlap throw one card.

#include <catch2/catch.hpp>
#include <cmath>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/presenter.hpp"
#include "render/pattern.hpp"
#include "tests/support/card_marks.hpp"
#include "tests/support/picture.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::present;
using namespace tilewall::render;
using namespace tilewall::wall;

namespace {

constexpr Rotation rotations[] = {Rotation::deg0, Rotation::deg90, Rotation::deg180,
                                  Rotation::deg270};

TestPicture card(SizePx canvas_px, const RectF& part_px) {
  PatternInfo info;
  info.canvas_px = canvas_px;
  info.panel_on_canvas_px = part_px;
  TestPicture picture({static_cast<int>(part_px.width), static_cast<int>(part_px.height)});
  paint_card(info, picture.view());
  return picture;
}

TestPicture whole_card(SizePx size_px) {
  return card(size_px,
              {0, 0, static_cast<double>(size_px.width), static_cast<double>(size_px.height)});
}

std::unique_ptr<Presenter> showing(const ImageView& picture, const PresenterOptions& options) {
  auto presenter = make_presenter(options);
  presenter->prepare(picture);
  presenter->swap();
  return presenter;
}

/// From frame buffer pixels to the picture's, for a panel turned clockwise.
PanelMap turned(Rotation rotation, SizePx frame_buffer_px) {
  const double width = frame_buffer_px.width;
  const double height = frame_buffer_px.height;
  switch (rotation) {
    case Rotation::deg90:
      return PanelMap({0, -1, height, 1, 0, 0, 0, 0, 1});
    case Rotation::deg180:
      return PanelMap({-1, 0, width, 0, -1, height, 0, 0, 1});
    case Rotation::deg270:
      return PanelMap({0, 1, 0, -1, 0, width, 0, 0, 1});
    default:
      return {};
  }
}

double light(std::uint8_t value) { return std::pow(value / 255.0, 2.2); }

}  // namespace

TEST_CASE("however a panel is turned, the card's marks lie in its frame buffer where they should",
          "[present]") {
  for (const Rotation rotation : rotations) {
    CAPTURE(static_cast<int>(rotation));
    PresenterOptions options;
    options.headless = true;
    options.frame_buffer_px = {420, 310};
    options.rotation = rotation;
    options.color = {{1, 0.9, 0.7}, {1.3, 1, 0.8}};
    const SizePx viewed = turned_size_px(options.frame_buffer_px, rotation);
    const auto presenter = showing(whole_card(viewed).view(), options);
    const MarksFound found =
        find_marks(presenter->shown(), turned(rotation, options.frame_buffer_px), viewed);
    CAPTURE(found.wrong);
    CHECK(found.wrong.empty());
    CHECK(found.marks == 12);
    CHECK(found.worst_px < 0.001);
  }
}

TEST_CASE("a colour match changes each gray of the card's ramp by gain and gamma", "[present]") {
  const SizePx size = {512, 200};
  PresenterOptions options;
  options.headless = true;
  options.frame_buffer_px = size;
  options.color = {{1, 0.8, 0.55}, {1.4, 1, 0.7}};
  const auto presenter = showing(whole_card(size).view(), options);
  const int y = card_ramp_px(size).y + 3;
  for (int x = 30; x < size.width; ++x) {
    const double gray = card_ramp_level(size, x) / 255.0;
    const Bgrx shown = pixel_at(presenter->shown(), {x, y});
    CAPTURE(x, gray);
    CHECK(shown[2] == std::lround(255 * std::pow(gray, 1.4)));
    CHECK(shown[1] == std::lround(255 * 0.8 * gray));
    CHECK(shown[0] == std::lround(255 * 0.55 * std::pow(gray, 0.7)));
  }
}

TEST_CASE("two panels that overlap throw together the light of one card", "[present][wall]") {
  const Wall wall = wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [300, 200]\n[overlap]\nhorizontal_px = 120\n");
  const Canvas canvas(wall, BezelMode::hide);
  std::unique_ptr<Presenter> panels[2];
  for (std::size_t i = 0; i < 2; ++i) {
    PresenterOptions options;
    options.headless = true;
    options.frame_buffer_px = {300, 200};
    options.blend = panel_blend(wall, i);
    panels[i] = showing(card(canvas.size_px(), canvas.panel_rect_px(i)).view(), options);
    // Darkened as they are, both panels' marks are where they should be.
    const MarksFound found = find_marks(panels[i]->shown(), canvas.panel_map(i), canvas.size_px());
    CAPTURE(i, found.wrong);
    CHECK(found.wrong.empty());
    CHECK(found.marks >= 4);
    CHECK(found.worst_px < 0.2);  // a mark is brighter on one side
  }
  const TestPicture whole = whole_card(canvas.size_px());
  double worst = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 180; x < 300; ++x)
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const double sum = light(pixel_at(panels[0]->shown(), {x, y})[channel]) +
                           light(pixel_at(panels[1]->shown(), {x - 180, y})[channel]);
        worst = std::max(worst, std::abs(sum - light(pixel_at(whole.view(), {x, y})[channel])));
      }
  CHECK(worst < 2.0 / 255);  // each of the two values is rounded
}
