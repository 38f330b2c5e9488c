#include "render/readers/formats/dense_block.hpp"

namespace tilewall::render {
namespace {

std::size_t count_along(const DenseBlock& block, int axis) {
  return axis < 0 ? 1 : block.counts[static_cast<std::size_t>(axis)];
}

}  // namespace

std::size_t step_along(const DenseBlock& block, int axis) {
  std::size_t step = 1;
  for (std::size_t i = static_cast<std::size_t>(axis) + 1; axis >= 0 && i < block.counts.size();
       ++i)
    step *= block.counts[i];
  return step;
}

void convert_block(const DenseBlock& block, const VoxelConverter& converter,
                   const std::byte* numbers, std::byte* into) {
  const auto bytes = static_cast<std::size_t>(bytes_of(converter.element()));
  const std::size_t width = count_along(block, block.x);
  const std::size_t row = width * static_cast<std::size_t>(bytes_of(converter.type()));
  for (std::size_t z = 0; z < count_along(block, block.z); ++z)
    for (std::size_t y = 0; y < count_along(block, block.y); ++y) {
      const std::size_t at = z * step_along(block, block.z) + y * step_along(block, block.y);
      converter.convert(numbers + at * bytes,
                        static_cast<std::ptrdiff_t>(step_along(block, block.x) * bytes), width,
                        into);
      into += row;
    }
}

}  // namespace tilewall::render
