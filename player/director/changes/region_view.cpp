#include "player/director/changes/region_view.hpp"

#include "player/picture/placement.hpp"

namespace tilewall::director {

RectF movie_px(SizePx size, const scene::Region& region) {
  if (size.width <= 0 || size.height <= 0)
    return {0, 0, region.canvas_px.width, region.canvas_px.height};
  return {0, 0, static_cast<double>(size.width), static_cast<double>(size.height)};
}

RectF region_shaped(const scene::Region& region, const RectF& view_px) {
  const RectF fitted_px = picture::fitted_rect_px(region.canvas_px, view_px, region.fit);
  const double across = view_px.width / fitted_px.width;
  const double down = view_px.height / fitted_px.height;
  return {view_px.x + (region.canvas_px.x - fitted_px.x) * across,
          view_px.y + (region.canvas_px.y - fitted_px.y) * down, region.canvas_px.width * across,
          region.canvas_px.height * down};
}

}  // namespace tilewall::director
