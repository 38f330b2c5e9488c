#include "wallconfigs/room.hpp"

#include <cmath>
#include <numbers>

namespace tilewall {
namespace {

struct Turn {
  double sine;
  double cosine;
  explicit Turn(double angle_deg)
      : sine(std::sin(angle_deg * std::numbers::pi / 180)),
        cosine(std::cos(angle_deg * std::numbers::pi / 180)) {}
};

}  // namespace

Facing facing_of(const Pose& pose) noexcept {
  const Turn yaw(pose.yaw_deg);
  const Turn pitch(pose.pitch_deg);
  const Turn roll(pose.roll_deg);
  const Vec3d right = {yaw.cosine, 0, -yaw.sine};
  const Vec3d out_level = {yaw.sine, 0, yaw.cosine};
  const Vec3d up = pitch.cosine * Vec3d{0, 1, 0} + pitch.sine * out_level;
  const Vec3d out = pitch.cosine * out_level - pitch.sine * Vec3d{0, 1, 0};
  return {roll.cosine * right + roll.sine * up, roll.cosine * up - roll.sine * right, out};
}

PicturePart picture_part_of(const Panel& panel, BezelMode bezels) noexcept {
  const Facing facing = facing_of(panel.pose);
  const SidesMm frame = bezels == BezelMode::show ? panel.bezel_mm : SidesMm{};
  const SizePx viewed = panel.viewed_size_px();
  const double width_mm = frame.left + panel.size_mm.width + frame.right;
  const double height_mm = frame.top + panel.size_mm.height + frame.bottom;
  const Vec3d upper_left = vec3d(panel.pose.centre_mm) -
                           (panel.size_mm.width / 2 + frame.left) * facing.right +
                           (panel.size_mm.height / 2 + frame.top) * facing.up;
  return {upper_left, width_mm / viewed.width * facing.right,
          -height_mm / viewed.height * facing.up};
}

}  // namespace tilewall
