#include "player/volume/volume_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/readers/load_volume.hpp"
#include "render/readers/slab_reducer.hpp"
#include "render/volume/cell_ranges.hpp"
#include "render/volume/volume_caster.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr int least_steps = 2;  // of a series: the one that is shown, and the next
constexpr int most_halvings = 12;
constexpr double cell_bytes = 10;  // two floats, and what pictures need
// Of the budget, at most 1 / so much for an overview: of one timestep; of each of two of a series.
constexpr std::size_t still_share = 4;
constexpr std::size_t series_share = 3;
// A voxel that covers less of a pixel than this shows nothing that the next level does not.
constexpr double least_voxel_px = 0.71;
constexpr int touched_beside = 2;  // voxels: a sample's other corner, and its gradient's
// Voxels of a file to be read for a detail that it does not hold at that fineness.
constexpr double most_reduced_voxels = 4e9;
constexpr std::array<int, 3> margins = {4, 8, 0};  // 1/4, 1/8, none of the box to each side

/// Keeps dot(normal, p) + offset >= 0.
struct Side {
  Vec3d normal;  ///< unit length
  double offset = 0;
};

Side side_through(Vec3d normal, Vec3d point) {
  const Vec3d unit = normalized(normal);
  return {unit, -dot(unit, point)};
}

std::array<int, 3> sides_of(VolumeSize size) { return {size.x, size.y, size.z}; }

VolumeSize thickened_size(VolumeSize size) noexcept {
  return {std::max(size.x, 2), std::max(size.y, 2), std::max(size.z, 2)};
}

bool is_showable(VolumeSize size) { return std::max({size.x, size.y, size.z}) <= max_volume_side; }

double voxel_length(const VolumeLevel& level) {
  return std::cbrt(level.place.spacing.x * level.place.spacing.y * level.place.spacing.z);
}

/// The eye's axes, and world units per pixel: perspective at distance 1.
struct EyeAxes {
  Vec3d ahead;
  Vec3d right;
  Vec3d down;
  double pixel = 0;
};

