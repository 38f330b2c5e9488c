// Says of a scene's regions where their flat pictures hang, on walls that are no plane. Pure; any
// thread.
#pragma once

#include <array>
#include <vector>

#include "player/scene/scene.hpp"

namespace tilewall {

class RegionPlanes {
 public:
  explicit RegionPlanes(const Wall& wall);

  /// The scene, its regions with their planes where it has some.
  [[nodiscard]] Scene hung(Scene scene) const;

 private:
  std::array<std::vector<ScreenFromEye>, 2> screens_;  // by BezelMode; empty on a flat wall
};

}  // namespace tilewall
