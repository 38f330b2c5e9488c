// The least and greatest stored number of a brick and of its cells.
#pragma once

#include <cstddef>
#include <span>

#include "render/volume/volume.hpp"

namespace tilewall::render {

/// A brick where it lies: in slices of a whole level.
struct BrickView {
  const std::byte* first = nullptr;  ///< its voxel (0, 0, 0)
  std::size_t row_voxels = 0;        ///< from a row to the next
  std::size_t slice_voxels = 0;      ///< from a slice to the next
  VolumeSize inside;                 ///< how much of the brick the volume has
};

/// Two numbers of the voxels' type, least and greatest: what `pair_bytes` holds.
[[nodiscard]] std::size_t pair_bytes(VoxelType type) noexcept;

/// Where no voxel has a value: the least is above the greatest.
void write_empty_pairs(VoxelType type, std::span<std::byte> pairs);

/// Of f32, NaN does not count. `cells` gets the pairs of the (brick_side / cell_side)^3 cells, x
/// fastest, empty ones beyond the volume; `whole` the brick's own.
void find_brick_cells(VoxelType type, const BrickView& brick, int brick_side, int cell_side,
                      std::span<std::byte> cells, std::span<std::byte> whole);

[[nodiscard]] ValueRange range_of_pair(VoxelType type, const std::byte* pair) noexcept;

}  // namespace tilewall::render
