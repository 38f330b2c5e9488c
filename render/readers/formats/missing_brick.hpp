// Decides whether a brick of `tilewall brick` without a file is lost or consists of fill values.
// The ranges beside the bricks (ranges_header.hpp) tell.
#pragma once

#include <array>
#include <filesystem>

#include "render/readers/volume_info.hpp"

namespace tilewall::render {

/// Identifies a brick of an OME-Zarr that `tilewall brick` wrote.
struct BrickPlace {
  std::filesystem::path zarr;  ///< the OME-Zarr's folder
  int timestep = 0;
  int level = 0;
  std::array<std::int64_t, 3> at = {};  ///< index among the level's bricks: x, y, z
};

/// Returns true if ranges exist that match the level's size, type and side of bricks, and by these
/// the brick has values. Without matching ranges the brick counts as fill, as in Zarr v2.
[[nodiscard]] bool is_brick_lost(const BrickPlace& brick, VolumeSize size, VoxelType type,
                                 std::int64_t brick_side);

}  // namespace tilewall::render
