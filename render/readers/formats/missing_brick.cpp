#include "render/readers/formats/missing_brick.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "render/readers/formats/file_root.hpp"
#include "render/readers/ranges_header.hpp"

namespace tilewall::render {
namespace {

template <typename T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& into) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&into), sizeof into));
}

/// Whether the brick's pair, its least and greatest number, shows other contents than fill. Fill is
/// 0 for whole numbers; for f32 it is empty voxels, which leave the pair without order.
template <typename T>
bool holds_something(std::ifstream& file, std::uint64_t brick) {
  std::array<T, 2> pair = {};
  if (!read_at(file, ranges_alignment + brick * sizeof pair, pair)) return false;
  if constexpr (std::is_floating_point_v<T>) return pair[0] <= pair[1];
  return pair[0] != 0 || pair[1] != 0;
}

}  // namespace

bool is_brick_lost(const BrickPlace& brick, VolumeSize size, VoxelType type,
                   std::int64_t brick_side) {
  const std::filesystem::path ranges = ranges_file(brick.zarr, brick.timestep, brick.level);
  std::error_code none;
  if (!std::filesystem::is_regular_file(ranges, none)) return false;  // opening a pipe would block
  const FileRoot::ForLibrary opened = FileRoot::of_process().for_library(ranges);
  std::ifstream file(opened.path, std::ios::binary);
  RangesHeader header = {};
  if (!file || !read_at(file, 0, header) || header.magic != ranges_magic ||
      header.version != ranges_version || header.type != static_cast<std::uint8_t>(type) ||
      header.brick_side != brick_side)
    return false;
  const std::array<int, 3> sides = {size.x, size.y, size.z};
  for (std::size_t i = 0; i < 3; ++i)
    if (header.size_voxels[i] != static_cast<std::uint32_t>(sides[i]) ||
        header.bricks[i] <= brick.at[i])
      return false;
  const auto along = [&](std::size_t i) { return static_cast<std::uint64_t>(brick.at[i]); };
  const std::uint64_t number =
      (along(2) * header.bricks[1] + along(1)) * header.bricks[0] + along(0);
  switch (type) {
    case VoxelType::u8:
      return holds_something<std::uint8_t>(file, number);
    case VoxelType::u16:
      return holds_something<std::uint16_t>(file, number);
    case VoxelType::f32:
      break;
  }
  return holds_something<float>(file, number);
}

}  // namespace tilewall::render
