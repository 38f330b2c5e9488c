// Letters in a picture: their cells, their cut corners, and where a line of text lies.

#include "render/text.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::render;

namespace {

constexpr Rgb letter_color{200, 100, 50};

bool is_set(const TestPicture& picture, int x, int y) {
  return pixel_at(picture.view(), {x, y})[1] == 100;
}

/// A letter at the corner of a picture, on black.
TestPicture letter_picture(char letter, int scale) {
  TestPicture picture({glyph_width * scale, glyph_height * scale});
  const ImageView view = picture.view();
  for (int y = 0; y < view.size_px.height; ++y)
    std::fill_n(view.row(y), 4 * view.size_px.width, std::uint8_t{0});
  draw_text(view, {0, 0}, std::string_view(&letter, 1), scale, letter_color);
  return picture;
}

}  // namespace

TEST_CASE("a letter's cells are painted whole, and corners between two cells cut across",
          "[pattern]") {
  constexpr int scale = 5;
  // The three pixels of a corner that lie less than half a cell from it.
  constexpr PointPx near_corner[] = {{0, 0}, {1, 0}, {0, 1}};
  int cut_corners = 0;
  for (char letter = '!'; letter <= '~'; ++letter) {
    const TestPicture picture = letter_picture(letter, scale);
    int wrong = 0;
    for (int y = 0; y < glyph_height; ++y)
      for (int x = 0; x < glyph_width; ++x) {
        bool expected[scale][scale] = {};
        for (auto& row : expected) std::fill_n(row, scale, glyph_cell(letter, x, y));
        for (const int side_x : {-1, 1})
          for (const int side_y : {-1, 1}) {
            const bool touches = glyph_cell(letter, x + side_x, y) &&
                                 glyph_cell(letter, x, y + side_y) &&
                                 !glyph_cell(letter, x + side_x, y + side_y);
            if (!touches || glyph_cell(letter, x, y)) continue;
            ++cut_corners;
            for (const PointPx& at : near_corner)
              expected[side_y < 0 ? at.y : scale - 1 - at.y][side_x < 0 ? at.x : scale - 1 - at.x] =
                  true;
          }
        for (int v = 0; v < scale; ++v)
          for (int u = 0; u < scale; ++u)
            wrong += is_set(picture, x * scale + u, y * scale + v) != expected[v][u] ? 1 : 0;
      }
    CAPTURE(letter);
    CHECK(wrong == 0);
  }
  CHECK(cut_corners > 100);
}

TEST_CASE("a line of text has a column between letters, and none after the last", "[pattern]") {
  CHECK(text_size_px("", 3) == SizePx{0, 21});
  CHECK(text_size_px("a", 1) == SizePx{5, 7});
  CHECK(text_size_px("abc", 2) == SizePx{2 * (3 * 6 - 1), 14});
  CHECK(fitting_scale("abc", {34, 14}) == 2);
  CHECK(fitting_scale("abc", {33, 14}) == 1);
  CHECK(fitting_scale("abc", {34, 13}) == 1);
  CHECK(fitting_scale("abc", {1, 1}) == 1);
  CHECK(fitting_scale("abc", {51, 100}) == 3);
  CHECK(fitting_scale("", {10, 70}) == 10);
}

TEST_CASE("text outside of a picture is cut off, and centred text lies about its middle",
          "[pattern]") {
  TestPicture picture({40, 20});
  const ImageView view = picture.view();
  for (int y = 0; y < 20; ++y) std::fill_n(view.row(y), 160, std::uint8_t{0});
  draw_text(view, {-3, -4}, "HH", 2, letter_color);
  draw_text(view, {36, 15}, "HH", 2, letter_color);
  CHECK(picture.padding_untouched());
  for (int y = 0; y < 20; ++y) std::fill_n(view.row(y), 160, std::uint8_t{0});
  draw_text_centred(view, {20, 5}, "HH", 1, letter_color);  // 11 columns from 15 on
  // The left and right strokes of both letters.
  for (const int x : {15, 19, 21, 25}) CHECK(is_set(picture, x, 5));
  for (const int x : {14, 16, 20, 26}) CHECK_FALSE(is_set(picture, x, 5));
  CHECK_FALSE(is_set(picture, 15, 4));
  CHECK(is_set(picture, 15, 11));
  CHECK_FALSE(is_set(picture, 15, 12));
}

TEST_CASE("a text is centred as wide as it is drawn", "[text]") {
  TestPicture picture({40, 30});
  const ImageView view = picture.view();
  for (int y = 0; y < 30; ++y) std::fill_n(view.row(y), 160, std::uint8_t{0});
  draw_text_centred(view, {20, 5}, "HH", 2, letter_color);  // 22 columns from 9 on
  for (const int x : {9, 10, 17, 18, 21, 22, 29, 30}) CHECK(is_set(picture, x, 5));
  for (const int x : {8, 11, 20, 23, 31}) CHECK_FALSE(is_set(picture, x, 5));
}
