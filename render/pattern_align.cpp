// pattern:align shows whether panels hang where the wall file has them, and show their pixels one
// to one and completely.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "render/canvas_map.hpp"
#include "render/paint.hpp"
#include "render/pattern.hpp"
#include "render/text.hpp"

namespace tilewall::render {
namespace {

constexpr Rgb ground = {8, 10, 14};
constexpr Rgb line_color = {110, 130, 150};
constexpr Rgb diagonal_color = {250, 170, 60};
constexpr Rgb circle_color = {80, 220, 170};
constexpr Rgb edge_color = {255, 80, 80};
constexpr Rgb ruler_color = {255, 255, 255};

/// Figures that go on from panel to panel: the canvas's diagonals, and circles about its centre,
/// one and two pixels wide, so that a step of one pixel at a bezel is visible.
class CanvasLines {
 public:
  explicit CanvasLines(const PatternInfo& info)
      : ring_px_(std::max(info.canvas_px.height / 4.0, 1.0)),
        slope_(static_cast<double>(info.canvas_px.height) / std::max(info.canvas_px.width, 1)),
        slope_cosine_(1 / std::hypot(1, slope_)),
        centre_x_((info.canvas_px.width - 1) / 2.0),
        centre_y_((info.canvas_px.height - 1) / 2.0) {}

  [[nodiscard]] Rgb over(Rgb under, double x, double y) const {
    const double dx = x - centre_x_;
    const double dy = y - centre_y_;
    const double off_diagonal =
        std::min(std::abs(dy - slope_ * dx), std::abs(dy + slope_ * dx)) * slope_cosine_;
    const double diagonal = std::clamp(1.5 - off_diagonal, 0.0, 1.0);
    const double ring = line_share(std::sqrt(dx * dx + dy * dy), ring_px_, 2);
    return mixed(mixed(under, diagonal_color, diagonal), circle_color, ring);
  }

 private:
  double ring_px_;
  double slope_;
  double slope_cosine_;
  double centre_x_, centre_y_;
};

/// For each pixel along an axis, how much of it a line covers: one at each quarter of the panel.
std::vector<double> quarter_lines(const AxisMap& axis, double panel_start_px, double panel_px) {
  std::vector<double> shares;
  shares.reserve(static_cast<std::size_t>(axis.picture_px()));
  for (int pixel = 0; pixel < axis.picture_px(); ++pixel)
    shares.push_back(line_share(axis.to_canvas(pixel) - panel_start_px, panel_px / 4, 1));
  return shares;
}

void paint_lines(const PatternInfo& info, const ImageView& picture) {
  const CanvasMap map(info, picture);
  const CanvasLines lines(info);
  const RectF& panel = info.panel_on_canvas_px;
  const std::vector<double> columns = quarter_lines(map.x, panel.x, panel.width);
  const std::vector<double> rows = quarter_lines(map.y, panel.y, panel.height);
  for (int y = 0; y < picture.size_px.height; ++y) {
    const double row = rows[static_cast<std::size_t>(y)];
    for (int x = 0; x < picture.size_px.width; ++x) {
      const double grid = std::max(row, columns[static_cast<std::size_t>(x)]);
      set_pixel(picture.pixel(x, y), lines.over(mixed(ground, line_color, grid), map.x.to_canvas(x),
                                                map.y.to_canvas(y)));
    }
  }
}

/// Every other pixel, every other column, every other row: even gray where pixels are shown one to
/// one, waves or blocks where anything scales them.
void paint_pixel_patches(const ImageView& picture, PointPx at, int side) {
  const RectPx whole = {0, 0, picture.size_px.width, picture.size_px.height};
  for (int patch = 0; patch < 3; ++patch) {
    const RectPx place = intersection({at.x + patch * (side + side / 4), at.y, side, side}, whole);
    for (int y = place.y; y < place.bottom(); ++y)
      for (int x = place.x; x < place.right(); ++x) {
        const int phase = patch == 0 ? x + y : patch == 1 ? x : y;
        set_pixel(picture.pixel(x, y), phase % 2 == 0 ? white : black);
      }
  }
}

/// Millimetres along an axis of the panel, from its middle outwards to both sides.
class Ruler {
 public:
  Ruler(double lit_mm, int length_px) : px_per_mm_(length_px / lit_mm), length_px_(length_px) {}

