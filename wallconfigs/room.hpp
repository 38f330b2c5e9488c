// Places and directions in the room: millimetres, x right, y up, z towards the viewer (see Pose).
#pragma once

#include "sync/base/vec3d.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

/// A plane's own directions, each of length 1.
struct Facing {
  Vec3d right;
  Vec3d up;
  Vec3d out;  ///< towards who looks at it
};

/// Of a panel: turned by its yaw, then about its own new axes by pitch and roll.
[[nodiscard]] Facing facing_of(const Pose& pose) noexcept;

/// What a panel shows its picture on: the lit area, or with bezels shown all within its frame.
struct PicturePart {
  Vec3d upper_left;
  Vec3d across;  ///< along a pixel as seen
  Vec3d down;

  [[nodiscard]] Vec3d at(double x_px, double y_px) const noexcept {
    return upper_left + x_px * across + y_px * down;
  }
};
[[nodiscard]] PicturePart picture_part_of(const Panel& panel, BezelMode bezels) noexcept;

}  // namespace tilewall
