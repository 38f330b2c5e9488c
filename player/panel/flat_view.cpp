#include "player/panel/flat_view.hpp"

namespace tilewall {

FlatView flat_view(const PanelConfig& config, BezelMode bezels, ContentMode content) {
  const CanvasPlace& place = config.places.in(bezels, content);
  const SizePx viewed_px = config.viewed_size_px();
  FlatView view{place.canvas_px, {place.rect_px, viewed_px}, std::nullopt};
  if (place.map.is_upright(viewed_px)) return view;
  view.warp.emplace(place.map, viewed_px, place.canvas_px);
  view.drawn = {view.warp->canvas_part_px(), view.warp->drawn_size_px()};
  return view;
}

}  // namespace tilewall
