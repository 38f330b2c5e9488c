// Which voxels of a volume are held in memory, of what fineness: all of it coarse enough to be
// there soon, the overview, and of what a picture sees as much fineness as its pixels show, the
// detail. Together they fit a budget.
//
// All of it follows from the arguments alone, so that hosts that show the same picture choose the
// same. Pure; any thread.
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

/// A fineness in which a volume can be shown.
struct VolumeLevel {
  int grid = 0;               ///< of VolumeInfo's
  int side = 1;               ///< a voxel for so many cubed of the grid's
  render::VolumeSize size;    ///< 1 or more along each axis
  render::VolumePlace place;  ///< stretched
};

/// The finest first: the file's own grids, then halvings of the coarsest of them. `stretch`:
/// factors of the spacings.
[[nodiscard]] std::vector<VolumeLevel> volume_levels(const render::VolumeInfo& info, Vec3d stretch);

/// Bytes that a volume of so many voxels takes while it is shown, with all that is kept beside it;
/// the system's pages round them up, by at most 2 MiB twice.
[[nodiscard]] std::size_t shown_bytes(render::VoxelType type, render::VolumeSize size) noexcept;

/// How a budget is shared out.
struct MemoryPlan {
  int overview = 0;              ///< level: 0 where all of the finest fits, and there is no detail
  std::int64_t overviews = 1;    ///< timesteps that are held at once
  std::size_t detail_bytes = 0;  ///< what is left
};

/// Of what is being read, at most: twice as much is set aside.
[[nodiscard]] std::size_t reading_window_bytes(std::size_t memory_bytes) noexcept;

/// @pre levels of volume_levels()
[[nodiscard]] MemoryPlan plan_memory(const std::vector<VolumeLevel>& levels, render::VoxelType type,
                                     std::int64_t timesteps, std::size_t memory_bytes);

/// What a picture sees of a volume.
struct SeenPart {
  render::VolumeCamera camera;
  SizePx picture_px;                           ///< the whole region's: not a panel's
  std::array<double, 3> clip_min = {0, 0, 0};  ///< shares of the volume's sides
  std::array<double, 3> clip_max = {1, 1, 1};
  std::vector<render::ClipPlane> planes = {};
  bool around = false;  ///< no flat picture holds what is seen: as if all of the volume were
  bool operator==(const SeenPart&) const = default;
};

struct DetailChoice {
  int level = 0;
  render::GridBox needed;  ///< of the level's voxels: all that samples and gradients touch
  render::GridBox box;     ///< that, and around it what is seen when the camera moves a little
  std::shared_ptr<const render::TileNeeds> tiles;  ///< only these of the box; null: all of it
  std::size_t tiles_bytes = 0;  ///< that tiles may take, with others that were needed
  bool operator==(const DetailChoice&) const = default;
};

/// The finest level whose voxels are not smaller than about a pixel where the volume is nearest,
/// and whose part that is seen fits; empty where the overview is as good as that, or nothing is
/// seen. Throws InputError for a camera without meaning.
[[nodiscard]] std::optional<DetailChoice> choose_detail(const std::vector<VolumeLevel>& levels,
                                                        const MemoryPlan& plan,
                                                        render::VoxelType type,
                                                        const SeenPart& seen);

struct VisiblePolyhedron;
/// The same of one level alone. @pre number < plan.overview; something is seen
[[nodiscard]] std::optional<DetailChoice> choose_box(const std::vector<VolumeLevel>& levels,
                                                     const MemoryPlan& plan, render::VoxelType type,
                                                     int number, const VisiblePolyhedron& body);

}  // namespace tilewall::volume
