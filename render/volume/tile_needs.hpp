// Finds the tiles of a u8 volume that a picture must have in memory, from the ranges of its cells
// alone.
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
  std::vector<std::uint8_t> least;  ///< Least number of each cell, x fastest
  std::vector<std::uint8_t> greatest;
  ValueRange stored;  ///< Least and greatest number of the volume
};

/// Numbers [first, last] of which a style shows nothing, nor of any value between them. Empty where
/// first > last.
struct QuietNumbers {
  int first = 1;
  int last = 0;
  std::uint8_t fill = 0;  ///< One of these numbers
};
/// The interval of quiet numbers in which the most of some cells lie.
[[nodiscard]] QuietNumbers quiet_numbers(const CellPairs& cells, const TransferTable& table,
                                         const CastStyle& style, ValueScale scale);

/// How far from its cell a sample's voxels may lie, its gradient's and the next sample's included,
/// along each axis.
struct SampleReach {
  std::array<int, 3> before = {};
  std::array<int, 3> after = {};
};
[[nodiscard]] SampleReach sample_reach(const CastStyle& style, const VolumePlace& place) noexcept;

/// The part of the volume of CellPairs that is considered. It begins at multiples of tiles and
/// cells.
struct TileRegion {
  std::array<int, 3> begin = {};  ///< In voxels
  VolumeSize size;
};

struct TileNeeds {
  std::uint8_t fill = 0;
  TileUses uses;          ///< Of the region's tiles
  std::size_t count = 0;  ///< Tiles that are needed
  ValueRange stored;      ///< Range of the whole volume's stored numbers
};

/// The tiles of a region in which samples may show something, wherever the picture looks.
struct ShownTiles {
  std::uint8_t fill = 0;
  std::array<int, 3> count = {};    ///< Tiles along x, y, z
  std::vector<std::uint8_t> shown;  ///< One byte per tile, by number: 1 where samples may
  SampleReach reach;
  ValueRange stored;  ///< Range of the whole volume's stored numbers
};
[[nodiscard]] ShownTiles shown_tiles(const CellPairs& cells, const TileRegion& region,
                                     const QuietNumbers& quiet, const SampleReach& reach);

/// `sides` are planes in the region's voxel coordinates; what is beyond any of them is not seen.
[[nodiscard]] TileNeeds needed_tiles(const ShownTiles& tiles, std::span<const ClipPlane> sides);

}  // namespace tilewall::render
