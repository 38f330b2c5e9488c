// Makes a volume smaller while it is read: a voxel for every cube of side x side x side, their
// mean. Empty voxels (NaN among f32) do not count.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "render/volume/volume.hpp"

namespace tilewall {

/// `size` by `side`, rounded up: cubes at the far ends may be cut.
[[nodiscard]] VolumeSize reduced_size(VolumeSize size, int side) noexcept;

/// Where the smaller volume lies, so that what it shows stays in its place.
[[nodiscard]] VolumePlace reduced_place(const VolumePlace& place, int side) noexcept;

/// `slices` slices of `size.x` x `size.y` voxels, at most `side` of them, into one slice of the
/// smaller volume at `to`.
void reduce_slab(VoxelType type, VolumeSize size, const std::byte* slab, int slices, int side,
                 std::byte* to);

}  // namespace tilewall
