// Short texts in a picture, in letters enlarged by a whole number: sharp edges, and diagonals
// drawn as such.
#pragma once

#include <string_view>

#include "render/paint.hpp"

namespace tilewall::render {

/// Size of a line of text without the gap after its last letter. Every byte of `text` is one
/// letter.
[[nodiscard]] SizePx text_size_px(std::string_view text, int scale) noexcept;

/// The largest scale at which `text` fits into `room_px`; at least 1.
[[nodiscard]] int fitting_scale(std::string_view text, SizePx room_px) noexcept;

/// Draws text with its upper left corner at `at`. Parts outside of the picture are cut off.
void draw_text(const ImageView& picture, PointPx at, std::string_view text, int scale,
               Rgb color) noexcept;

/// Draws text centred on `x`, with its top at `y`.
void draw_text_centred(const ImageView& picture, PointPx top_centre, std::string_view text,
                       int scale, Rgb color) noexcept;

/// The letters of test patterns: 5x7 cells for ASCII 32 to 126.
inline constexpr int glyph_width = 5;
inline constexpr int glyph_height = 7;

/// Whether cell (x, y), y downwards, of the letter is set. Outside of the 5x7 cells: no. A letter
/// that the table does not have (UTF-8, control characters) is a box.
[[nodiscard]] bool glyph_cell(char letter, int x, int y) noexcept;

}  // namespace tilewall::render
