#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "wallconfigs/abutment.hpp"
#include "wallconfigs/advice.hpp"
#include "wallconfigs/picture_plane.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::wall {
namespace {

RectF hidden_bezels_rect(const Panel& panel, Density density) {
  const RectF lit = panel.lit_mm();
  const RectF px = {lit.x * density.x_px_per_mm, lit.y * density.y_px_per_mm,
                    lit.width * density.x_px_per_mm, lit.height * density.y_px_per_mm};
  if (!is_native(panel, density)) return px;
  // The panel keeps whole pixels of its own; the error of the data sheet is shared by both sides.
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

/// The panel whose pixels decide the size of a flat picture's pixels: one of the commonest density,
/// nearest to the wall's middle.
std::size_t middle_panel(const Wall& wall, std::span<const RectF> unrolled, Density density) {
  double right = 0;
  double bottom = 0;
  for (const RectF& rect : unrolled) {
    right = std::max(right, rect.right());
    bottom = std::max(bottom, rect.bottom());
  }
  std::size_t nearest = 0;
  double least_px = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < unrolled.size(); ++i) {
    const RectF& rect = unrolled[i];
    const double away_px =
        std::hypot(rect.x + rect.width / 2 - right / 2, rect.y + rect.height / 2 - bottom / 2);
    if (!is_native(wall.panels[i], density) || away_px >= least_px) continue;
    nearest = i;
    least_px = away_px;
  }
  return nearest;
}

/// Makes maps of rectangles exact; rectangles as large as their panels get whole pixels.
PanelMap tidied(const PanelMap& map, SizePx viewed_px) {
  if (!map.is_upright(viewed_px)) return map;
  RectF rect = map.bounds_px(viewed_px);
  const bool own_pixels = std::abs(rect.width - viewed_px.width) < 0.5 &&
                          std::abs(rect.height - viewed_px.height) < 0.5;
  if (own_pixels)
    rect = {std::round(rect.x), std::round(rect.y), static_cast<double>(viewed_px.width),
            static_cast<double>(viewed_px.height)};
  return PanelMap::onto(rect, viewed_px);
}

// More than a canvas may have; content_obstacle() refuses such a wall.
constexpr double most_px = 2e9;

/// Maps onto a flat picture whose pixels are those of panel number `middle`.
std::vector<PanelMap> flat_picture_maps(const Wall& wall, BezelMode bezels, ContentMode content,
                                        std::size_t middle) {
  std::vector<PanelMap> maps = maps_onto_plane(wall, bezels, content);
  const SizePx middle_px = wall.panels[middle].viewed_size_px();
  const auto [across, down] =
      maps[middle].pixel_sides({middle_px.width / 2.0, middle_px.height / 2.0});
  PointF least = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i] = maps[i].scaled(1 / across, 1 / down);
    const RectF bounds = maps[i].bounds_px(wall.panels[i].viewed_size_px());
    least = {std::min(least.x, bounds.x), std::min(least.y, bounds.y)};
  }
  // Moves everything so that the middle panel's pixels are on the canvas's own.
  const RectF kept = maps[middle].bounds_px(middle_px);
  const auto whole = [](double px) { return std::ceil(px - 1e-6); };
  const PointF move = {whole(kept.x - least.x) - kept.x, whole(kept.y - least.y) - kept.y};
  for (std::size_t i = 0; i < maps.size(); ++i)
    maps[i] = tidied(maps[i].moved(move), wall.panels[i].viewed_size_px());
  return maps;
}

}  // namespace

Canvas::Canvas(const Wall& wall, BezelMode mode) : Canvas(wall, mode, wall.content) {}

Canvas::Canvas(const Wall& wall, BezelMode mode, ContentMode content)
    : mode_(mode), content_(content) {
  const Density density = commonest_density(wall.panels);
  px_per_mm_ = density.x_px_per_mm;
  const std::vector<RectF> unrolled = mode == BezelMode::hide
                                          ? rects_with_bezels_hidden(wall, density)
                                          : rects_with_bezels_shown(wall, density);
  if (content == ContentMode::arc_length || wall.flat()) {
    for (std::size_t i = 0; i < unrolled.size(); ++i)
      panel_maps_.push_back(PanelMap::onto(unrolled[i], wall.panels[i].viewed_size_px()));
    panel_rects_px_ = unrolled;
  } else {
    panel_maps_ = flat_picture_maps(wall, mode, content, middle_panel(wall, unrolled, density));
    for (std::size_t i = 0; i < unrolled.size(); ++i)
      panel_rects_px_.push_back(panel_maps_[i].bounds_px(wall.panels[i].viewed_size_px()));
  }
  for (const RectF& rect : panel_rects_px_) {
    // A rounding error of 1e-6 px does not add a further pixel.
    const auto whole = [](double px) {
      return static_cast<int>(std::min(std::ceil(px - 1e-6), most_px));
    };
    size_px_.width = std::max(size_px_.width, whole(rect.right()));
    size_px_.height = std::max(size_px_.height, whole(rect.bottom()));
  }
}

}  // namespace tilewall::wall
