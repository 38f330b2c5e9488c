// Reads the ranges beside a level's bricks: the least and greatest number of every brick, and of
// every cell of the bricks. With them, bricks that show nothing need not be read.
//
// Format of the file .tilewall/ranges/TIMESTEP/LEVEL in an OME-Zarr of `tilewall brick`, little
// endian:
// - RangesHeader, and 24 bytes of 0
// - for every brick, x fastest, a pair of numbers of the voxels' type: the least and the greatest
// - from the next multiple of 64 bytes on, for every brick (brick_side / cell_side)^3 pairs, x
// fastest
//
// Numbers are those stored in voxels, before scale and offset. The pair of brick b covers the
// voxels [b side, (b + 1) side) along each axis, without neighbours; the same holds for cells. If
// no voxel has a value, or the cell lies beyond the volume, the least number is above the greatest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "render/bricks/brick_layout.hpp"
#include "render/readers/ranges_header.hpp"
#include "render/readers/volume_info.hpp"
#include "render/volume/tile_needs.hpp"
#include "render/volume/volume.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::render {

/// Layout of a level's file.
struct RangesPlan {
  VoxelType type = VoxelType::u8;
  int brick_side = 64;  ///< voxels
  int cell_side = 4;    ///< voxels
  VolumeSize size;      ///< size of the level, voxels
  VolumeSize bricks;    ///< number of bricks along each axis

  [[nodiscard]] RangesHeader header() const noexcept;
  [[nodiscard]] std::size_t cells_bytes() const noexcept;  ///< bytes of one brick's cells
  [[nodiscard]] std::size_t brick_index(int x, int y, int z) const noexcept;
  [[nodiscard]] std::uint64_t brick_offset(std::size_t brick) const noexcept;
  [[nodiscard]] std::uint64_t cells_offset(std::size_t brick) const noexcept;
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
};
[[nodiscard]] RangesPlan ranges_plan(const BrickLayout& layout, std::size_t level);

/// The range of all cells together; empty() if any cell is without a value.
[[nodiscard]] ValueRange range_of(const CellPairs& cells) noexcept;

/// One open file of ranges. Threads: any number may read at once.
class BrickRanges {
 public:
  /// Opens a file and reads the bricks' pairs; those of cells stay on the disk. Throws InputError
  /// naming the file if it is missing, cut off or of another kind, or lies outside of the folder
  /// `beneath`, a path without links, unless that is "".
  [[nodiscard]] static BrickRanges open(const std::filesystem::path& zarr, int timestep, int level,
                                        const std::filesystem::path& beneath = {});

  /// Opens the file of a level of `size` with u8 voxels and cells of cell_side_of(size). Empty if
  /// there is no such file, or it has another size, type or cell side.
  [[nodiscard]] static std::optional<BrickRanges> try_open(
      const std::filesystem::path& zarr, int timestep, int level, VolumeSize size,
      const std::filesystem::path& beneath = {});

  [[nodiscard]] const RangesPlan& plan() const noexcept { return plan_; }

  /// The range of a brick's stored numbers; empty() if no voxel has a value.
  /// @pre 0 <= x, y, z < plan().bricks
  [[nodiscard]] ValueRange brick(int x, int y, int z) const noexcept;

  /// A range that holds all samples with floor(voxel coordinate) in the brick. Interpolation mixes
  /// in voxels of the next bricks, so their ranges are included as a whole.
  [[nodiscard]] ValueRange sampled(int x, int y, int z) const noexcept;

  /// The ranges of a brick's cells, x fastest. Throws InputError if the disk fails.
  [[nodiscard]] std::vector<ValueRange> cells(int x, int y, int z) const;

  /// The cells of `box`, which counts in cells. Throws as cells() does.
  /// @pre voxels are u8; the box lies within the volume, whose last cells may be cut
  [[nodiscard]] CellPairs cells_in(const GridBox& box) const;

  /// The cells of the whole volume. Throws as cells() does. @pre voxels are u8
  [[nodiscard]] CellPairs all_cells() const;

 private:
  BrickRanges() = default;
  std::string file_;
  UniqueFd fd_;
  RangesPlan plan_;
  std::vector<std::byte> pairs_;  // pairs of all bricks
};

}  // namespace tilewall::render
