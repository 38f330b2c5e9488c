// Makes a volume smaller while it is read: a voxel for every cube of side x side x side, their
// mean. Empty voxels (NaN among f32) do not count.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "render/volume/volume.hpp"

namespace tilewall::render {

/// `size` by `side`, rounded up: cubes at the far ends may be cut.
[[nodiscard]] VolumeSize reduced_size(VolumeSize size, int side) noexcept;

/// Where the smaller volume of a volume of `size` lies, so that what it shows stays in its place.
/// An axis of one voxel keeps its spacing: there is nothing to reduce.
[[nodiscard]] VolumePlace reduced_place(const VolumePlace& place, VolumeSize size,
                                        int side) noexcept;

/// `slices` slices of `size.x` x `size.y` voxels, at most `side` of them, into one slice of the
/// smaller volume at `to`.
void reduce_slab(VoxelType type, VolumeSize size, const std::byte* slab, int slices, int side,
                 std::byte* to);

/// A part of each slice, in voxels. It begins at multiples of the side, and ends there or where the
/// slice does.
struct SlicePart {
  int x_begin = 0;
  int x_end = 0;
  int y_begin = 0;
  int y_end = 0;
};

/// The same of a part, to its place in the smaller slice at `to`: threads share a slab by parts.
void reduce_slab(VoxelType type, VolumeSize size, const std::byte* slab, int slices, int side,
                 const SlicePart& part, std::byte* to);

}  // namespace tilewall::render
