// Points and directions in double precision: screens in a room, cameras, volumes, rays.
#pragma once

#include <array>
#include <cmath>

namespace tilewall {

struct Vec3d {
  double x = 0;
  double y = 0;
  double z = 0;
  bool operator==(const Vec3d&) const = default;
};

[[nodiscard]] constexpr Vec3d operator+(Vec3d a, Vec3d b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[nodiscard]] constexpr Vec3d operator-(Vec3d a, Vec3d b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[nodiscard]] constexpr Vec3d operator*(double s, Vec3d a) noexcept {
  return {s * a.x, s * a.y, s * a.z};
}
[[nodiscard]] constexpr double dot(Vec3d a, Vec3d b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] constexpr Vec3d cross(Vec3d a, Vec3d b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] inline double length(Vec3d a) noexcept { return std::sqrt(dot(a, a)); }
/// @pre not (0, 0, 0)
[[nodiscard]] inline Vec3d normalized(Vec3d a) noexcept { return (1.0 / length(a)) * a; }

[[nodiscard]] constexpr Vec3d vec3d(const std::array<double, 3>& axes) noexcept {
  return {axes[0], axes[1], axes[2]};
}
[[nodiscard]] constexpr std::array<double, 3> axes_of(Vec3d a) noexcept { return {a.x, a.y, a.z}; }

}  // namespace tilewall
