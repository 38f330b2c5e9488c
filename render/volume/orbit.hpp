// Moving a camera about what it looks at: what a hand does with a mouse, and glides in between.
// Pure.
#pragma once

#include "render/volume/camera.hpp"

namespace tilewall::render {

/// A box that holds a volume, in world units: its middle, and half of each side.
struct WorldBox {
  Vec3d centre;
  Vec3d half[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  bool operator==(const WorldBox&) const = default;

  /// From the middle to the farthest corner.
  [[nodiscard]] double radius() const noexcept;
};

/// The camera as it sees all of the box in a picture `aspect` times as wide as high, as large as it
/// goes, by either lens: moved, not turned. @pre radius and aspect above 0
[[nodiscard]] VolumeCamera seeing_all(VolumeCamera camera, const WorldBox& box, double aspect);

/// That, from azimuth_rad about the z axis (0: against y) and elevation_rad above the xy plane, up
/// being z; straight from above, up is y.
[[nodiscard]] VolumeCamera camera_at(const WorldBox& box, double azimuth_rad, double elevation_rad,
                                     double aspect);

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

}  // namespace tilewall::render
