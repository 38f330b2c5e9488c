// Moves a camera about the point that it looks at, for mouse movements and for glides. Pure.
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

/// Moves the camera, without turning it, so that all of the box is as large as possible in a
/// picture `aspect` times as wide as high, with either lens. @pre radius and aspect above 0
[[nodiscard]] VolumeCamera seeing_all(VolumeCamera camera, const WorldBox& box, double aspect);

/// A camera that sees the whole box from azimuth_rad about the z axis (0: against y) and
/// elevation_rad above the xy plane. Up is z; straight from above, up is y. All of this is turned
/// so that z becomes `world_up`, the shortest way. @pre world_up has a length
[[nodiscard]] VolumeCamera camera_at(const WorldBox& box, double azimuth_rad, double elevation_rad,
                                     double aspect, Vec3d world_up = {0, 0, 1});

/// The camera that sees the box `to` as this one sees `from`: from the same side, and as large.
/// @pre the radius of `from` is above 0
[[nodiscard]] VolumeCamera carried_over(VolumeCamera camera, const WorldBox& from,
                                        const WorldBox& to) noexcept;

/// Moves the eye around look_at, so that the picture follows a hand that moves right and down by
/// these angles.
[[nodiscard]] VolumeCamera orbited(const VolumeCamera& camera, double right_rad, double down_rad);

/// Turns the camera about the line of sight, so that the picture turns clockwise.
[[nodiscard]] VolumeCamera rolled(const VolumeCamera& camera, double angle_rad);

/// Moves eye and look_at, so that the picture follows a hand that moves by these shares of its
/// height.
[[nodiscard]] VolumeCamera panned(const VolumeCamera& camera, double right, double down);

/// Makes objects at look_at appear `factor` times as large. @pre factor > 0
[[nodiscard]] VolumeCamera zoomed(const VolumeCamera& camera, double factor);

/// A camera between two others, at `share` in [0, 1]. look_at moves evenly, distance and angle of
/// view change by equal factors in equal times, and directions turn the shortest way. Another lens
/// changes at once.
[[nodiscard]] VolumeCamera between(const VolumeCamera& from, const VolumeCamera& to, double share);

}  // namespace tilewall::render
