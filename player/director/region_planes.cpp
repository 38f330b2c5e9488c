#include "player/director/region_planes.hpp"

namespace tilewall {

RegionPlanes::RegionPlanes(const Wall& wall)
    : screens_{screens_from_eye(wall, BezelMode::hide), screens_from_eye(wall, BezelMode::show)} {
  static_assert(static_cast<int>(BezelMode::hide) == 0);
}

Scene RegionPlanes::hung(Scene scene) const {
  const auto& screens = screens_[static_cast<std::size_t>(scene.bezels)];
  if (screens.empty() || scene.content != ContentMode::arc_length) return scene;
  for (Region& region : scene.regions) region.plane = region_plane(screens, region.canvas_px);
  return scene;
}

}  // namespace tilewall
