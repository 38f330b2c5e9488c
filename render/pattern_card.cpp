// The test card is a function of the canvas pixel alone, so every panel shows an exact crop, and
// moved, turned or stretched pictures can be read from its marks.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "render/canvas_map.hpp"
#include "render/card_mark.hpp"
#include "render/paint.hpp"
#include "render/pattern.hpp"
#include "render/text.hpp"

namespace tilewall::render {
namespace {

constexpr Rgb field_colors[] = {{22, 26, 34}, {34, 40, 50}};
constexpr Rgb line_color = {96, 108, 122};
constexpr Rgb circle_color = {230, 190, 60};
constexpr Rgb label_color = {150, 190, 220};
constexpr Rgb corner_colors[] = {{255, 40, 40}, {40, 220, 40}, {60, 90, 255}, {250, 220, 30}};

constexpr int corner_length_px = 24;
constexpr int corner_width_px = 3;
constexpr int label_top_px = 21;  // below the mark's middle pixel
constexpr int letter_step_px = glyph_width + 1;

/// The colour at a corner of the canvas: an angle on the outermost pixels, each corner with its own
/// colour.
const Rgb* corner_at(SizePx canvas, PointPx at) noexcept {
  const bool right = at.x >= canvas.width / 2;
  const bool low = at.y >= canvas.height / 2;
  const int x = right ? canvas.width - 1 - at.x : at.x;
  const int y = low ? canvas.height - 1 - at.y : at.y;
  if (std::max(x, y) >= corner_length_px || std::min(x, y) >= corner_width_px) return nullptr;
  return &corner_colors[(low ? 2 : 0) + (right ? 1 : 0)];
}

/// Whether the pixel lies on a circle, which is round where nothing is stretched: one as high as
/// the canvas, and as many small ones side by side as the canvas is wide.
bool on_circle(SizePx canvas, PointPx at) noexcept {
  const double radius = 0.45 * canvas.height;
  const double x = at.x + 0.5;
  const double y = at.y + 0.5 - canvas.height / 2.0;
  const auto near = [&](double centre_x, double around_px) {
    return std::abs(std::hypot(x - centre_x, y) - around_px) <= 1;
  };
  const double small = radius / 2;
  return near(canvas.width / 2.0, radius) ||
         near((std::floor(x / (2 * small)) + 0.5) * 2 * small, small - 2);
}

/// "1250,350" under a mark, `dx` and `dy` from its middle pixel.
bool on_label(PointPx mark, int dx, int dy) {
  const int row = dy - label_top_px;
  if (row < 0 || row >= glyph_height) return false;
  const std::string text = fmt::format("{},{}", mark.x, mark.y);
  const int from_left = dx + static_cast<int>(text.size()) * letter_step_px / 2;
  if (from_left < 0 || from_left >= static_cast<int>(text.size()) * letter_step_px) return false;
  return glyph_cell(text[static_cast<std::size_t>(from_left / letter_step_px)],
                    from_left % letter_step_px, row);
}

Rgb field_at(SizePx canvas, PointPx at, CardPlace place, PointPx mark) noexcept {
  if (const RectPx ramp = card_ramp_px(canvas); at.y >= ramp.y && at.y < ramp.bottom()) {
    const std::uint8_t level = card_ramp_level(canvas, at.x);
    return {level, level, level};
  }
  if (on_circle(canvas, at)) return circle_color;
  if (at.x == mark.x || at.y == mark.y) return line_color;
  return field_colors[(place.column + place.row) % 2];
}

Rgb card_color(SizePx canvas, PointPx at) {
  if (at.x < 0 || at.y < 0 || at.x >= canvas.width || at.y >= canvas.height) return black;
  if (const Rgb* corner = corner_at(canvas, at)) return *corner;
  const CardPlace place = {at.x / card_step_px, at.y / card_step_px};
  const PointPx mark = card_mark_at(place);
  const int dx = at.x - mark.x;
  const int dy = at.y - mark.y;
  if (std::max(std::abs(dx), std::abs(dy)) <= card_mark_px / 2)
    return card_mark_is_white(place, dx, dy) ? white : black;
  if (on_label(mark, dx, dy)) return label_color;
  return field_at(canvas, at, place, mark);
}

}  // namespace

RectPx card_ramp_px(SizePx canvas_px) noexcept {
  constexpr int height_px = 14;
  const int seam = (canvas_px.height / 2 + card_step_px / 2) / card_step_px * card_step_px;
  return {0, seam - height_px, canvas_px.width, height_px};
}

std::uint8_t card_ramp_level(SizePx canvas_px, int x) noexcept {
  return static_cast<std::uint8_t>(std::lround(255.0 * x / std::max(1, canvas_px.width - 1)));
}

void paint_card(const PatternInfo& info, const ImageView& picture) {
  const CanvasMap map(info, picture);
  const auto canvas_pixel = [](const AxisMap& axis, int pixel) {
    return static_cast<int>(std::floor(axis.to_canvas(pixel) + 0.5 + 1e-9));
  };
  for (int y = 0; y < picture.size_px.height; ++y) {
    const int canvas_y = canvas_pixel(map.y, y);
    for (int x = 0; x < picture.size_px.width; ++x)
      set_pixel(picture.pixel(x, y),
                card_color(info.canvas_px, {canvas_pixel(map.x, x), canvas_y}));
  }
}

}  // namespace tilewall::render
