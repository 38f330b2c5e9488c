// From a file into memory.
#pragma once

#include <stop_token>

#include "render/readers/volume_file.hpp"
#include "render/volume/volume.hpp"

namespace tilewall {

struct LoadOptions {
  int timestep = 0;
  int side = 1;            ///< a voxel for so many cubed of the file's: their mean
  Vec3d stretch{1, 1, 1};  ///< factors of the spacings
  int threads = 1;         ///< to find ranges
  std::stop_token stop;    ///< once requested, what is not read yet stays 0
};

/// One timestep as a Volume, read in parts of some 32 MiB. An axis of one voxel becomes two alike,
/// half a voxel to each side of where it was. Throws InputError as read() does, and for a volume of
/// more than max_volume_side along an axis.
[[nodiscard]] Volume load_volume(VolumeFile& file, const LoadOptions& options = {});

/// The least and greatest value of a timestep, in one pass and little memory; empty where no voxel
/// has a value.
[[nodiscard]] ValueRange find_value_range(VolumeFile& file, int timestep = 0);

}  // namespace tilewall
