// Where the demo's viewer is, and which ray each pixel looks along.
//
// Space: the galaxy's disc lies in the plane z = 0 about the origin, its rim at radius 1.
#pragma once

#include "wallconfigs/geometry.hpp"

namespace tilewall::render {

struct Vec3f {
  float x = 0;
  float y = 0;
  float z = 0;
};

[[nodiscard]] constexpr Vec3f operator+(Vec3f a, Vec3f b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[nodiscard]] constexpr Vec3f operator-(Vec3f a, Vec3f b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[nodiscard]] constexpr Vec3f operator*(Vec3f a, float by) noexcept {
  return {a.x * by, a.y * by, a.z * by};
}
[[nodiscard]] constexpr float dot(Vec3f a, Vec3f b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// A place in the picture, pixel centres at whole numbers, and how far away.
struct ScreenPoint {
  float x_px = 0;
  float y_px = 0;
  float distance = 0;  ///< along the view; <= 0 is behind the viewer
};

/// Circles the galaxy by half a turn while `phase` goes from 0 to 1, and sways once on the way.
class DemoCamera {
 public:
  DemoCamera(double phase, SizePx picture_px) noexcept;

  [[nodiscard]] Vec3f eye() const noexcept { return eye_; }

  /// From the eye through pixel (x, y); not of unit length.
  [[nodiscard]] Vec3f ray(float x_px, float y_px) const noexcept {
    return corner_ + x_step_ * x_px + y_step_ * y_px;
  }
  [[nodiscard]] ScreenPoint project(Vec3f point) const noexcept;

 private:
  Vec3f eye_;
  Vec3f forward_;
  Vec3f right_;
  Vec3f down_;
  Vec3f corner_;  ///< the ray of pixel (0, 0)
  Vec3f x_step_;
  Vec3f y_step_;
  float px_per_tangent_;
  float centre_x_px_;
  float centre_y_px_;
};

}  // namespace tilewall::render
