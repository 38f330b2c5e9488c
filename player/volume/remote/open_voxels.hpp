// Where a volume's voxels come from.
#pragma once

#include <memory>

#include "player/volume/volume_job.hpp"
#include "render/readers/volume_file.hpp"

namespace tilewall::volume {

/// The file, a server's volume, or, on a host that has no such file, the volume of the host that
/// has it. Of `limits` a server's own hold, but for the window. Throws as VolumeFile::open and
/// RemoteVolume do.
[[nodiscard]] std::unique_ptr<render::VoxelReader> open_voxels(
    const VolumeJob& job, const render::ReaderLimits& limits = {});

}  // namespace tilewall::volume
