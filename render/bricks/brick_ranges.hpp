// The least and greatest number of every brick of a level, and of every cell of its bricks, kept
// beside the bricks: what shows nothing need not be read.
//
// File .tilewall/ranges/TIMESTEP/LEVEL of an OME-Zarr that `tilewall brick` wrote, little endian:
// RangesHeader, 24 bytes of 0; for every brick (x fastest) a pair, least and greatest, of the
// voxels' type; from the next multiple of 64 bytes on, for every brick (brick_side / cell_side)^3
// pairs, x fastest. Numbers are stored ones, before scale and offset. A pair is of the brick's own
// voxels [b side, (b + 1) side), and a cell's alike; where no voxel has a value, or the cell lies
// beyond the volume, the least is above the greatest.
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

/// Where things lie in the file of a level.
struct RangesPlan {
  VoxelType type = VoxelType::u8;
  int brick_side = 64;
  int cell_side = 4;
  VolumeSize size;
  VolumeSize bricks;

  [[nodiscard]] RangesHeader header() const noexcept;
  [[nodiscard]] std::size_t cells_bytes() const noexcept;  ///< of a brick
  [[nodiscard]] std::size_t brick_index(int x, int y, int z) const noexcept;
  [[nodiscard]] std::uint64_t brick_offset(std::size_t brick) const noexcept;
  [[nodiscard]] std::uint64_t cells_offset(std::size_t brick) const noexcept;
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
};
[[nodiscard]] RangesPlan ranges_plan(const BrickLayout& layout, std::size_t level);

/// Of all of the cells; empty() where one's least is above its greatest.
[[nodiscard]] ValueRange range_of(const CellPairs& cells) noexcept;

/// Reads one; any number of threads at a time.
class BrickRanges {
 public:
  /// Reads the bricks' pairs; cells stay on the disk. Throws InputError naming the file: missing,
  /// of another kind, or cut off.
  [[nodiscard]] static BrickRanges open(const std::filesystem::path& zarr, int timestep, int level);

  /// Those of u8 voxels of a level of `size`, in cells of cell_side_of() that; empty where there
  /// are none, or they do not fit.
  [[nodiscard]] static std::optional<BrickRanges> try_open(const std::filesystem::path& zarr,
                                                           int timestep, int level,
                                                           VolumeSize size);

  [[nodiscard]] const RangesPlan& plan() const noexcept { return plan_; }

  /// Of stored numbers; empty() where no voxel has a value. @pre 0 <= x, y, z < plan().bricks
  [[nodiscard]] ValueRange brick(int x, int y, int z) const noexcept;
  /// Of all that samples with floor(voxel coordinate) in the brick meet: its own voxels, and those
  /// of the next bricks that interpolation takes in. At least as wide as needed.
  [[nodiscard]] ValueRange sampled(int x, int y, int z) const noexcept;
  /// The brick's cells, x fastest. Throws InputError where the disk fails.
  [[nodiscard]] std::vector<ValueRange> cells(int x, int y, int z) const;
  /// Those of a box, which is of cells; `stored` are its own. Throws as cells() does. @pre of u8;
  /// the box lies within the volume, whose last cells may not be whole
  [[nodiscard]] CellPairs cells_in(const GridBox& box) const;
  /// Those of all bricks, up to the volume's ends.
  [[nodiscard]] CellPairs all_cells() const;

 private:
  BrickRanges() = default;
  std::string file_;
  UniqueFd fd_;
  RangesPlan plan_;
  std::vector<std::byte> pairs_;
};

}  // namespace tilewall::render
