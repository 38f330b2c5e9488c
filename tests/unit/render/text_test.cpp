// Texts in a picture: ink where it is expected and nowhere else, rims, and what no font file is.

#include "render/text.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "render/font.hpp"
#include "sync/base/error.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::render;

namespace {

constexpr Rgb letter_color{200, 100, 50};

/// A picture of one colour, and the rectangle of the pixels that are another one.
struct Sheet {
  explicit Sheet(SizePx size, Rgb ground_color = black) : ground(ground_color), picture(size) {
    fill(picture.view(), ground);
  }
  [[nodiscard]] bool has_ink(int x, int y) const {
    const Bgrx at = pixel_at(picture.view(), {x, y});
    return at[0] != ground.blue || at[1] != ground.green || at[2] != ground.red;
  }
  [[nodiscard]] RectPx ink() const {
    const SizePx size = picture.view().size_px;
    int left = size.width;
    int top = size.height;
    int right = 0;
    int bottom = 0;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        if (!has_ink(x, y)) continue;
        left = std::min(left, x);
        top = std::min(top, y);
        right = std::max(right, x + 1);
        bottom = std::max(bottom, y + 1);
      }
    return right == 0 ? RectPx{} : RectPx{left, top, right - left, bottom - top};
  }

  Rgb ground;
  TestPicture picture;
};

/// Ink of a text whose capitals are 28 pixels high, with their corner at (40, 40).
RectPx ink_of(std::string_view text) {
  const Sheet sheet({400, 120});
  draw_text(sheet.picture.view(), {40, 40}, text, 28, white);
  return sheet.ink();
}

std::vector<std::uint8_t> shape_of(std::string_view letter) {
  const Sheet sheet({40, 40});
  draw_text(sheet.picture.view(), {8, 8}, letter, 16, white);
  std::vector<std::uint8_t> shape;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x) shape.push_back(pixel_at(sheet.picture.view(), {x, y})[1]);
  return shape;
}

}  // namespace

TEST_CASE("capitals are as high as asked, and stand on one baseline", "[pattern]") {
  for (const char* flat : {"H", "E", "T", "L", "HLT"}) {
    CAPTURE(flat);
    CHECK(std::abs(ink_of(flat).y - 40) <= 1);
    CHECK(std::abs(ink_of(flat).bottom() - 68) <= 1);
  }
  CHECK(ink_of("x").y > 44);  // lower letters are lower
  CHECK(std::abs(ink_of("x").bottom() - 68) <= 1);
  CHECK(ink_of("g").bottom() > 71);  // and hang below the line, by less than the page says
  CHECK(ink_of("gjpqy").bottom() <= 68 + 28 / 3);
  CHECK(ink_of(" ").empty());
  CHECK(ink_of("-").height < 8);
}

TEST_CASE("a line's width is the sum of its letters', and its ink keeps to it", "[pattern]") {
  for (const double size : {7.0, 12.5, 40.0}) {
    const auto width = [&](std::string_view text) { return text_size_px(text, size).width; };
    CAPTURE(size);
    CHECK(width("") == 0);
    CHECK(width("HiM") == width("H") + width("i") + width("M"));
    CHECK(width("M") > width("i"));
    for (char digit = '0'; digit <= '9'; ++digit)  // numbers that run do not tremble
      CHECK(width(std::string(1, digit)) == width("0"));
  }
  const int width = text_size_px("Wall 17", 28).width;
  const RectPx ink = ink_of("Wall 17");
  CHECK(ink.x >= 39);
  CHECK(ink.right() <= 40 + width + 1);
  CHECK(ink.width > width * 8 / 10);
}

TEST_CASE("the fitting size fits, and the next one does not", "[pattern]") {
  for (const SizePx room : {SizePx{300, 100}, {100, 300}, {50, 9}, {37, 200}}) {
    const double fits = fitting_letter_px("c1r2", room);
    CAPTURE(room.width, room.height, fits);
    CHECK(text_size_px("c1r2", fits).width <= room.width);
    CHECK(fits <= room.height);
    const bool is_most =
        fits + 1 > room.height || text_size_px("c1r2", fits + 2).width > room.width;
    CHECK(is_most);
  }
  CHECK(fitting_letter_px("abc", {1, 1}) == 1);
  CHECK(fitting_letter_px("", {10, 70}) == 70);
}

