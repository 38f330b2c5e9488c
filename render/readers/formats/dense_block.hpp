// Converts a box of numbers of any number of axes, which a library has read into memory, to voxels.
#pragma once

#include <cstddef>
#include <vector>

#include "render/readers/formats/element.hpp"

namespace tilewall::render {

/// Shape of a box of numbers, the last axis fastest.
struct DenseBlock {
  std::vector<std::size_t> counts;  ///< length of each axis
  int x = -1;                       ///< Index of the x axis; -1: none
  int y = -1;                       ///< Index of the y axis; -1: none
  int z = -1;                       ///< Index of the z axis; -1: none
};

/// Converts all voxels of the box, x fastest, without padding. @pre each axis that is not x, y or z
/// has length 1 or is merged by the converter
void convert_block(const DenseBlock& block, const VoxelConverter& converter,
                   const std::byte* numbers, std::byte* into);

/// Distance between neighbours along an axis, in numbers; 1 for axis -1.
[[nodiscard]] std::size_t step_along(const DenseBlock& block, int axis);

}  // namespace tilewall::render
