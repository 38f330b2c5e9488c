// How the ranges that lie beside bricks begin (render/bricks/brick_ranges.hpp has the rest), for
// who writes them, who draws by them, and who reads the bricks.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

namespace tilewall::render {

struct RangesHeader {            // offset
  std::uint32_t magic;           //  0  'TWBR'
  std::uint16_t version;         //  4
  std::uint8_t type;             //  6  VoxelType
  std::uint8_t cell_side;        //  7  voxels
  std::uint32_t brick_side;      //  8  voxels
  std::uint32_t size_voxels[3];  // 12  of the level: x, y, z
  std::uint32_t bricks[3];       // 24  x, y, z
  std::uint32_t zero;            // 36
};
static_assert(sizeof(RangesHeader) == 40);
inline constexpr std::uint32_t ranges_magic = 0x52425754;  // 'TWBR'
inline constexpr std::uint16_t ranges_version = 1;
inline constexpr std::uint64_t ranges_alignment = 64;  // pairs of bricks begin here

/// Path of the file within the OME-Zarr folder `zarr`.
[[nodiscard]] inline std::filesystem::path ranges_file(const std::filesystem::path& zarr,
                                                       int timestep, int level) {
  return zarr / ".tilewall" / "ranges" / fmt::format("{}", timestep) / fmt::format("{}", level);
}

}  // namespace tilewall::render
