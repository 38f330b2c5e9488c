#include <algorithm>
#include <cmath>
#include <limits>

#include "player/volume/tile_choice.hpp"
#include "sync/base/error.hpp"

namespace tilewall::volume {
namespace {

// Voxels beside a sample that are read: one by the interpolation, another by the gradient.
constexpr int touched_beside = 2;

render::ClipPlane side_through(Vec3d normal, Vec3d point) {
  const Vec3d unit = normalized(normal);
  return {unit, -dot(unit, point)};
}

std::array<int, 3> sides_of(render::VolumeSize size) { return {size.x, size.y, size.z}; }

/// The camera's axes, of unit length.
struct EyeAxes {
  Vec3d ahead;
  Vec3d right;
  Vec3d down;
  double pixel = 0;  ///< world units per pixel; with a perspective lens, at distance 1
};

EyeAxes eye_axes(const SeenPart& seen) {
  const render::VolumeCamera& camera = seen.camera;
  const Vec3d ahead = camera.look_at - camera.eye;
  const Vec3d right = cross(ahead, camera.up);
  const bool perspective = camera.lens == render::Lens::perspective;
  EyeAxes axes;
  axes.pixel = (perspective ? 2 * std::tan(camera.fov_rad / 2) : camera.view_height) /
               seen.picture_px.height;
  if (!std::isfinite(dot(camera.eye, camera.eye)) || !(length(right) > 0) || !(axes.pixel > 0) ||
      !std::isfinite(axes.pixel))
    throw InputError("a camera: expected a direction to look, and another one for up");
  axes.ahead = normalized(ahead);
  axes.right = normalized(right);
  axes.down = cross(axes.ahead, axes.right);
  return axes;
}

/// Adds the sides of the body that the picture's rays pass.
void add_frustum(const SeenPart& seen, const EyeAxes& axes, std::vector<render::ClipPlane>& sides) {
  const render::VolumeCamera& camera = seen.camera;
  const PointF centre = {seen.picture_px.width / 2.0 + camera.centre_offset_px.x,
                         seen.picture_px.height / 2.0 + camera.centre_offset_px.y};
  const auto add = [&](Vec3d across, double px, double sign) {
    const double at = px * axes.pixel;
    if (camera.lens == render::Lens::perspective)
      sides.push_back(side_through(sign * (across - at * axes.ahead), camera.eye));
    else
      sides.push_back(side_through(sign * across, camera.eye + at * across));
  };
  add(axes.right, -centre.x, 1);
  add(axes.right, seen.picture_px.width - centre.x, -1);
  add(axes.down, -centre.y, 1);
  add(axes.down, seen.picture_px.height - centre.y, -1);
  sides.push_back(side_through(axes.ahead, camera.eye));
}

/// Adds the sides of the clip box, or of the volume where it is not clipped. The volume ends half a
/// voxel beyond the centres of its last voxels.
void add_box(const VolumeLevel& finest, const SeenPart& seen,
             std::vector<render::ClipPlane>& sides) {
  const auto spacing = axes_of(finest.place.spacing);
  const auto size = sides_of(finest.size);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3d axis = finest.place.axes[i];
    const auto at = [&](double voxel) { return finest.place.origin + (voxel * spacing[i]) * axis; };
    const double low = seen.clip_min[i] > 0 ? seen.clip_min[i] * (size[i] - 1) : -0.5;
    const double high = seen.clip_max[i] < 1 ? seen.clip_max[i] * (size[i] - 1) : size[i] - 0.5;
    sides.push_back(side_through(axis, at(low)));
    sides.push_back(side_through(-1 * axis, at(high)));
  }
}

/// The corners of the body between the sides. There are few sides, so every three of them are
/// intersected.
std::vector<Vec3d> corners_of(const std::vector<render::ClipPlane>& sides, double tolerance) {
  std::vector<Vec3d> corners;
  for (std::size_t i = 0; i < sides.size(); ++i)
    for (std::size_t j = i + 1; j < sides.size(); ++j)
      for (std::size_t k = j + 1; k < sides.size(); ++k) {
        const Vec3d jk = cross(sides[j].normal, sides[k].normal);
        const double det = dot(sides[i].normal, jk);
        if (std::abs(det) < 1e-9) continue;
        const Vec3d at = (-1 / det) * (sides[i].offset * jk +
                                       sides[j].offset * cross(sides[k].normal, sides[i].normal) +
                                       sides[k].offset * cross(sides[i].normal, sides[j].normal));
        const bool inside =
            std::all_of(sides.begin(), sides.end(), [&](const render::ClipPlane& side) {
              return dot(side.normal, at) + side.offset >= -tolerance;
            });
        if (inside) corners.push_back(at);
      }
  return corners;
}

}  // namespace

double voxel_length(const VolumeLevel& level) noexcept {
  return std::cbrt(level.place.spacing.x * level.place.spacing.y * level.place.spacing.z);
}

VisiblePolyhedron visible_polyhedron(const VolumeLevel& finest, const SeenPart& seen) {
  const EyeAxes axes = eye_axes(seen);
  VisiblePolyhedron body;
  add_box(finest, seen, body.sides);
  if (!seen.around) add_frustum(seen, axes, body.sides);
  for (const render::ClipPlane& plane : seen.planes)
    if (const double size = length(plane.normal); size > 0)
      body.sides.push_back({(1 / size) * plane.normal, plane.offset / size});
  body.corners = corners_of(body.sides, 1e-6 * voxel_length(finest));
  double nearest = std::numeric_limits<double>::infinity();
  for (const Vec3d corner : body.corners)
    nearest = std::min(nearest, dot(corner - seen.camera.eye, axes.ahead));
  const bool perspective = seen.camera.lens == render::Lens::perspective;
  if (seen.around) nearest = 0;
  body.pixel = axes.pixel * (perspective ? std::max(nearest, 0.0) : 1);
  return body;
}

render::GridBox touched_box(const VolumeLevel& level, const std::vector<Vec3d>& corners) {
  const auto spacing = axes_of(level.place.spacing);
  const auto size = sides_of(level.size);
  render::GridBox box;
  for (std::size_t i = 0; i < 3; ++i) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Vec3d corner : corners) {
      const double at = dot(corner - level.place.origin, level.place.axes[i]) / spacing[i];
      low = std::min(low, at);
      high = std::max(high, at);
    }
    const double most = size[i] - 1;
    box.begin[i] = static_cast<int>(std::clamp(std::floor(low) - touched_beside, 0.0, most));
    box.end[i] = static_cast<int>(std::clamp(std::ceil(high) + touched_beside, 0.0, most)) + 1;
    if (box.end[i] - box.begin[i] >= 2) continue;  // a volume in memory has two or more voxels
    box.begin[i] = std::max(box.begin[i] - 1, 0);
    box.end[i] = std::min(box.begin[i] + 2, size[i]);
  }
  return box;
}

render::GridBox grown(const render::GridBox& box, int margin, render::VolumeSize within) {
  if (margin == 0) return box;
  const auto size = sides_of(within);
  render::GridBox grown;
  for (std::size_t i = 0; i < 3; ++i) {
    const int by = (box.end[i] - box.begin[i]) / margin + 1;
    grown.begin[i] = std::max(box.begin[i] - by, 0);
    grown.end[i] = std::min(box.end[i] + by, size[i]);
  }
  return grown;
}

}  // namespace tilewall::volume
