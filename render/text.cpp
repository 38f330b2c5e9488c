#include "render/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "render/font.hpp"

namespace tilewall::render {
namespace {

constexpr char32_t no_letter = 0xFFFD;

/// Takes the first letter off a UTF-8 text that is not empty.
char32_t take_letter(std::string_view& text) noexcept {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte_at(0);
  const std::size_t more = first < 0x80   ? 0
                           : first < 0xC2 ? 4
                           : first < 0xE0 ? 1
                           : first < 0xF0 ? 2
                           : first < 0xF5 ? 3
                                          : 4;
  char32_t letter = more == 0 ? first : first & (0x3FU >> more);
  bool is_valid = more < 4 && text.size() > more;
  for (std::size_t i = 1; is_valid && i <= more; ++i) {
    is_valid = byte_at(i) >> 6 == 0b10;
    letter = letter << 6 | (byte_at(i) & 0x3FU);
  }
  // Longer forms of a letter than it needs, surrogates, and what lies beyond Unicode.
  constexpr std::array<char32_t, 4> least = {0, 0x80, 0x800, 0x10000};
  is_valid = is_valid && letter >= least[more] && letter <= 0x10FFFF && letter >> 11 != 0x1B;
  text.remove_prefix(is_valid ? more + 1 : 1);
  return is_valid ? letter : no_letter;
}

/// Calls visit(letter) for every letter.
template <typename Visit>
void for_letters(std::string_view text, const Visit& visit) {
  while (!text.empty()) visit(take_letter(text));
}

int capitals_px(double letter_px) { return std::max(1, static_cast<int>(std::lround(letter_px))); }

void blend_glyph(const ImageView& picture, PointPx at, const Glyph& glyph, Rgb color) noexcept {
  const RectPx place = {at.x, at.y, glyph.width_px, glyph.height_px};
  const RectPx inside = intersection(place, {0, 0, picture.size_px.width, picture.size_px.height});
  const std::array<int, 3> to = {color.blue, color.green, color.red};
  for (int y = inside.y; y < inside.bottom(); ++y) {
    const std::uint8_t* cover = glyph.coverage.data() +
                                static_cast<std::ptrdiff_t>(y - at.y) * glyph.width_px +
                                (inside.x - at.x);
    std::uint8_t* pixel = picture.pixel(inside.x, y);
    for (int x = inside.x; x < inside.right(); ++x, ++cover, pixel += 4) {
      if (*cover == 0) continue;
      for (std::size_t c = 0; c < to.size(); ++c) {
        const int mix = pixel[c] * (255 - *cover) + to[c] * *cover;
        pixel[c] = static_cast<std::uint8_t>((mix + 127) / 255);
      }
      pixel[3] = 255;
    }
  }
}

void draw_letters(const ImageView& picture, PointPx at, std::string_view text, double letter_px,
                  double rim_px, Rgb color) {
  Font& font = own_font();
  const int baseline = at.y + capitals_px(letter_px);
  for_letters(text, [&](char32_t letter) {
    const Glyph& glyph = font.glyph(letter, letter_px, rim_px);
    blend_glyph(picture, {at.x + glyph.left_px, baseline - glyph.rise_px}, glyph, color);
    at.x += glyph.advance_px;
  });
}

}  // namespace

SizePx text_size_px(std::string_view text, double letter_px) {
  int width = 0;
  for_letters(text,
              [&](char32_t letter) { width += own_font().glyph(letter, letter_px).advance_px; });
  return {width, capitals_px(letter_px)};
}

double fitting_letter_px(std::string_view text, SizePx room_px) {
  // Advances are whole pixels, so the width is nearly proportional to the size.
  constexpr double first_guess_px = 64;
  const int width = text_size_px(text, first_guess_px).width;
  double letter_px = room_px.height;
  if (width > 0) letter_px = std::min(letter_px, first_guess_px * room_px.width / width);
  letter_px = std::floor(letter_px);
  while (letter_px > 1 && text_size_px(text, letter_px).width > room_px.width) --letter_px;
  return std::max(letter_px, 1.0);
}

void draw_text(const ImageView& picture, PointPx at, std::string_view text, double letter_px,
               const TextInk& ink) {
  // All rims first, so that none covers the letter beside it.
  if (ink.rim_px > 0) draw_letters(picture, at, text, letter_px, ink.rim_px, ink.rim);
  draw_letters(picture, at, text, letter_px, 0, ink.letters);
}

void draw_text(const ImageView& picture, PointPx at, std::string_view text, double letter_px,
               Rgb color) {
  draw_letters(picture, at, text, letter_px, 0, color);
}

void draw_text_centred(const ImageView& picture, PointPx top_centre, std::string_view text,
                       double letter_px, Rgb color) {
  draw_text(picture, {top_centre.x - text_size_px(text, letter_px).width / 2, top_centre.y}, text,
            letter_px, color);
}

}  // namespace tilewall::render
