// What a region shows of its volume at one instant.
#pragma once

#include <memory>
#include <optional>

#include "player/scene/volume_style.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall {

/// How a screen that is not in the plane of its region's flat picture sees that picture; all in
/// pixels of the canvas, from the region's upper left (wallconfigs/eye_view.hpp).
struct ScreenTilt {
  PanelMap onto_plane;           ///< from the region's pixels to the flat picture's
  std::optional<RectF> seen_px;  ///< of the flat picture, by all screens; empty: round about
  bool operator==(const ScreenTilt&) const = default;
};

struct VolumeShot {
  VolumeCamera camera;                       ///< of the region's whole picture
  std::shared_ptr<const VolumeStyle> style;  ///< never null
  std::optional<ScreenTilt> tilt = std::nullopt;

  bool operator==(const VolumeShot& other) const {
    return camera == other.camera && tilt == other.tilt &&
           (style == other.style || *style == *other.style);
  }
};

}  // namespace tilewall
