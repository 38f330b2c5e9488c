#include "player/picture/placement.hpp"

#include <cmath>

namespace tilewall::picture {
namespace {

double scale_of(const RectF& region_px, const RectF& view_px, scene::FitMode fit) {
  const double across = region_px.width / view_px.width;
  const double down = region_px.height / view_px.height;
  return fit == scene::FitMode::contain ? std::min(across, down) : std::max(across, down);
}

/// Snaps a length within half a pixel of the region's own side to that side, so that a movie whose
/// size was rounded to whole pixels for this canvas is shown 1:1.
double snapped(double length_px, double view_length_px) {
  return std::abs(length_px - view_length_px) <= 0.5 ? view_length_px : length_px;
}

/// The rectangle `rect_px` of the canvas in the panel's pixels.
RectF on_panel(const RectF& rect_px, const PanelOnCanvas& panel) {
  const double across = panel.viewed_size_px.width / panel.canvas_px.width;
  const double down = panel.viewed_size_px.height / panel.canvas_px.height;
  return {(rect_px.x - panel.canvas_px.x) * across, (rect_px.y - panel.canvas_px.y) * down,
          rect_px.width * across, rect_px.height * down};
}

RectPx rounded(const RectF& rect) {
  const int left = static_cast<int>(std::lround(rect.x));
  const int top = static_cast<int>(std::lround(rect.y));
  return {left, top, static_cast<int>(std::lround(rect.right())) - left,
          static_cast<int>(std::lround(rect.bottom())) - top};
}

}  // namespace

RectF fitted_rect_px(const RectF& region_px, const RectF& view_px, scene::FitMode fit) {
  if (fit == scene::FitMode::stretch) return region_px;
  const double scale = scale_of(region_px, view_px, fit);
  const double width = snapped(view_px.width * scale, view_px.width);
  const double height = snapped(view_px.height * scale, view_px.height);
  return {std::floor(region_px.x + (region_px.width - width) / 2),
          std::floor(region_px.y + (region_px.height - height) / 2), width, height};
}

PanelPlacement place_on_panel(const scene::Region& region, SizePx movie_px, GlobalInstant at,
                              const PanelOnCanvas& panel) {
  const bool has_size = movie_px.width > 0 && movie_px.height > 0;
  const RectF all_px{0, 0, has_size ? movie_px.width : region.canvas_px.width,
                     has_size ? movie_px.height : region.canvas_px.height};
  const RectF view_px = region.view ? region.view->at(at) : all_px;
  const RectF fitted_px = fitted_rect_px(region.canvas_px, view_px, region.fit);
  const RectPx whole_px{0, 0, panel.viewed_size_px.width, panel.viewed_size_px.height};
  RectF visible_px = region.canvas_px;
  if (region.view) visible_px = intersection(visible_px, fitted_px);  // a view hides the rest
  if (region.clip_px) visible_px = intersection(visible_px, *region.clip_px);
  return {{view_px, on_panel(fitted_px, panel)},
          intersection(rounded(on_panel(visible_px, panel)), whole_px)};
}

}  // namespace tilewall::picture
