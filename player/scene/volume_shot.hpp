// What a region shows of its volume at one instant.
#pragma once

#include <memory>

#include "player/scene/volume_style.hpp"

namespace tilewall {

struct VolumeShot {
  VolumeCamera camera;                       ///< of the region's whole picture
  std::shared_ptr<const VolumeStyle> style;  ///< never null

  bool operator==(const VolumeShot& other) const {
    return camera == other.camera && (style == other.style || *style == *other.style);
  }
};

}  // namespace tilewall
