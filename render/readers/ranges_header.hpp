// Header of the file of value ranges that lies beside a level's bricks
// (render/bricks/brick_ranges.hpp has the format). It stands here for the writer of ranges, the
// caster that draws by them, and the readers of bricks. All numbers are little endian.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <type_traits>

namespace tilewall::render {

struct RangesHeader {            // offset
  std::uint32_t magic;           //  0  'TWBR'
  std::uint16_t version;         //  4
  std::uint8_t type;             //  6  VoxelType
  std::uint8_t cell_side;        //  7  side of a cell in voxels
  std::uint32_t brick_side;      //  8  side of a brick in voxels
  std::uint32_t size_voxels[3];  // 12  size of the level: x, y, z
  std::uint32_t bricks[3];       // 24  number of bricks: x, y, z
  std::uint32_t zero;            // 36  always 0
};
static_assert(sizeof(RangesHeader) == 40 && offsetof(RangesHeader, version) == 4 &&
              offsetof(RangesHeader, type) == 6 && offsetof(RangesHeader, cell_side) == 7 &&
              offsetof(RangesHeader, brick_side) == 8 &&
              offsetof(RangesHeader, size_voxels) == 12 && offsetof(RangesHeader, bricks) == 24 &&
              offsetof(RangesHeader, zero) == 36);
static_assert(std::is_trivially_copyable_v<RangesHeader> &&
              std::has_unique_object_representations_v<RangesHeader>);
inline constexpr std::uint32_t ranges_magic = 0x52425754;  // 'TWBR'
inline constexpr std::uint16_t ranges_version = 1;
inline constexpr std::uint64_t ranges_alignment = 64;  // bytes; the bricks' pairs begin here

/// Path of the ranges of a timestep and level within the OME-Zarr folder `zarr`.
[[nodiscard]] inline std::filesystem::path ranges_file(const std::filesystem::path& zarr,
                                                       int timestep, int level) {
  return zarr / ".tilewall" / "ranges" / fmt::format("{}", timestep) / fmt::format("{}", level);
}

}  // namespace tilewall::render
