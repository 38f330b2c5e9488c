// How a volume is cut: levels, each half as long as the one before, and the bricks of each.
//
// Level 0 is the volume itself. Bricks are cubes; those at far ends reach beyond the volume. A slab
// is a layer of bricks, all those of one z.
#pragma once

#include <cstddef>
#include <vector>

#include "render/readers/volume_info.hpp"

namespace tilewall::render {

inline constexpr int least_brick_side = 32;
inline constexpr int greatest_brick_side = 256;
inline constexpr int brick_side_step = 8;  ///< sides are multiples of it: whole cells, whole halves
inline constexpr int coarsest_side = 64;   ///< levels end where no axis is longer

struct BrickLevel {
  VolumeSize size;    ///< voxels
  VolumePlace place;  ///< of its voxels
  VolumeSize bricks;  ///< along each axis
};

struct BrickLayout {
  VoxelType type = VoxelType::u8;
  int side = 64;  ///< of a brick, voxels
  std::vector<BrickLevel> levels;

  [[nodiscard]] std::size_t brick_voxels() const noexcept;
  [[nodiscard]] std::size_t brick_bytes() const noexcept;
  /// Slices that slab `slab` of a level has: `side`, but for the last one.
  [[nodiscard]] int slices(std::size_t level, int slab) const noexcept;
  /// Of a slab of a level with all its slices.
  [[nodiscard]] std::size_t slab_bytes(std::size_t level) const noexcept;
};

/// @pre `side` is a multiple of brick_side_step, and even halves of it are
[[nodiscard]] BrickLayout brick_layout(const VolumeInfo& volume, int side);

}  // namespace tilewall::render
