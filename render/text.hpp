// Lines of text in a picture, in the one font (font.hpp). Texts are UTF-8; a byte that is none is
// drawn as U+FFFD. Sizes are the height of capitals in pixels; what hangs below the baseline, as in
// "g", takes another quarter of that height.
//
// Threads: any; each thread keeps glyphs of its own.
#pragma once

#include <string_view>

#include "render/paint.hpp"

namespace tilewall::render {

/// Colours of letters on any ground: a rim of the other colour sets them off.
struct TextInk {
  Rgb letters = white;
  Rgb rim = black;
  double rim_px = 0;  ///< 0: no rim
};

/// Width of a line of text, with the height of its capitals.
[[nodiscard]] SizePx text_size_px(std::string_view text, double letter_px);

/// The largest size at which `text` fits into `room_px`; at least 1.
[[nodiscard]] double fitting_letter_px(std::string_view text, SizePx room_px);

/// Draws text with the upper left corner of its capitals at `at`. Parts outside of the picture are
/// cut off.
void draw_text(const ImageView& picture, PointPx at, std::string_view text, double letter_px,
               const TextInk& ink);
void draw_text(const ImageView& picture, PointPx at, std::string_view text, double letter_px,
               Rgb color);

/// Draws text centred on `x`, with the top of its capitals at `y`.
void draw_text_centred(const ImageView& picture, PointPx top_centre, std::string_view text,
                       double letter_px, Rgb color);

}  // namespace tilewall::render
