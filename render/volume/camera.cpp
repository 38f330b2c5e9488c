#include "render/volume/camera.hpp"

#include <cmath>
#include <numbers>

#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

// Limit of the pixel whose ray is at right angles to the picture. Single precision still
// distinguishes pixels there.
constexpr double farthest_px = 1 << 22;

struct CameraAxes {
  Vec3d ahead;
  Vec3d right;
  Vec3d down;
};

bool is_finite(Vec3d v) noexcept { return std::isfinite(dot(v, v)); }

CameraAxes axes_of_camera(const VolumeCamera& camera) {
  const Vec3d ahead = camera.look_at - camera.eye;
  const Vec3d right = cross(ahead, camera.up);
  if (!is_finite(camera.eye) || !is_finite(ahead) || !is_finite(right) || !(length(right) > 0))
    throw InputError("a camera: expected a direction to look, and another one for up");
  CameraAxes axes;
  axes.ahead = normalized(ahead);
  axes.right = normalized(right);
  axes.down = cross(axes.ahead, axes.right);
  return axes;
}

/// World units per pixel: perspective at distance 1.
double pixel_side(const VolumeCamera& camera, SizePx picture_px) {
  if (picture_px.width < 1 || picture_px.height < 1)
    throw InputError("a picture of a volume: expected at least one pixel");
  if (camera.lens == Lens::perspective) {
    if (!(camera.fov_rad > 0 && camera.fov_rad < std::numbers::pi))
      throw InputError("a camera's field of view: expected an angle in (0, pi)");
    return 2 * std::tan(camera.fov_rad / 2) / picture_px.height;
  }
  if (!(camera.view_height > 0) || !std::isfinite(camera.view_height))
    throw InputError("a camera's view height: expected a length above 0");
  return camera.view_height / picture_px.height;
}

double farthest_corner(Vec3d eye, const Volume& volume) noexcept {
  double farthest = 0;
  const VolumeSize size = volume.size();
  for (const int x : {0, size.x - 1})
    for (const int y : {0, size.y - 1})
      for (const int z : {0, size.z - 1}) {
        const Vec3d corner = volume.world_of_voxel(
            {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
        farthest = std::max(farthest, length(corner - eye));
      }
  return farthest;
}

}  // namespace

double pixel_side_at_focus(const VolumeCamera& camera, SizePx picture_px) {
  const double side = pixel_side(camera, picture_px);
  return camera.lens == Lens::perspective ? side * length(camera.look_at - camera.eye) : side;
}

PixelRays::PixelRays(const VolumeCamera& camera, SizePx picture_px, const Volume& volume,
                     double step, const std::optional<wall::PanelMap>& tilt)
    : lens(camera.lens),
      centre_px{picture_px.width / 2.0 + camera.centre_offset_px.x,
                picture_px.height / 2.0 + camera.centre_offset_px.y} {
  const CameraAxes axes = axes_of_camera(camera);
  const double side = pixel_side(camera, picture_px);
  if (!(step > 0) || !(farthest_corner(camera.eye, volume) / step <= max_samples))
    throw InputError(
        "a step between samples: expected a length above 0 that crosses the volume in " +
        std::to_string(static_cast<int>(max_samples)) + " steps");
  const bool perspective = lens == Lens::perspective;
  eye = volume.voxel_of_world(camera.eye);
  ahead = step * volume.voxel_direction(axes.ahead);
  right = (perspective ? step * side : side) * volume.voxel_direction(axes.right);
  down = (perspective ? step * side : side) * volume.voxel_direction(axes.down);
  slope = perspective ? side : 0;
  if (!tilt) return;
  if (!perspective) throw InputError("a tilted picture: expected a perspective camera");
  tilt_by(*tilt, side, volume, step, {axes.ahead, axes.right, axes.down});
}

/// The directions of a tilted picture's rays are linear in its pixels, with coefficients from the
/// rows of `tilt` along the axes (ahead, right, down). Counted from the pixel whose ray is at right
/// angles to the picture, they have the form that through() computes with.
void PixelRays::tilt_by(const wall::PanelMap& tilt, double side, const Volume& volume, double step,
                        const Vec3d (&axes)[3]) {
  const wall::PanelMap::Matrix m = tilt.moved({-centre_px.x, -centre_px.y}).matrix();
  const auto direction = [&](std::size_t column) {
    return m[6 + column] * axes[0] + (side * m[column]) * axes[1] +
           (side * m[3 + column]) * axes[2];
  };
  const Vec3d across = direction(0);
  const Vec3d along = direction(1);
  const Vec3d first = direction(2);
  const double xx = dot(across, across);
  const double xy = dot(across, along);
  const double yy = dot(along, along);
  const double det = xx * yy - xy * xy;
  const double x = dot(across, first);
  const double y = dot(along, first);
  centre_px = {(xy * y - yy * x) / det, (xy * x - xx * y) / det};
  const Vec3d upright = first + centre_px.x * across + centre_px.y * along;
  const double away = length(upright);
  slope = std::sqrt(yy) / away;
  stretch = (xx - yy) / (away * away);
  skew = 2 * xy / (away * away);
  if (!(det > 0) || !(std::abs(centre_px.x) < farthest_px) ||
      !(std::abs(centre_px.y) < farthest_px) || !std::isfinite(slope) || !std::isfinite(stretch))
    throw InputError("a tilted picture: expected a plane that the eye does not lie in");
  ahead = step / away * volume.voxel_direction(upright);
  right = step / away * volume.voxel_direction(across);
  down = step / away * volume.voxel_direction(along);
}

SampledRay PixelRays::through(double x, double y) const noexcept {
  const double sx = x - centre_px.x;
  const double sy = y - centre_px.y;
  if (lens == Lens::orthographic) return {eye + sx * right + sy * down, ahead};
  const double shorter =
      1 / std::sqrt(1 + (sx * sx + sy * sy) * slope * slope + sx * (sx * stretch + sy * skew));
  return {eye, shorter * (ahead + sx * right + sy * down)};
}

}  // namespace tilewall::render
