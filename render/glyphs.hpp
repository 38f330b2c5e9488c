// The letters of test patterns: 5x7 cells for ASCII 32 to 126.
#pragma once

namespace tilewall {

inline constexpr int glyph_width = 5;
inline constexpr int glyph_height = 7;

/// Whether cell (x, y), y downwards, of the letter is set. Outside of the 5x7 cells: no. A letter
/// that the table does not have (UTF-8, control characters) is a box.
[[nodiscard]] bool glyph_cell(char letter, int x, int y) noexcept;

}  // namespace tilewall
