// Directions of a camera as rotations, and rotations between two. Pure.
#pragma once

#include <array>

#include "render/volume/camera.hpp"

namespace tilewall::render {

/// Directions of a camera: three unit vectors at right angles.
struct CameraFrame {
  Vec3d ahead;
  Vec3d right;
  Vec3d up;
};

/// A rotation, as a unit quaternion: w, x, y, z. It and its negative are the same rotation.
using Quaternion = std::array<double, 4>;

/// @pre the camera looks somewhere, and not along `up`
[[nodiscard]] CameraFrame frame_of(const VolumeCamera& camera);
[[nodiscard]] CameraFrame frame_of(const Quaternion& q);
/// The rotation of the matrix with the columns right, up, -ahead (Shepperd's method).
[[nodiscard]] Quaternion rotation_of(const CameraFrame& frame);

/// The rotation by `b`, and then by `a`.
[[nodiscard]] Quaternion product(const Quaternion& a, const Quaternion& b) noexcept;
[[nodiscard]] Quaternion inverse(const Quaternion& q) noexcept;

/// The rotation's axis, as long as its angle in radians, at most pi: the shorter way round.
[[nodiscard]] Vec3d rotation_vector(const Quaternion& q) noexcept;
/// The rotation about a vector by its length in radians.
[[nodiscard]] Quaternion rotation_about(Vec3d vector) noexcept;

/// Spherical linear interpolation, the shorter way (Shoemake, Animating Rotation with Quaternion
/// Curves, 1985).
[[nodiscard]] Quaternion slerp(const Quaternion& a, const Quaternion& b, double share);
/// Interpolates between the quaternions as they are, where slerp() may take b's negative.
/// @pre they are not each other's negative
[[nodiscard]] Quaternion slerp_as_given(const Quaternion& a, const Quaternion& b, double share);
/// b or its negative, whichever is nearer to a.
[[nodiscard]] Quaternion nearer(const Quaternion& a, const Quaternion& b) noexcept;

}  // namespace tilewall::render
