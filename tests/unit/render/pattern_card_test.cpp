// The test card's marks: where they are painted, and that they are read whatever a wall does to
// them.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "render/card_mark.hpp"
#include "render/pattern.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::render;

namespace {

constexpr SizePx canvas_px = {640, 430};

TestPicture card(SizePx picture_px, const RectF& part_px) {
  PatternInfo info;
  info.canvas_px = canvas_px;
  info.panel_on_canvas_px = part_px;
  TestPicture picture(picture_px);
  paint_card(info, picture.view());
  return picture;
}

TestPicture whole_card() { return card(canvas_px, {0, 0, canvas_px.width, canvas_px.height}); }

ExpectedMark unscaled(PointF centre_px) { return {centre_px, {1, 0}, {0, 1}}; }

PointF centre_of(CardPlace place) {
  const PointPx at = card_mark_at(place);
  return {at.x + 0.5, at.y + 0.5};
}

void check_seen(const ImageView& picture, const ExpectedMark& expected, CardPlace place,
                PointF centre_px, double tolerance_px) {
  CAPTURE(place.column, place.row);
  const auto seen = read_card_mark(picture, expected);
  REQUIRE(seen);
  CHECK(seen->place == place);
  CAPTURE(seen->centre_px.x, seen->centre_px.y, centre_px.x, centre_px.y);
  CHECK(std::abs(seen->centre_px.x - centre_px.x) <= tolerance_px);
  CHECK(std::abs(seen->centre_px.y - centre_px.y) <= tolerance_px);
}

}  // namespace

TEST_CASE("every mark of the card is read at its pixel, also where it is expected elsewhere",
          "[render]") {
  const TestPicture picture = whole_card();
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 6; ++column)
      for (const PointF off : {PointF{0, 0}, {3.4, -2.6}, {-4, 4}}) {
        const PointF at = centre_of({column, row});
        check_seen(picture.view(), unscaled({at.x + off.x, at.y + off.y}), {column, row}, at, 1e-9);
      }
  CHECK_FALSE(read_card_mark(picture.view(), unscaled({100, 100})));
  CHECK_FALSE(read_card_mark(picture.view(), unscaled({10, 10})));
  CHECK_FALSE(read_card_mark(picture.view(), unscaled({635, 425})));
}

TEST_CASE("a mark is read at its pixel where black shines and white is dim", "[render]") {
  TestPicture picture = whole_card();
  for (int y = 0; y < canvas_px.height; ++y)
    for (int x = 0; x < canvas_px.width; ++x)
      for (int channel = 0; channel < 3; ++channel) {
        std::uint8_t& level = picture.view().pixel(x, y)[channel];
        level = static_cast<std::uint8_t>(60 + level / 2 + (x + y) % 3);  // 60 to 189, with noise
      }
  for (const PointF off : {PointF{0, 0}, {3.4, -2.6}, {-4, 4}}) {
    const PointF at = centre_of({3, 2});
    check_seen(picture.view(), unscaled({at.x + off.x, at.y + off.y}), {3, 2}, at, 0.1);
  }
}

TEST_CASE("marks far out on a large canvas are told from each other", "[render]") {
  for (const CardPlace place : {CardPlace{255, 254}, {128, 1}, {1, 128}, {0, 0}, {77, 200}}) {
    TestPicture picture({40, 40});
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 40; ++x) {
        const bool inside = std::max(std::abs(x - 20), std::abs(y - 20)) <= card_mark_px / 2;
        const std::uint8_t level = inside && card_mark_is_white(place, x - 20, y - 20) ? 255 : 0;
        for (int channel = 0; channel < 3; ++channel) picture.view().pixel(x, y)[channel] = level;
      }
    check_seen(picture.view(), unscaled({20.5, 20.5}), place, {20.5, 20.5}, 1e-9);
  }
}

TEST_CASE("a panel's card is the crop of the canvas's", "[render]") {
  const TestPicture whole = whole_card();
  const TestPicture part = card({200, 150}, {173, 88, 200, 150});
  int wrong = 0;
  for (int y = 0; y < 150; ++y)
    for (int x = 0; x < 200; ++x)
      wrong += pixel_at(part.view(), {x, y}) != pixel_at(whole.view(), {x + 173, y + 88});
  CHECK(wrong == 0);
}

