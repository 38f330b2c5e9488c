// The kernel that finds the least and greatest stored number of a brick and of its cells.
//
// A pair is two numbers of the voxels' type, the least and the greatest. If there is no value, the
// least is above the greatest. Threads: pure functions.
#pragma once

#include <cstddef>
#include <span>

#include "render/volume/volume.hpp"

namespace tilewall::render {

/// A brick within the slices of a whole level; not owned.
struct BrickView {
  const std::byte* first = nullptr;  ///< the brick's voxel (0, 0, 0)
  std::size_t row_voxels = 0;        ///< distance from a row to the next, voxels
  std::size_t slice_voxels = 0;      ///< distance from a slice to the next, voxels
  VolumeSize inside;                 ///< size of the brick's part inside the volume, voxels
};

/// Bytes of one pair.
[[nodiscard]] std::size_t pair_bytes(VoxelType type) noexcept;

/// Writes the pairs of the brick's (brick_side / cell_side)^3 cells to `cells`, x fastest, and the
/// pair of the whole brick to `whole`. Cells beyond the volume have no value. NaN is ignored.
void find_brick_cells(VoxelType type, const BrickView& brick, int brick_side, int cell_side,
                      std::span<std::byte> cells, std::span<std::byte> whole);

/// The range of a pair; empty() if the pair has no value.
[[nodiscard]] ValueRange range_of_pair(VoxelType type, const std::byte* pair) noexcept;

}  // namespace tilewall::render
