#include "render/volume/orbit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/volume/rotation.hpp"

namespace tilewall::render {
namespace {

constexpr double usual_fov_rad = 30 * std::numbers::pi / 180;
constexpr double filled_share = 0.94;   // share of the picture that the box fills
constexpr double nearly_along = 0.999;  // cosine above which two directions span no plane

/// `v` turned about the unit vector `axis` (Rodrigues).
Vec3d turned(Vec3d v, Vec3d axis, double angle_rad) {
  const double c = std::cos(angle_rad);
  const double s = std::sin(angle_rad);
  return c * v + s * cross(axis, v) + ((1 - c) * dot(axis, v)) * axis;
}

double distance_of(const VolumeCamera& camera) { return length(camera.look_at - camera.eye); }

/// World units that the picture's height spans at look_at.
double height_at_target(const VolumeCamera& camera) {
  return camera.lens == Lens::orthographic ? camera.view_height
                                           : 2 * distance_of(camera) * std::tan(camera.fov_rad / 2);
}

double geometric(double from, double to, double share) { return from * std::pow(to / from, share); }

}  // namespace

double WorldBox::radius() const noexcept {
  double most = 0;
  for (const double y : {-1.0, 1.0})
    for (const double z : {-1.0, 1.0})
      most = std::max(most, length(half[0] + y * half[1] + z * half[2]));
  return most;
}

VolumeCamera seeing_all(VolumeCamera camera, const WorldBox& box, double aspect) {
  const Vec3d towards_eye = normalized(camera.eye - camera.look_at);
  const Vec3d right = normalized(cross(camera.up, towards_eye));
  const Vec3d up = cross(towards_eye, right);
  const double slope = std::tan(camera.fov_rad / 2) * filled_share;
  double distance = 0;
  double half_height = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d at;
    for (int axis = 0; axis < 3; ++axis)
      at = at + (corner >> axis & 1 ? 1.0 : -1.0) * box.half[axis];
    const double high = std::max(std::abs(dot(at, up)), std::abs(dot(at, right)) / aspect);
    half_height = std::max(half_height, high);
    distance = std::max(distance, dot(at, towards_eye) + high / slope);
  }
  camera.look_at = box.centre;
  camera.eye = box.centre + distance * towards_eye;
  camera.view_height = 2 * half_height / filled_share;
  return camera;
}

namespace {

/// `v` turned by the rotation that makes z the unit vector `up`, the shortest way.
Vec3d turned_with_z(Vec3d v, Vec3d up) {
  constexpr Vec3d z{0, 0, 1};
  const double cosine = dot(z, up);
  if (cosine < -nearly_along) return {v.x, -v.y, -v.z};
  const Vec3d axis = cross(z, up);  // its length is the angle's sine
  const Vec3d across = cross(axis, v);
  return v + across + (1 / (1 + cosine)) * cross(axis, across);
}

}  // namespace

VolumeCamera camera_at(const WorldBox& box, double azimuth_rad, double elevation_rad, double aspect,
                       Vec3d world_up) {
  const Vec3d towards_eye{std::cos(elevation_rad) * std::sin(azimuth_rad),
                          -std::cos(elevation_rad) * std::cos(azimuth_rad),
                          std::sin(elevation_rad)};
  VolumeCamera camera;
  camera.fov_rad = usual_fov_rad;
  camera.look_at = {};
  const Vec3d up = normalized(world_up);
  camera.eye = turned_with_z(towards_eye, up);
  camera.up =
      turned_with_z(std::abs(towards_eye.z) > nearly_along ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1}, up);
  return seeing_all(camera, box, aspect);
}

VolumeCamera carried_over(VolumeCamera camera, const WorldBox& from, const WorldBox& to) noexcept {
  const double scale = to.radius() / from.radius();
  camera.eye = to.centre + scale * (camera.eye - from.centre);
  camera.look_at = to.centre + scale * (camera.look_at - from.centre);
  camera.view_height *= scale;
  return camera;
}

VolumeCamera orbited(const VolumeCamera& camera, double right_rad, double down_rad) {
  const CameraFrame frame = frame_of(camera);
  const auto turn = [&](Vec3d v) {
    return turned(turned(v, frame.right, -down_rad), frame.up, -right_rad);
  };
  VolumeCamera moved = camera;
  moved.eye = camera.look_at - distance_of(camera) * turn(frame.ahead);
  moved.up = turn(frame.up);
  return moved;
}

VolumeCamera rolled(const VolumeCamera& camera, double angle_rad) {
  const CameraFrame frame = frame_of(camera);
  VolumeCamera moved = camera;
  moved.up = turned(frame.up, frame.ahead, -angle_rad);
  return moved;
}

VolumeCamera panned(const VolumeCamera& camera, double right, double down) {
  const CameraFrame frame = frame_of(camera);
  const double height = height_at_target(camera);
  const Vec3d by = (-right * height) * frame.right + (down * height) * frame.up;
  VolumeCamera moved = camera;
  moved.eye = camera.eye + by;
  moved.look_at = camera.look_at + by;
  return moved;
}

VolumeCamera zoomed(const VolumeCamera& camera, double factor) {
  VolumeCamera moved = camera;
  moved.eye = camera.look_at - (1 / factor) * (camera.look_at - camera.eye);
  moved.view_height = camera.view_height / factor;
  return moved;
}

VolumeCamera between(const VolumeCamera& from, const VolumeCamera& to, double share) {
  if (share <= 0) return from;
  if (share >= 1) return to;
  const CameraFrame frame =
      frame_of(slerp(rotation_of(frame_of(from)), rotation_of(frame_of(to)), share));
  VolumeCamera camera = to;
  camera.look_at = from.look_at + share * (to.look_at - from.look_at);
  camera.eye = camera.look_at - geometric(distance_of(from), distance_of(to), share) * frame.ahead;
  camera.up = frame.up;
  camera.fov_rad = geometric(from.fov_rad, to.fov_rad, share);
  camera.view_height = geometric(from.view_height, to.view_height, share);
  camera.centre_offset_px.x += (1 - share) * (from.centre_offset_px.x - to.centre_offset_px.x);
  camera.centre_offset_px.y += (1 - share) * (from.centre_offset_px.y - to.centre_offset_px.y);
  return camera;
}

}  // namespace tilewall::render
