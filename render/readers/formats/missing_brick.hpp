// Bricks of `tilewall brick` that have no file: all of them is fill, or they are lost. The ranges
// beside them know.
#pragma once

#include <array>
#include <filesystem>

#include "render/readers/volume_info.hpp"

namespace tilewall::render {

/// A brick of a timestep and level of an OME-Zarr that `tilewall brick` wrote.
struct BrickPlace {
  std::filesystem::path zarr;
  int timestep = 0;
  int level = 0;
  std::array<std::int64_t, 3> at = {};  ///< among bricks: x, y, z
};

/// Whether there are ranges that fit a level of this size, type and side of bricks, and by which
/// the brick holds something. Without ranges it is fill, as others' files have it.
[[nodiscard]] bool is_brick_lost(const BrickPlace& brick, VolumeSize size, VoxelType type,
                                 std::int64_t brick_side);

}  // namespace tilewall::render
