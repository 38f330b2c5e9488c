#include "player/movie/transfer/wall_target.hpp"

#include <algorithm>

namespace tilewall {
namespace {

SizePx commonest_viewed_size_px(const Wall& wall) {
  SizePx best;
  std::ptrdiff_t best_count = 0;
  for (const Panel& panel : wall.panels) {
    const SizePx size = panel.viewed_size_px();
    const auto count =
        std::count_if(wall.panels.begin(), wall.panels.end(),
                      [&](const Panel& other) { return other.viewed_size_px() == size; });
    if (count > best_count) {
      best = size;
      best_count = count;
    }
  }
  return best;
}

}  // namespace

WallTarget wall_target_of(const Wall& wall, std::optional<BezelMode> bezels) {
  const Canvas canvas(wall, bezels.value_or(wall.default_bezel_mode()));
  const Canvas abutting(wall, BezelMode::show);
  WallTarget target;
  target.canvas_px = canvas.size_px();
  target.abutting_px = abutting.size_px();
  target.panel_px = commonest_viewed_size_px(wall);
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    target.panels_px.push_back(canvas.panel_rect_px(i));
    if (!bezels) target.abutting_panels_px.push_back(abutting.panel_rect_px(i));
  }
  return target;
}

}  // namespace tilewall
