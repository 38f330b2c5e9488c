// Chooses the voxels of a volume that are held in memory. The overview is the whole volume at a
// coarse level, which is loaded quickly. The detail is the part that a picture sees, at the finest
// level that its pixels can show. Together they fit a budget.
//
// The choice depends on the arguments alone, so that all hosts with the same picture choose the
// same. Threads: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "render/readers/volume_info.hpp"
#include "render/volume/cast_style.hpp"
#include "render/volume/tile_needs.hpp"

namespace tilewall::volume {

/// A resolution in which a volume can be shown.
struct VolumeLevel {
  int grid = 0;               ///< number of the file's grid, VolumeInfo::grid()
  int side = 1;               ///< each voxel is the mean of side^3 voxels of the grid
  render::VolumeSize size;    ///< voxels; 1 or more along each axis
  render::VolumePlace place;  ///< Place with stretched spacings
};

/// All levels, the finest first: the file's own grids, then halvings of its coarsest grid.
/// `stretch`: factors of the spacings.
[[nodiscard]] std::vector<VolumeLevel> volume_levels(const render::VolumeInfo& info, Vec3d stretch);

/// Memory in bytes that a volume of `size` voxels takes while it is shown: voxels, the caster's
/// tables and ranges of cells. Huge pages add at most 4 MiB to that.
[[nodiscard]] std::size_t shown_bytes(render::VoxelType type, render::VolumeSize size) noexcept;

/// How the memory budget of a volume is divided.
struct MemoryPlan {
  int overview = 0;              ///< the overview's level; at 0 there is no detail
  std::int64_t overviews = 1;    ///< timesteps that are held at the same time
  std::size_t detail_bytes = 0;  ///< memory that is left for a detail
  /// The levels that are shown one after the other while the overview is read, where that takes
  /// long: levels of the file, the coarsest first.
  std::vector<int> previews{};
};

/// Size of the buffer through which a volume is read, in bytes. plan_memory() sets twice as much
/// aside.
[[nodiscard]] std::size_t reading_window_bytes(std::size_t memory_bytes) noexcept;

/// Chooses the overview's level for a budget of `memory_bytes`.
/// @pre `levels` are from volume_levels().
[[nodiscard]] MemoryPlan plan_memory(const std::vector<VolumeLevel>& levels, render::VoxelType type,
                                     std::int64_t timesteps, std::size_t memory_bytes);

/// The part of a volume that a picture sees.
struct SeenPart {
  render::VolumeCamera camera;
  SizePx picture_px;                           ///< size of the whole region's picture
  std::array<double, 3> clip_min = {0, 0, 0};  ///< clip box, as shares of the volume's sides
  std::array<double, 3> clip_max = {1, 1, 1};
  std::vector<render::ClipPlane> planes = {};
  /// The view reaches further than 85 degrees from the camera's axis, so treat the whole volume as
  /// visible.
  bool around = false;
  bool operator==(const SeenPart&) const = default;
};

/// The detail that a picture needs.
struct DetailChoice {
  int level = 0;
  render::GridBox needed;  ///< the level's voxels that samples and gradients touch
  render::GridBox box;     ///< `needed` with a margin, so that small moves need no other detail
  /// The tiles of the box that are loaded; null: the whole box.
  std::shared_ptr<const render::TileNeeds> tiles;
  std::size_t tiles_bytes = 0;  ///< limit for these and tiles that were needed before
  bool operator==(const DetailChoice&) const = default;
};

/// Chooses the finest level whose voxels are not smaller than about a pixel where the volume is
/// nearest, and whose visible part fits. Empty if the overview is as good, or if nothing is
/// visible. Throws InputError if the camera is not valid.
[[nodiscard]] std::optional<DetailChoice> choose_detail(const std::vector<VolumeLevel>& levels,
                                                        const MemoryPlan& plan,
                                                        render::VoxelType type,
                                                        const SeenPart& seen);

struct VisiblePolyhedron;
/// Chooses the visible box of one level; empty if its voxels are too small or too many.
/// @pre number < plan.overview, and `body` has corners.
[[nodiscard]] std::optional<DetailChoice> choose_box(const std::vector<VolumeLevel>& levels,
                                                     const MemoryPlan& plan, render::VoxelType type,
                                                     int number, const VisiblePolyhedron& body);

}  // namespace tilewall::volume
