// Moving a camera about what it looks at: what a hand does with a mouse, and glides in between.
// Pure.
#pragma once

#include "render/volume/camera.hpp"

namespace tilewall {

/// A ball that holds a volume, in world units.
struct WorldBall {
  Vec3d centre;
  double radius = 1;  ///< above 0
  bool operator==(const WorldBall&) const = default;
};

/// Sees all of the ball, wherever the picture is not narrower than high: from azimuth_rad about the
/// z axis (0: against y) and elevation_rad above the xy plane, up being z; straight from above, up
/// is y.
[[nodiscard]] VolumeCamera camera_at(const WorldBall& ball, double azimuth_rad,
                                     double elevation_rad);

/// The eye goes round look_at: the picture follows a hand that moves right and down by these
/// angles.
[[nodiscard]] VolumeCamera orbited(const VolumeCamera& camera, double right_rad, double down_rad);

/// The camera turns about the line of sight, the picture clockwise.
[[nodiscard]] VolumeCamera rolled(const VolumeCamera& camera, double angle_rad);

/// Eye and look_at move: the picture follows a hand that moves by these shares of its height.
[[nodiscard]] VolumeCamera panned(const VolumeCamera& camera, double right, double down);

/// What is at look_at appears `factor` times as large. @pre factor > 0
[[nodiscard]] VolumeCamera zoomed(const VolumeCamera& camera, double factor);

/// On the way from one to the other, at `share` in [0, 1]: look_at moves evenly, distance and
/// angles of view by the same factor at each instant, directions along the shortest turn. Another
/// lens changes at once.
[[nodiscard]] VolumeCamera between(const VolumeCamera& from, const VolumeCamera& to, double share);

}  // namespace tilewall
