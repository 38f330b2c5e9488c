#include "render/demo/camera.hpp"

#include <cmath>
#include <numbers>

namespace tilewall::render {
namespace {

constexpr float pi = std::numbers::pi_v<float>;
constexpr float eye_distance = 2.5F;
constexpr float field_of_view_width = 0.90F;  // width of the picture at distance 1
constexpr float start_azimuth = 0.6F;
constexpr float mean_elevation = 0.42F;  // above the disc, radians
constexpr float sway = 0.05F;
constexpr float roll = -0.17F;

Vec3f cross(Vec3f a, Vec3f b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

Vec3f unit(Vec3f a) noexcept { return a * (1 / std::sqrt(dot(a, a))); }

}  // namespace

DemoCamera::DemoCamera(double phase, SizePx picture_px) noexcept
    : px_per_tangent_(static_cast<float>(picture_px.width) / field_of_view_width),
      centre_x_px_(static_cast<float>(picture_px.width - 1) / 2),
      centre_y_px_(static_cast<float>(picture_px.height - 1) / 2) {
  const auto turn = static_cast<float>(phase);
  const float azimuth = start_azimuth + pi * turn;
  const float elevation = mean_elevation + sway * std::sin(2 * pi * turn);
  eye_ = Vec3f{std::cos(azimuth) * std::cos(elevation), std::sin(azimuth) * std::cos(elevation),
               std::sin(elevation)} *
         eye_distance;
  forward_ = unit(eye_ * -1);
  const Vec3f level = unit(cross(forward_, {0, 0, 1}));
  const Vec3f low = cross(forward_, level);
  right_ = level * std::cos(roll) + low * std::sin(roll);
  down_ = low * std::cos(roll) - level * std::sin(roll);
  x_step_ = right_ * (1 / px_per_tangent_);
  y_step_ = down_ * (1 / px_per_tangent_);
  corner_ = forward_ - x_step_ * centre_x_px_ - y_step_ * centre_y_px_;
}

ScreenPoint DemoCamera::project(Vec3f point) const noexcept {
  const Vec3f seen = point - eye_;
  const float distance = dot(seen, forward_);
  const float scale = px_per_tangent_ / distance;
  return {centre_x_px_ + dot(seen, right_) * scale, centre_y_px_ + dot(seen, down_) * scale,
          distance};
}

}  // namespace tilewall::render