EyeAxes eye_axes(const SeenPart& seen) {
  const VolumeCamera& camera = seen.camera;
  const Vec3d ahead = camera.look_at - camera.eye;
  const Vec3d right = cross(ahead, camera.up);
  const bool perspective = camera.lens == Lens::perspective;
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

/// Of what the picture's rays pass.
void add_frustum(const SeenPart& seen, const EyeAxes& axes, std::vector<Side>& sides) {
  const VolumeCamera& camera = seen.camera;
  const PointF centre = {seen.picture_px.width / 2.0 + camera.centre_offset_px.x,
                         seen.picture_px.height / 2.0 + camera.centre_offset_px.y};
  const auto add = [&](Vec3d across, double px, double sign) {
    const double at = px * axes.pixel;
    if (camera.lens == Lens::perspective)
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

/// Of the finest level's voxels, each up to its own sides, and of the clip box.
void add_box(const VolumeLevel& finest, const SeenPart& seen, std::vector<Side>& sides) {
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

/// Corners of the body between the sides, by trying every three of them: there are few.
std::vector<Vec3d> corners_of(const std::vector<Side>& sides, double tolerance) {
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
        const bool inside = std::all_of(sides.begin(), sides.end(), [&](const Side& side) {
          return dot(side.normal, at) + side.offset >= -tolerance;
        });
        if (inside) corners.push_back(at);
      }
  return corners;
}

/// The level's voxels that samples among the corners touch.
GridBox touched_box(const VolumeLevel& level, const std::vector<Vec3d>& corners) {
  const auto spacing = axes_of(level.place.spacing);
  const auto size = sides_of(level.size);
  GridBox box;
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
    if (box.end[i] - box.begin[i] >= 2) continue;  // two voxels, where there are
    box.begin[i] = std::max(box.begin[i] - 1, 0);
    box.end[i] = std::min(box.begin[i] + 2, size[i]);
  }
  return box;
}

GridBox grown(const GridBox& box, int margin, VolumeSize within) {
  if (margin == 0) return box;
  const auto size = sides_of(within);
  GridBox grown;
  for (std::size_t i = 0; i < 3; ++i) {
    const int by = (box.end[i] - box.begin[i]) / margin + 1;
    grown.begin[i] = std::max(box.begin[i] - by, 0);
    grown.end[i] = std::min(box.end[i] + by, size[i]);
  }
  return grown;
}

bool fits(VoxelType type, VolumeSize size, std::size_t bytes) {
  return is_showable(size) && shown_bytes(type, size) <= bytes;
}

}  // namespace

std::vector<VolumeLevel> volume_levels(const VolumeInfo& info, Vec3d stretch) {
  std::vector<VolumeLevel> levels;
  for (int grid = 0; grid < info.grids(); ++grid)
    levels.push_back({grid, 1, info.grid(grid).size, stretched_place(info, grid, stretch)});
  const VolumeLevel coarsest = levels.back();
  for (int halvings = 1; halvings <= most_halvings; ++halvings) {
    const int side = 1 << halvings;
    if (side / 2 >= std::max({coarsest.size.x, coarsest.size.y, coarsest.size.z})) break;
    levels.push_back({coarsest.grid, side, reduced_size(coarsest.size, side),
                      reduced_place(coarsest.place, coarsest.size, side)});
  }
  return levels;
}

std::size_t shown_bytes(VoxelType type, VolumeSize thin) noexcept {
  const VolumeSize size = thickened_size(thin);
  const int side = cell_side_of(size);
  double cells = 1;
  for (const int length : {size.x, size.y, size.z}) cells *= (length - 1 + side - 1) / side;
  return size.voxels() * static_cast<std::size_t>(bytes_of(type)) + caster_bytes(type, size) +
         static_cast<std::size_t>(cells * cell_bytes);
}

std::size_t reading_window_bytes(std::size_t memory_bytes) noexcept {
  return std::clamp(memory_bytes / 32, std::size_t{64} << 10, std::size_t{32} << 20);
}

MemoryPlan plan_memory(const std::vector<VolumeLevel>& levels, VoxelType type,
                       std::int64_t timesteps, std::size_t memory_bytes) {
  const std::size_t reading = 2 * reading_window_bytes(memory_bytes);
  const std::size_t room = memory_bytes > reading ? memory_bytes - reading : 0;
  MemoryPlan plan;
  const auto bytes = [&] {
    return shown_bytes(type, levels[static_cast<std::size_t>(plan.overview)].size);
  };
  const auto hold = [&](std::size_t most) {
    plan.overviews =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(most / bytes()), 1, timesteps);
  };
  const auto steps = static_cast<std::size_t>(std::min<std::int64_t>(timesteps, least_steps));
  if (fits(type, levels[0].size, room / steps)) {
    hold(room);
    return plan;
  }
  const std::size_t most = room / (timesteps > 1 ? series_share : still_share);
  const int last = static_cast<int>(levels.size()) - 1;
  while (plan.overview < last &&
         !fits(type, levels[static_cast<std::size_t>(plan.overview)].size, most))
    ++plan.overview;
  hold(steps * most);
  const std::size_t held = static_cast<std::size_t>(plan.overviews) * bytes();
  plan.detail_bytes = room > held ? room - held : 0;
  return plan;
}

std::optional<DetailChoice> choose_detail(const std::vector<VolumeLevel>& levels,
                                          const MemoryPlan& plan, VoxelType type,
                                          const SeenPart& seen) {
  if (plan.overview == 0) return std::nullopt;
  const EyeAxes axes = eye_axes(seen);
  std::vector<Side> sides;
  add_box(levels[0], seen, sides);
  if (!seen.around) add_frustum(seen, axes, sides);
  for (const ClipPlane& plane : seen.planes)
    if (const double size = length(plane.normal); size > 0)
      sides.push_back({(1 / size) * plane.normal, plane.offset / size});
  const std::vector<Vec3d> corners = corners_of(sides, 1e-6 * voxel_length(levels[0]));
  if (corners.empty()) return std::nullopt;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Vec3d corner : corners)
    nearest = std::min(nearest, dot(corner - seen.camera.eye, axes.ahead));
  const bool perspective = seen.camera.lens == Lens::perspective;
  const double ahead = seen.around ? 0 : std::max(nearest, 0.0);
  const double pixel = axes.pixel * (perspective ? ahead : 1);
  for (int number = 0; number < plan.overview; ++number) {
    const VolumeLevel& level = levels[static_cast<std::size_t>(number)];
    if (voxel_length(level) < least_voxel_px * pixel) continue;
    const GridBox needed = touched_box(level, corners);
    const double read = static_cast<double>(needed.size().voxels()) * std::pow(level.side, 3);
    if (level.side > 1 && read > most_reduced_voxels) continue;
    for (const int margin : margins) {
      const GridBox box = grown(needed, margin, level.size);
      if (fits(type, box.size(), plan.detail_bytes)) return DetailChoice{number, needed, box};
    }
  }
  return std::nullopt;
}

}  // namespace tilewall
