#include <algorithm>
#include <cmath>

#include "wallconfigs/abutment.hpp"
#include "wallconfigs/density.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {
namespace {

RectF hidden_bezels_rect(const Panel& panel, Density density) {
  const RectF lit = panel.lit_mm();
  const RectF px = {lit.x * density.x_px_per_mm, lit.y * density.y_px_per_mm,
                    lit.width * density.x_px_per_mm, lit.height * density.y_px_per_mm};
  if (!is_native(panel, density)) return px;
  // Whole pixels of its own; what the data sheet rounded by is shared by both sides.
  const SizePx viewed = panel.viewed_size_px();
  return {std::round(px.x + (px.width - viewed.width) / 2),
          std::round(px.y + (px.height - viewed.height) / 2), static_cast<double>(viewed.width),
          static_cast<double>(viewed.height)};
}

std::vector<RectF> rects_with_bezels_hidden(const Wall& wall, Density density) {
  std::vector<RectF> rects;
  for (const Panel& panel : wall.panels) rects.push_back(hidden_bezels_rect(panel, density));
  double left = rects.front().x;
  double top = rects.front().y;
  for (const RectF& rect : rects) {
    left = std::min(left, rect.x);
    top = std::min(top, rect.y);
  }
  for (RectF& rect : rects) {  // by whole pixels, so that native panels stay on them
    rect.x -= std::floor(left);
    rect.y -= std::floor(top);
  }
  return rects;
}

std::vector<RectF> rects_with_bezels_shown(const Wall& wall, Density density) {
  std::vector<ExtentMm> columns;
  std::vector<ExtentMm> rows;
  for (const Panel& panel : wall.panels) {
    const RectF lit = panel.lit_mm();
    const SizePx native = is_native(panel, density) ? panel.viewed_size_px() : SizePx{};
    columns.push_back({lit.x, lit.right(), native.width});
    rows.push_back({lit.y, lit.bottom(), native.height});
  }
  const std::vector<ExtentPx> x = abut(columns, density.x_px_per_mm);
  const std::vector<ExtentPx> y = abut(rows, density.y_px_per_mm);
  std::vector<RectF> rects;
  for (std::size_t i = 0; i < x.size(); ++i)
    rects.push_back({static_cast<double>(x[i].start), static_cast<double>(y[i].start),
                     static_cast<double>(x[i].end - x[i].start),
                     static_cast<double>(y[i].end - y[i].start)});
  return rects;
}

}  // namespace

Canvas::Canvas(const Wall& wall, BezelMode mode) : mode_(mode) {
  const Density density = commonest_density(wall.panels);
  px_per_mm_ = density.x_px_per_mm;
  panel_rects_px_ = mode == BezelMode::hide ? rects_with_bezels_hidden(wall, density)
                                            : rects_with_bezels_shown(wall, density);
  for (const RectF& rect : panel_rects_px_) {
    // 1e-6 px: what floating point adds to a whole number is no further pixel.
    size_px_.width = std::max(size_px_.width, static_cast<int>(std::ceil(rect.right() - 1e-6)));
    size_px_.height = std::max(size_px_.height, static_cast<int>(std::ceil(rect.bottom() - 1e-6)));
  }
  for (const Panel& panel : wall.panels) viewed_sizes_px_.push_back(panel.viewed_size_px());
}

RectF Canvas::to_panel_px(std::size_t panel, const RectF& canvas_px) const {
  const RectF& rect = panel_rects_px_.at(panel);
  const double x_scale = viewed_sizes_px_[panel].width / rect.width;
  const double y_scale = viewed_sizes_px_[panel].height / rect.height;
  return {(canvas_px.x - rect.x) * x_scale, (canvas_px.y - rect.y) * y_scale,
          canvas_px.width * x_scale, canvas_px.height * y_scale};
}

RectF Canvas::to_canvas_px(std::size_t panel, const RectF& panel_px) const {
  const RectF& rect = panel_rects_px_.at(panel);
  const double x_scale = rect.width / viewed_sizes_px_[panel].width;
  const double y_scale = rect.height / viewed_sizes_px_[panel].height;
  return {panel_px.x * x_scale + rect.x, panel_px.y * y_scale + rect.y, panel_px.width * x_scale,
          panel_px.height * y_scale};
}

}  // namespace tilewall
