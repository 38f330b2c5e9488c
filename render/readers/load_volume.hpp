// Loads a timestep of a volume, or a box of it, into memory.
//
// Threads: no shared state; a VoxelReader has one owner.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

#include "render/readers/volume_file.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

struct LoadOptions {
  int timestep = 0;
  int grid = 0;  ///< number of the grid: 0 is the finest, see VolumeInfo::grid()
  /// Box in voxels of that grid; empty: all. Its sides begin at multiples of `side`, and end there
  /// or where the grid does.
  std::optional<GridBox> box;
  int side = 1;            ///< one voxel is the mean of side^3 voxels of the grid
  Vec3d stretch{1, 1, 1};  ///< factors for the spacings along x, y and z
  int threads = 1;         ///< threads that find the ranges of values
  std::stop_token stop;    ///< once requested, voxels that are not read yet stay 0
  /// Called with the number of voxels after each slab of them that was read, with `side` 1; may be
  /// empty. For files in chunks only: others may have to be read anew from their beginning.
  std::function<void(std::size_t voxels)> on_read{};
};

/// Reads a timestep, or a box of it, window by window, and returns it as a Volume in its place in
/// the world. An axis of one voxel becomes two equal voxels, half a voxel to either side of the
/// original. Throws InputError as VoxelReader::read_box(), and for a volume of more than
/// max_volume_side voxels along an axis.
[[nodiscard]] Volume load_volume(VoxelReader& file, const LoadOptions& options = {});

/// Returns the place of a grid whose volume is stretched: spacings are multiplied by `stretch`, and
/// the first voxel of the finest grid stays where it is.
[[nodiscard]] VolumePlace stretched_place(const VolumeInfo& info, int grid, Vec3d stretch);

/// Returns the place of a box of a grid that lies at `place`.
[[nodiscard]] VolumePlace place_of_box(const VolumePlace& place, const GridBox& box) noexcept;

struct ScannedValues {
  ValueRange range;               ///< min > max if no voxel has a value
  std::int64_t not_positive = 0;  ///< values of 0 and below, which a logarithm leaves out
};

/// Looks at all values of a timestep in one pass and little memory. Throws InputError as
/// VolumeFile::read().
[[nodiscard]] ScannedValues scan_values(VolumeFile& file, int timestep = 0);

}  // namespace tilewall::render
