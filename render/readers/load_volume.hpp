// From a file into memory.
#pragma once

#include "render/readers/volume_file.hpp"
#include "render/volume/volume.hpp"

namespace tilewall {

/// One timestep as a Volume; its ranges are found on `threads` threads. An axis of one voxel
/// becomes two alike, half a voxel to each side of where it was. Throws InputError as read() does,
/// and for a volume of more than max_volume_side along an axis.
[[nodiscard]] Volume load_volume(VolumeFile& file, int timestep = 0, int threads = 1);

/// The least and greatest value of a timestep, in one pass and little memory; empty where no voxel
/// has a value.
[[nodiscard]] ValueRange find_value_range(VolumeFile& file, int timestep = 0);

}  // namespace tilewall
