// From a file into memory.
#pragma once

#include <optional>
#include <stop_token>

#include "render/readers/volume_file.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

struct LoadOptions {
  int timestep = 0;
  int grid = 0;  ///< of VolumeInfo's
  std::optional<GridBox>
      box;  ///< of that grid's voxels, from and to multiples of `side` (or its end); empty: all
  int side = 1;            ///< a voxel for so many cubed of the grid's: their mean
  Vec3d stretch{1, 1, 1};  ///< factors of the spacings
  int threads = 1;         ///< to find ranges
  std::stop_token stop;    ///< once requested, what is not read yet stays 0
};

/// One timestep, or a box of it, as a Volume that lies where it belongs in the world; read in parts
/// of a window. An axis of one voxel becomes two alike, half a voxel to each side of where it was.
/// Throws InputError as read() does, and for a volume of more than max_volume_side along an axis.
[[nodiscard]] Volume load_volume(VoxelReader& file, const LoadOptions& options = {});

/// Where a grid lies whose volume's spacings are multiplied by `stretch`, the finest grid's first
/// voxel staying where it is.
[[nodiscard]] VolumePlace stretched_place(const VolumeInfo& info, int grid, Vec3d stretch);

/// Where a box of a grid lies.
[[nodiscard]] VolumePlace place_of_box(const VolumePlace& place, const GridBox& box) noexcept;

/// The least and greatest value of a timestep, in one pass and little memory; empty where no voxel
/// has a value.
[[nodiscard]] ValueRange find_value_range(VolumeFile& file, int timestep = 0);

}  // namespace tilewall::render
