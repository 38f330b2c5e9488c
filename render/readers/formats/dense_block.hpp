// Numbers that a library has put into memory, a box of any number of axes: their voxels.
#pragma once

#include <cstddef>
#include <vector>

#include "render/readers/formats/element.hpp"

namespace tilewall::render {

/// A box of numbers, the last axis fastest, and which axes are x, y and z; -1: it has none such.
struct DenseBlock {
  std::vector<std::size_t> counts;
  int x = -1;
  int y = -1;
  int z = -1;
};

/// All voxels of the box, x fastest, without padding. @pre axes that are not x, y or z count 1, or
/// are merged by the converter
void convert_block(const DenseBlock& block, const VoxelConverter& converter,
                   const std::byte* numbers, std::byte* into);

/// Distance between neighbours along an axis, in numbers.
[[nodiscard]] std::size_t step_along(const DenseBlock& block, int axis);

}  // namespace tilewall::render
