#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/canvas_map.hpp"
#include "render/paint.hpp"
#include "render/pattern.hpp"
#include "render/text.hpp"

namespace tilewall::render {
namespace {

constexpr Rgb even_panel = {16, 30, 52};
constexpr Rgb odd_panel = {40, 24, 56};
constexpr Rgb grid_color = {90, 120, 150};
constexpr Rgb diagonal_color = {250, 170, 60};
constexpr Rgb circle_color = {80, 220, 170};
constexpr Rgb label_color = {190, 215, 235};

/// Colours of an analogue test card, at three quarters.
constexpr Rgb bars[] = {{191, 191, 191}, {191, 191, 0}, {0, 191, 191}, {0, 191, 0},
                        {191, 0, 191},   {191, 0, 0},   {0, 0, 191},   {0, 0, 0}};

/// Figures on the canvas, seen through this panel: grid, diagonals, circles about the centre.
class CanvasFigures {
 public:
  explicit CanvasFigures(const PatternInfo& info)
      : grid_px_(grid_step_px(info.panel_on_canvas_px)),
        ring_px_(std::max(info.canvas_px.height / 4, 1)),
        width_px_(std::max(1.0, info.panel_on_canvas_px.height / 300)),
        centre_x_((info.canvas_px.width - 1) / 2.0),
        centre_y_((info.canvas_px.height - 1) / 2.0) {}

  [[nodiscard]] Rgb over(Rgb under, double x, double y) const {
    const double dx = x - centre_x_;
    const double dy = y - centre_y_;
    const double grid = std::max(line_share(x, grid_px_, 1), line_share(y, grid_px_, 1));
    const double diagonal = std::max(diagonal_share(dx + dy), diagonal_share(dx - dy));
    const double ring = line_share(std::hypot(dx, dy), ring_px_, width_px_);
    return mixed(mixed(mixed(under, grid_color, 0.45 * grid), diagonal_color, 0.8 * diagonal),
                 circle_color, 0.8 * ring);
  }

 private:
  /// The two diagonals through the centre repeat twice a canvas height: every panel has some.
  [[nodiscard]] double diagonal_share(double along) const {
    return line_share(along / std::sqrt(2.0), 2 * ring_px_ / std::sqrt(2.0), width_px_);
  }

  double grid_px_;
  double ring_px_;
  double width_px_;
  double centre_x_;
  double centre_y_;
};

void paint_figures(const PatternInfo& info, const ImageView& picture) {
  const CanvasMap map(info, picture);
  const CanvasFigures figures(info);
  const Rgb ground = (info.column + info.row) % 2 == 0 ? even_panel : odd_panel;
  for (int y = 0; y < picture.size_px.height; ++y)
    for (int x = 0; x < picture.size_px.width; ++x)
      set_pixel(picture.pixel(x, y), figures.over(ground, map.x.to_canvas(x), map.y.to_canvas(y)));
}

/// Paints an arrow that points up for the viewer, as wide as it is high.
void paint_up_arrow(const ImageView& picture, PointPx tip, int height) {
  for (int row = 0; row < height; ++row) {
    const bool head = row < height / 2;
    const int half_width = head ? row : height / 5;
    fill(picture, {tip.x - half_width, tip.y + row, 2 * half_width + 1, 1}, white);
  }
}

void paint_bars(const ImageView& picture, const RectPx& place) {
  const int count = static_cast<int>(std::size(bars));
  for (int i = 0; i < count; ++i) {
    const int left = place.x + place.width * i / count;
    const int right = place.x + place.width * (i + 1) / count;
    fill(picture, {left, place.y, right - left, place.height / 2}, bars[i]);
  }
  for (int x = 0; x < place.width; ++x) {
    const auto gray = static_cast<std::uint8_t>(x * 255 / std::max(place.width - 1, 1));
    fill(picture, {place.x + x, place.y + place.height / 2, 1, place.height / 2},
         {gray, gray, gray});
  }
}

/// Writes each corner's canvas coordinates: those of the pixel in the corner.
void paint_corners(const PatternInfo& info, const ImageView& picture, int scale) {
  const CanvasMap map(info, picture);
  const SizePx size = picture.size_px;
  const int margin = 4 * scale;
  for (const bool right : {false, true}) {
    for (const bool low : {false, true}) {
      const std::string text =
          fmt::format("{:.0f},{:.0f}", map.x.to_canvas(right ? size.width - 1 : 0),
                      map.y.to_canvas(low ? size.height - 1 : 0));
      const SizePx room = text_size_px(text, 7 * scale);
      draw_text(picture,
                {right ? size.width - margin - room.width : margin,
                 low ? size.height - margin - room.height : margin},
                text, 7 * scale, white);
    }
  }
}

/// Writes the labels centred, from `top` downwards.
void paint_labels(const PatternInfo& info, const ImageView& picture, int top, int scale) {
  const SizePx size = picture.size_px;
  const std::array<std::string, 2> lines = {
      info.host.empty() ? "this machine" : info.host,
      fmt::format("column {} row {}  {}x{}", info.column, info.row, size.width, size.height)};
  for (const std::string& line : lines) {
    draw_text_centred(picture, {size.width / 2, top}, line, 7 * scale, label_color);
    top += 11 * scale;
  }
}

}  // namespace

void paint_identify(const PatternInfo& info, const ImageView& picture) {
  const SizePx size = picture.size_px;
  paint_figures(info, picture);
  const int small = std::max(1, std::min(size.width / 250, size.height / 150));
  const double big_px = fitting_letter_px(info.panel, {size.width * 7 / 10, size.height / 4});
  const int name_top = size.height * 30 / 100;
  const int name_height = text_size_px(info.panel, big_px).height;
  const int labels_top = name_top + name_height + 6 * small;
  tint(picture,
       {size.width / 10, size.height * 7 / 100, size.width * 8 / 10, size.height * 86 / 100}, black,
       0.5);
  paint_up_arrow(picture, {size.width / 2, size.height * 11 / 100}, size.height * 15 / 100);
  draw_text_centred(picture, {size.width / 2, name_top}, info.panel, big_px, white);
  paint_labels(info, picture, labels_top, small);
  paint_bars(picture, {size.width * 15 / 100, size.height * 76 / 100, size.width * 70 / 100,
                       size.height * 12 / 100});
  paint_corners(info, picture, small);
  outline(picture, {0, 0, size.width, size.height}, 1, white);
}

}  // namespace tilewall::render
