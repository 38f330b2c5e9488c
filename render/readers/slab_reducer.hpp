// Reduces a volume while it is read: each voxel of the result is the mean of a cube of side x side
// x side voxels. Empty voxels (NaN in f32) do not count; a cube of empty voxels gives an empty one.
//
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "render/volume/volume.hpp"

namespace tilewall::render {

/// Returns `size` divided by `side`, rounded up: cubes at the far ends may be cut off.
[[nodiscard]] VolumeSize reduced_size(VolumeSize size, int side) noexcept;

/// Returns the place of the reduced volume, so that its contents stay in their place. `place` and
/// `size` are those of the original. An axis of one voxel keeps its spacing.
[[nodiscard]] VolumePlace reduced_place(const VolumePlace& place, VolumeSize size,
                                        int side) noexcept;

/// Reduces a slab of `slices` slices (at most `side`) of `size.x` x `size.y` voxels to one slice of
/// the reduced volume at `to`.
void reduce_slab(VoxelType type, VolumeSize size, const std::byte* slab, int slices, int side,
                 std::byte* to);

/// A rectangle of each slice, in voxels. It begins at multiples of the side, and ends there or
/// where the slice does.
struct SlicePart {
  int x_begin = 0;
  int x_end = 0;
  int y_begin = 0;
  int y_end = 0;
};

/// Reduces a part of a slab, so that threads can share it. `to` is the whole reduced slice, of
/// which only this part is written.
void reduce_slab(VoxelType type, VolumeSize size, const std::byte* slab, int slices, int side,
                 const SlicePart& part, std::byte* to);

}  // namespace tilewall::render
