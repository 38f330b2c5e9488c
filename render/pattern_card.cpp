// The test card is a function of the canvas pixel alone, so every panel shows an exact crop, and
// moved, turned or stretched pictures can be read from its marks.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

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
constexpr int label_letter_px = 8;
constexpr int label_rows = label_letter_px + 3;  // a comma hangs below the baseline

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

/// "1250,350" under every mark. A label is drawn once, so that its pixels do not depend on the
/// panel.
class CardLabels {
 public:
  /// Share of a pixel that the mark's label covers, `dx` and `dy` from the mark's middle pixel.
  [[nodiscard]] double share_at(PointPx mark, int dx, int dy) {
    if (dy < label_top_px || dy >= label_top_px + label_rows) return 0;
    const Label& label = label_of(mark);
    const int x = dx + label.width / 2;
    if (x < 0 || x >= label.width) return 0;
    const int pixel = (dy - label_top_px) * label.width + x;
    return label.pixels[4 * static_cast<std::size_t>(pixel)] / 255.0;
  }

 private:
  struct Label {
    int width = 0;
    std::vector<std::uint8_t> pixels;  // BGRX, white on black
  };

  const Label& label_of(PointPx mark) {
    const auto [found, is_new] = labels_.try_emplace({mark.x, mark.y});
    Label& label = found->second;
    if (!is_new) return label;
    const std::string text = fmt::format("{},{}", mark.x, mark.y);
    label.width = text_size_px(text, label_letter_px).width;
    const auto row_bytes = static_cast<std::size_t>(label.width) * 4;
    label.pixels.resize(row_bytes * label_rows);
    draw_text({label.pixels.data(), {label.width, label_rows}, row_bytes}, {0, 0}, text,
              label_letter_px, white);
    return label;
  }

  std::map<std::pair<int, int>, Label> labels_;
};

Rgb field_at(SizePx canvas, PointPx at, CardPlace place, PointPx mark) noexcept {
  if (const RectPx ramp = card_ramp_px(canvas); at.y >= ramp.y && at.y < ramp.bottom()) {
    const std::uint8_t level = card_ramp_level(canvas, at.x);
    return {level, level, level};
  }
  if (on_circle(canvas, at)) return circle_color;
  if (at.x == mark.x || at.y == mark.y) return line_color;
  return field_colors[(place.column + place.row) % 2];
}

Rgb card_color(SizePx canvas, PointPx at, CardLabels& labels) {
  if (at.x < 0 || at.y < 0 || at.x >= canvas.width || at.y >= canvas.height) return black;
  if (const Rgb* corner = corner_at(canvas, at)) return *corner;
  const CardPlace place = {at.x / card_step_px, at.y / card_step_px};
  const PointPx mark = card_mark_at(place);
  const int dx = at.x - mark.x;
  const int dy = at.y - mark.y;
  if (std::max(std::abs(dx), std::abs(dy)) <= card_mark_px / 2)
    return card_mark_is_white(place, dx, dy) ? white : black;
  return mixed(field_at(canvas, at, place, mark), label_color, labels.share_at(mark, dx, dy));
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
  CardLabels labels;
  const auto canvas_pixel = [](const AxisMap& axis, int pixel) {
    return static_cast<int>(std::floor(axis.to_canvas(pixel) + 0.5 + 1e-9));
  };
  for (int y = 0; y < picture.size_px.height; ++y) {
    const int canvas_y = canvas_pixel(map.y, y);
    for (int x = 0; x < picture.size_px.width; ++x)
      set_pixel(picture.pixel(x, y),
                card_color(info.canvas_px, {canvas_pixel(map.x, x), canvas_y}, labels));
  }
}

}  // namespace tilewall::render