TEST_CASE("letters, Greek ones and superscripts differ, and unknown ones are one box",
          "[pattern]") {
  std::set<std::vector<std::uint8_t>> shapes;
  for (char letter = 33; letter <= 126; ++letter) shapes.insert(shape_of(std::string(1, letter)));
  for (const char* letter : {"\u03b1", "\u03c1", "\u03a9", "\u00b5", "\u00b2", "\u00b3", "\u2074",
                             "\u207b", "\u00d7", "\u00b0", "\u2212", "\u00c4"})
    shapes.insert(shape_of(letter));
  CHECK(shapes.size() == 94 + 12);
  const auto box = shape_of("\U000e0123");  // a place of Unicode without a letter
  CHECK(std::ranges::count(box, 255) > 10);
  CHECK_FALSE(shapes.contains(box));
  CHECK(shape_of("\x01") == box);
}

TEST_CASE("bytes that are no UTF-8 are drawn as what stands for them", "[pattern]") {
  const auto stands_for = shape_of("\ufffd");
  const int width = text_size_px("\ufffd", 16).width;
  // Cut letters, a lone continuation, a longer form than needed, a surrogate, beyond Unicode.
  for (const char* bytes : {"\xc3", "\x80", "\xff"}) CHECK(shape_of(bytes) == stands_for);
  for (const std::string_view bytes : {"\xe2\x82", "\xc0\x80"})
    CHECK(text_size_px(bytes, 16).width == 2 * width);
  CHECK(text_size_px("\xed\xa0\x80", 16).width == 3 * width);
  CHECK(text_size_px("\xf4\x90\x80\x80", 16).width == 4 * width);
  CHECK(text_size_px("\xc3\xa4", 16).width == text_size_px("a", 16).width);
}

TEST_CASE("text outside of a picture is cut off, and centred text lies about its middle",
          "[pattern]") {
  const Sheet sheet({40, 20});
  const ImageView view = sheet.picture.view();
  draw_text(view, {-3, -4}, "HH", 14, letter_color);
  draw_text(view, {36, 15}, "HH", 14, letter_color);
  draw_text(view, {-400, 5}, "HH", 14, letter_color);
  CHECK(sheet.picture.padding_untouched());
  CHECK(sheet.has_ink(0, 5));
  CHECK(sheet.has_ink(38, 18));
}

TEST_CASE("a text is centred as wide as it is drawn", "[text]") {
  for (const double size : {14.0, 28.0}) {
    const Sheet sheet({200, 60});
    draw_text_centred(sheet.picture.view(), {100, 10}, "HMH", size, letter_color);
    const RectPx ink = sheet.ink();
    CAPTURE(size, ink.x, ink.width);
    CHECK(std::abs(ink.x + ink.right() - 200) <= 3);
  }
}

TEST_CASE("a rim sets letters off on black and on white", "[pattern]") {
  for (const Rgb ground : {black, white, Rgb{128, 128, 128}}) {
    const Sheet sheet({300, 80}, ground);
    draw_text(sheet.picture.view(), {20, 20}, "H", 40, TextInk{white, black, 4});
    // Along a row through the left stroke: rim, letter, rim.
    bool has_white = false;
    int rim_before = 0;
    int rim_after = 0;
    for (int x = 0; x < 300; ++x) {
      const int level = pixel_at(sheet.picture.view(), {x, 30})[1];
      has_white |= level == 255 && rim_before > 0;
      if (level == 0) ++(has_white ? rim_after : rim_before);
    }
    CAPTURE(ground.red);
    CHECK(has_white);
    if (ground == black) continue;
    CHECK(rim_before >= 3);
    CHECK(rim_after >= 3);
  }
}

TEST_CASE("without a rim nothing of its colour is drawn", "[pattern]") {
  const Sheet plain({200, 60});
  const Sheet without({200, 60});
  draw_text(plain.picture.view(), {8, 8}, "Sag ja", 24, letter_color);
  draw_text(without.picture.view(), {8, 8}, "Sag ja", 24, TextInk{letter_color, white, 0});
  int differing = 0;
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 200; ++x)
      if (pixel_at(plain.picture.view(), {x, y}) != pixel_at(without.picture.view(), {x, y}))
        ++differing;
  CHECK(differing == 0);
}

TEST_CASE("a damaged font file is refused in one line", "[pattern]") {
  const auto refusal = [](std::span<const std::byte> bytes) -> std::string {
    try {
      Font(bytes, "Some.ttf");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string expected =
      "Some.ttf: font: expected a scalable font that FreeType reads, found ";
  std::vector<std::byte> garbage(4096, std::byte{0x5a});
  const std::string line = refusal(garbage);
  CHECK(line.starts_with(expected + "FreeType's error "));
  CHECK(line.find('\n') == std::string::npos);
  CHECK(refusal({}).starts_with(expected));
  for (const std::byte next : {std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}}) {
    std::rotate(garbage.begin(), garbage.begin() + 1, garbage.end());
    garbage.back() = next;
  }
  std::rotate(garbage.rbegin(), garbage.rbegin() + 4, garbage.rend());  // the magic of TrueType
  CHECK(refusal(garbage).starts_with(expected));
}
