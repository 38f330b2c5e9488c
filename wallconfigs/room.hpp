// Places and directions in the room: millimetres, x right, y up, z towards the viewer (see Pose).
#pragma once

#include <array>
#include <cmath>

#include "wallconfigs/wall.hpp"

namespace tilewall {

struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;
};

[[nodiscard]] inline Vec3 vec3(const std::array<double, 3>& v) noexcept {
  return {v[0], v[1], v[2]};
}
[[nodiscard]] inline Vec3 operator+(Vec3 a, Vec3 b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[nodiscard]] inline Vec3 operator-(Vec3 a, Vec3 b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[nodiscard]] inline Vec3 operator*(double s, Vec3 v) noexcept {
  return {s * v.x, s * v.y, s * v.z};
}
[[nodiscard]] inline double dot(Vec3 a, Vec3 b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] inline Vec3 cross(Vec3 a, Vec3 b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] inline double length(Vec3 v) noexcept { return std::sqrt(dot(v, v)); }

/// A plane's own directions, each of length 1.
struct Facing {
  Vec3 right;
  Vec3 up;
  Vec3 out;  ///< towards who looks at it
};

/// Of a panel: turned by its yaw, then about its own new axes by pitch and roll.
[[nodiscard]] Facing facing_of(const Pose& pose) noexcept;

/// What a panel shows its picture on: the lit area, or with bezels shown all within its frame.
struct PicturePart {
  Vec3 upper_left;
  Vec3 across;  ///< along a pixel as seen
  Vec3 down;

  [[nodiscard]] Vec3 at(double x_px, double y_px) const noexcept {
    return upper_left + x_px * across + y_px * down;
  }
};
[[nodiscard]] PicturePart picture_part_of(const Panel& panel, BezelMode bezels) noexcept;

}  // namespace tilewall
