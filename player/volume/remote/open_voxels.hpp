// Opens the voxels of a volume: from its file, from a server, or from the show's own server.
#pragma once

#include <memory>

#include "player/volume/volume_job.hpp"
#include "render/readers/volume_file.hpp"

namespace tilewall::volume {

/// Opens the job's file, or the volume of a server if `path` is a URL. A host without the file
/// reads it from `served`; that server may take up to 10 s to start. `limits` are for files; a
/// server has its own, except for the window. Timesteps are counted in the job's places. Throws
/// what VolumeFile::open() and RemoteVolume throw.
[[nodiscard]] std::unique_ptr<render::VoxelReader> open_voxels(
    const VolumeJob& job, const render::ReaderLimits& limits = {});

}  // namespace tilewall::volume
