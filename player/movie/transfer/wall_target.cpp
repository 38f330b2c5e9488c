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

WallTarget wall_target_of(const Wall& wall) {
  return {Canvas(wall, wall.default_bezel_mode()).size_px(),
          Canvas(wall, BezelMode::show).size_px(), commonest_viewed_size_px(wall)};
}

}  // namespace tilewall
