#include "render/text.hpp"

#include <algorithm>

#include "render/glyphs.hpp"

namespace tilewall {
namespace {

constexpr int advance_cells = glyph_width + 1;

/// Whether the letter covers point (u, v) of cell (x, y), 0..scale-1 each. Where two set cells
/// touch at a corner only, the empty cells beside that corner are cut across, so that diagonals
/// have no steps.
bool covers(char letter, int x, int y, int u, int v, int scale) noexcept {
  if (glyph_cell(letter, x, y)) return true;
  const int side_x = 2 * u < scale ? -1 : 1;
  const int side_y = 2 * v < scale ? -1 : 1;
  const bool touches = glyph_cell(letter, x + side_x, y) && glyph_cell(letter, x, y + side_y) &&
                       !glyph_cell(letter, x + side_x, y + side_y);
  const int from_corner = (side_x < 0 ? u : scale - 1 - u) + (side_y < 0 ? v : scale - 1 - v);
  return touches && 2 * from_corner < scale - 1;
}

void draw_letter(const ImageView& picture, PointPx at, char letter, int scale, Rgb color) noexcept {
  const RectPx place = {at.x, at.y, glyph_width * scale, glyph_height * scale};
  const RectPx inside = intersection(place, {0, 0, picture.size_px.width, picture.size_px.height});
  for (int y = inside.y; y < inside.bottom(); ++y) {
    for (int x = inside.x; x < inside.right(); ++x) {
      const int dx = x - at.x;
      const int dy = y - at.y;
      if (covers(letter, dx / scale, dy / scale, dx % scale, dy % scale, scale))
        set_pixel(picture.pixel(x, y), color);
    }
  }
}

}  // namespace

SizePx text_size_px(std::string_view text, int scale) noexcept {
  const int cells = static_cast<int>(text.size()) * advance_cells - (text.empty() ? 0 : 1);
  return {cells * scale, glyph_height * scale};
}

int fitting_scale(std::string_view text, SizePx room_px) noexcept {
  const SizePx one = text_size_px(text, 1);
  return std::max(1, std::min(room_px.width / std::max(one.width, 1), room_px.height / one.height));
}

void draw_text(const ImageView& picture, PointPx at, std::string_view text, int scale,
               Rgb color) noexcept {
  for (const char letter : text) {
    draw_letter(picture, at, letter, scale, color);
    at.x += advance_cells * scale;
  }
}

void draw_text_centred(const ImageView& picture, PointPx top_centre, std::string_view text,
                       int scale, Rgb color) noexcept {
  draw_text(picture, {top_centre.x - text_size_px(text, scale).width / 2, top_centre.y}, text,
            scale, color);
}

}  // namespace tilewall