TEST_CASE("marks are read where the card is drawn larger or smaller", "[render]") {
  const TestPicture picture = card({960, 300}, {0, 0, 640, 400});
  for (int column = 0; column < 6; ++column) {
    const PointF at = {centre_of({column, 1}).x * 1.5, centre_of({column, 1}).y * 0.75};
    check_seen(picture.view(), {at, {1.5, 0}, {0, 0.75}}, {column, 1}, at, 0.35);
  }
}

TEST_CASE("a mark that stands on its head is read by who expects that, and by nobody else",
          "[render]") {
  const TestPicture upright = whole_card();
  TestPicture turned(canvas_px);
  for (int y = 0; y < canvas_px.height; ++y)
    for (int x = 0; x < canvas_px.width; ++x)
      for (int channel = 0; channel < 4; ++channel)
        turned.view().pixel(canvas_px.width - 1 - x, canvas_px.height - 1 - y)[channel] =
            upright.view().pixel(x, y)[channel];
  const PointF at = {canvas_px.width - centre_of({2, 1}).x, canvas_px.height - centre_of({2, 1}).y};
  check_seen(turned.view(), {at, {-1, 0}, {0, -1}}, {2, 1}, at, 1e-9);
  CHECK_FALSE(read_card_mark(turned.view(), unscaled(at)));
}

TEST_CASE("the card's ramp goes from black at the left to white at the right", "[render]") {
  const TestPicture picture = whole_card();
  const RectPx ramp = card_ramp_px(canvas_px);
  for (int x = 30; x < canvas_px.width; ++x) {
    const std::uint8_t level = card_ramp_level(canvas_px, x);
    CHECK(pixel_at(picture.view(), {x, ramp.y + 3}) == Bgrx{level, level, level, 255});
  }
  CHECK(card_ramp_level(canvas_px, 0) == 0);
  CHECK(card_ramp_level(canvas_px, 639) == 255);
}

TEST_CASE("under each mark stands where it is", "[render]") {
  const TestPicture picture = whole_card();
  // Pixels with ink in the rows below a mark, from its middle pixel and column by column: bluer
  // than all fields, lines and circles.
  const auto ink_of_label = [&](PointPx mark) {
    std::vector<PointPx> ink;
    for (int dx = -40; dx <= 40; ++dx)
      for (int dy = 21; dy < 29; ++dy)
        if (pixel_at(picture.view(), {mark.x + dx, mark.y + dy})[0] > 140) ink.push_back({dx, dy});
    return ink;
  };
  const std::vector<PointPx> label = ink_of_label({150, 50});
  REQUIRE(label.size() > 30);
  CHECK(label.front().x >= -24);
  CHECK(label.back().x <= 24);
  CHECK(std::abs(label.front().x + label.back().x) <= 4);  // about the mark's middle
  CHECK(ink_of_label({250, 50}) != label);
  CHECK(ink_of_label({150, 150}) != label);
}

// The canvas is 640 by 430: the large circle has a radius of 193.5 px about (320, 215); the small
// ones, of 94.75 px, stand 193.5 px apart, the first about (96.75, 215).
TEST_CASE("the card's circles are round and centred", "[render]") {
  const TestPicture picture = whole_card();
  const auto is_circle = [&](int x, int y) {
    return pixel_at(picture.view(), {x, y}) == Bgrx{60, 190, 230, 255};
  };
  CHECK(is_circle(320, 21));
  CHECK(is_circle(320, 408));
  CHECK(is_circle(320 + 116, 215 + 154));  // 0.6 and 0.8 of the radius
  CHECK(is_circle(319 - 116, 214 - 154));
  CHECK(is_circle(96, 120));
  CHECK(is_circle(96, 309));
  CHECK(is_circle(290, 309));
  CHECK_FALSE(is_circle(320, 17));
  CHECK_FALSE(is_circle(320, 25));
  CHECK_FALSE(is_circle(96, 114));
  CHECK_FALSE(is_circle(96, 125));
  CHECK_FALSE(is_circle(220, 60));
}
