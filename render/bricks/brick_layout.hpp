// Layout of a bricked volume: its levels, each half as long as the finer one, and their bricks.
//
// Level 0 is the volume itself. Bricks are cubes; those at the far ends reach beyond the volume. A
// slab is a layer of bricks here, all those of one z.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "render/readers/volume_info.hpp"

namespace tilewall::render {

inline constexpr int least_brick_side = 32;
inline constexpr int greatest_brick_side = 256;
inline constexpr int brick_side_step = 8;  ///< sides are multiples, so that bricks hold whole cells
inline constexpr int coarsest_side = 64;   ///< the last level is the first with no longer axis

struct BrickLevel {
  VolumeSize size;    ///< voxels
  VolumePlace place;  ///< place of the level's voxels in the world
  VolumeSize bricks;  ///< number of bricks along each axis
};

struct BrickLayout {
  VoxelType type = VoxelType::u8;
  int side = 64;  ///< side of a brick, voxels
  std::vector<BrickLevel> levels;

  [[nodiscard]] std::size_t brick_voxels() const noexcept;
  [[nodiscard]] std::size_t brick_bytes() const noexcept;

  /// Number of slices in slab `slab` of a level: `side`, except for the last slab.
  [[nodiscard]] int slices(std::size_t level, int slab) const noexcept;

  /// Bytes of a level's first slab, which no other one exceeds.
  [[nodiscard]] std::size_t slab_bytes(std::size_t level) const noexcept;
};

/// The layout of a volume in bricks of `side` voxels. @pre `side` is a multiple of brick_side_step
[[nodiscard]] BrickLayout brick_layout(const VolumeInfo& volume, int side);

}  // namespace tilewall::render
