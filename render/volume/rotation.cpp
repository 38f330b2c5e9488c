#include "render/volume/rotation.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::render {
namespace {

constexpr double tiny_rad = 1e-6;  // sines of smaller angles are the angles

Quaternion normalized(Quaternion q) noexcept {
  double squared = 0;
  for (const double part : q) squared += part * part;
  for (double& part : q) part /= std::sqrt(squared);
  return q;
}

double dot(const Quaternion& a, const Quaternion& b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

CameraFrame frame_of(const VolumeCamera& camera) {
  const Vec3d ahead = normalized(camera.look_at - camera.eye);
  const Vec3d right = normalized(cross(ahead, camera.up));
  return {ahead, right, cross(right, ahead)};
}

CameraFrame frame_of(const Quaternion& q) {
  const auto [w, x, y, z] = q;
  const Vec3d right{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
  const Vec3d up{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)};
  const Vec3d back{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
  return {-1.0 * back, right, up};
}

Quaternion rotation_of(const CameraFrame& frame) {
  const Vec3d r = frame.right;
  const Vec3d u = frame.up;
  const Vec3d b = -1.0 * frame.ahead;
  const double trace = r.x + u.y + b.z;
  if (trace > 0) {
    const double s = 2 * std::sqrt(1 + trace);
    return {s / 4, (u.z - b.y) / s, (b.x - r.z) / s, (r.y - u.x) / s};
  }
  if (r.x > u.y && r.x > b.z) {
    const double s = 2 * std::sqrt(1 + r.x - u.y - b.z);
    return {(u.z - b.y) / s, s / 4, (u.x + r.y) / s, (b.x + r.z) / s};
  }
  if (u.y > b.z) {
    const double s = 2 * std::sqrt(1 + u.y - r.x - b.z);
    return {(b.x - r.z) / s, (u.x + r.y) / s, s / 4, (b.y + u.z) / s};
  }
  const double s = 2 * std::sqrt(1 + b.z - r.x - u.y);
  return {(r.y - u.x) / s, (b.x + r.z) / s, (b.y + u.z) / s, s / 4};
}

Quaternion product(const Quaternion& a, const Quaternion& b) noexcept {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Quaternion inverse(const Quaternion& q) noexcept { return {q[0], -q[1], -q[2], -q[3]}; }

Vec3d rotation_vector(const Quaternion& q) noexcept {
  const double sign = q[0] < 0 ? -1 : 1;
  const Vec3d part{sign * q[1], sign * q[2], sign * q[3]};
  const double sine = length(part);
  return sine < tiny_rad ? 2.0 * part : (2 * std::atan2(sine, std::abs(q[0])) / sine) * part;
}

Quaternion rotation_about(Vec3d vector) noexcept {
  const double half = length(vector) / 2;
  const Vec3d part = (half < tiny_rad ? 0.5 : std::sin(half) / (2 * half)) * vector;
  return normalized({std::cos(half), part.x, part.y, part.z});
}

Quaternion nearer(const Quaternion& a, const Quaternion& b) noexcept {
  return dot(a, b) < 0 ? Quaternion{-b[0], -b[1], -b[2], -b[3]} : b;
}

Quaternion slerp_as_given(const Quaternion& a, const Quaternion& b, double share) {
  const double angle = std::acos(std::clamp(dot(a, b), -1.0, 1.0));
  const bool is_tiny = angle < tiny_rad;
  const double from = is_tiny ? 1 - share : std::sin((1 - share) * angle) / std::sin(angle);
  const double to = is_tiny ? share : std::sin(share * angle) / std::sin(angle);
  Quaternion q;
  for (std::size_t i = 0; i < 4; ++i) q[i] = from * a[i] + to * b[i];
  return normalized(q);
}

Quaternion slerp(const Quaternion& a, const Quaternion& b, double share) {
  return slerp_as_given(a, nearer(a, b), share);
}

}  // namespace tilewall::render