  [[nodiscard]] int half_mm() const { return static_cast<int>(length_px_ / 2.0 / px_per_mm_); }
  [[nodiscard]] int at_px(int mm) const {
    return static_cast<int>(std::floor(length_px_ / 2.0 + mm * px_per_mm_));
  }
  /// How long the mark at `mm` is: 0 = none there.
  [[nodiscard]] int mark_px(int mm, int unit_px) const {
    if (mm % 100 == 0) return 6 * unit_px;
    if (mm % 10 == 0 && 10 * px_per_mm_ >= 4) return 4 * unit_px;
    if (mm % 5 == 0 && 5 * px_per_mm_ >= 4) return 3 * unit_px;
    return px_per_mm_ >= 3 ? 2 * unit_px : 0;
  }

 private:
  double px_per_mm_;
  int length_px_;
};

void paint_rulers(const PatternInfo& info, const ImageView& picture, int unit_px) {
  if (info.lit_width_mm <= 0 || info.lit_height_mm <= 0) return;
  const SizePx size = picture.size_px;
  const Ruler across(info.lit_width_mm, size.width);
  const int y = size.height * 62 / 100;
  for (int mm = -across.half_mm(); mm <= across.half_mm(); ++mm) {
    fill(picture, {across.at_px(mm), y, 1, across.mark_px(mm, unit_px)}, ruler_color);
    if (mm % 100 == 0)
      draw_text_centred(picture, {across.at_px(mm), y + 8 * unit_px}, std::to_string(mm),
                        7 * unit_px, ruler_color);
  }
  const Ruler down(info.lit_height_mm, size.height);
  const int x = size.width * 4 / 100;
  for (int mm = -down.half_mm(); mm <= down.half_mm(); ++mm) {
    fill(picture, {x, down.at_px(mm), down.mark_px(mm, unit_px), 1}, ruler_color);
    const bool whole = down.at_px(mm) > 8 * unit_px && down.at_px(mm) < size.height - 8 * unit_px;
    if (mm % 100 == 0 && whole)
      draw_text(picture, {x + 9 * unit_px, down.at_px(mm) - 3 * unit_px}, std::to_string(mm),
                7 * unit_px, ruler_color);
  }
}

/// The outermost pixels, and inside of them one black and one white line, so that pixels which a
/// frame or an overscan hides can be counted.
void paint_edges(const ImageView& picture) {
  const SizePx size = picture.size_px;
  const auto ring = [&](int inset, Rgb color) {
    outline(picture, {inset, inset, size.width - 2 * inset, size.height - 2 * inset}, 1, color);
  };
  ring(1, black);
  ring(2, white);
  ring(0, edge_color);
}

/// Brackets that point into the four corners, one step of a staircase each pixel.
void paint_corners(const ImageView& picture, int length_px) {
  const SizePx size = picture.size_px;
  for (int step = 0; step < length_px; ++step) {
    const int left = 4 + step;
    const int right = size.width - 5 - step;
    for (const int y : {4 + step, size.height - 5 - step}) {
      fill(picture, {left, y, 1, 1}, white);
      fill(picture, {right, y, 1, 1}, white);
    }
  }
}

}  // namespace

void paint_align(const PatternInfo& info, const ImageView& picture) {
  const SizePx size = picture.size_px;
  const int unit = std::max(1, std::min(size.width / 400, size.height / 250));
  paint_lines(info, picture);
  paint_rulers(info, picture, unit);
  const int side = std::max(8, size.height / 10) / 2 * 2;
  paint_pixel_patches(picture, {size.width * 62 / 100, size.height * 10 / 100}, side);
  paint_edges(picture);
  paint_corners(picture, std::max(8, size.height / 16));
  const double name_px =
      fitting_letter_px(info.panel, {size.width * 24 / 100, size.height * 14 / 100});
  draw_text(picture, {size.width * 27 / 100, size.height * 10 / 100}, info.panel, name_px, white);
  const std::string what = info.lit_width_mm > 0
                               ? fmt::format("{}x{} px  {:.1f}x{:.1f} mm", size.width, size.height,
                                             info.lit_width_mm, info.lit_height_mm)
                               : fmt::format("{}x{} px", size.width, size.height);
  draw_text(picture, {size.width * 27 / 100, size.height * 82 / 100}, what, 7 * unit, white);
}

}  // namespace tilewall::render
