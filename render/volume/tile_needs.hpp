// Which tiles of a u8 volume a picture must have in memory, found by the ranges of its cells alone.
//
// Where no tile is loaded every voxel reads as one number, the fill. That changes no picture: a
// style shows nothing of a whole interval of numbers around the fill, and a tile may only be left
// out if all cells that samples read in it lie in that interval. So samples that take the fill in,
// whatever else they take in, add exactly nothing. Cells that another interval makes invisible
// count as needed.
// Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "render/volume/cast_style.hpp"
#include "render/volume/tiled_voxels.hpp"

namespace tilewall::render {

/// The least and greatest number of the cells of a volume; here cell c along an axis holds the
/// voxels [c side, (c + 1) side) alone.
struct CellPairs {
  int side = 4;  ///< cell_side_of() the volume's size
  std::array<int, 3> count = {};
  std::vector<std::uint8_t> least;  ///< x fastest
  std::vector<std::uint8_t> greatest;
  ValueRange stored;  ///< of all of them
};

/// Numbers [first, last] of which a style shows nothing, not between them either; first > last:
/// there are none.
struct QuietNumbers {
  int first = 1;
  int last = 0;
  std::uint8_t fill = 0;  ///< one of them
};
/// Of all such intervals that which most of some cells lie in.
[[nodiscard]] QuietNumbers quiet_numbers(const CellPairs& cells, const TransferTable& table,
                                         const CastStyle& style, ValueScale scale);

/// How far from its cell a sample's voxels may lie, its gradient's and the next sample's included,
/// along each axis.
struct SampleReach {
  std::array<int, 3> before = {};
  std::array<int, 3> after = {};
};
[[nodiscard]] SampleReach sample_reach(const CastStyle& style, const VolumePlace& place) noexcept;

/// Of the volume that CellPairs are of: begins at multiples of tiles and cells.
struct TileRegion {
  std::array<int, 3> begin = {};  ///< voxels
  VolumeSize size;
};

struct TileNeeds {
  std::uint8_t fill = 0;
  std::vector<std::uint8_t> needed;  ///< of the region's tiles, by number: 1 where needed
  std::size_t count = 0;
  ValueRange stored;  ///< of all cells, of the region and elsewhere
};
/// `sides`: in the region's voxel coordinates; what lies beyond any of them is not looked at.
[[nodiscard]] TileNeeds needed_tiles(const CellPairs& cells, const TileRegion& region,
                                     const QuietNumbers& quiet, const SampleReach& reach,
                                     std::span<const ClipPlane> sides);

}  // namespace tilewall::render
