#include "render/canvas_map.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::render {

double line_share(double position, double step, double width) noexcept {
  // std::remainder would be 4 times slower than all the rest of a pattern.
  const double steps = position / step;
  const double distance = std::abs(steps - std::floor(steps + 0.5)) * step;
  return std::clamp(width / 2 + 0.5 - distance, 0.0, 1.0);
}

int grid_step_px(const RectF& panel_on_canvas_px) noexcept {
  const double side = std::min(panel_on_canvas_px.width, panel_on_canvas_px.height);
  return side >= 600 ? 100 : side >= 100 ? 50 : 10;
}

}  // namespace tilewall::render
