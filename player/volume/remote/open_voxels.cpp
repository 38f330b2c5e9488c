#include "player/volume/remote/open_voxels.hpp"

#include "net/secret_variables.hpp"
#include "player/volume/remote/remote_volume.hpp"
#include "render/readers/volume_kind.hpp"

namespace tilewall {

std::unique_ptr<VoxelReader> open_voxels(const VolumeJob& job, const ReaderLimits& limits) {
  if (is_remote(job.path))
    return std::make_unique<RemoteVolume>(
        job.path, RemoteVolumeOptions{job.options, limits.window_bytes, stream_secret_variable});
  if (!job.served.empty() && volume_kind_of(job.path) == VolumeKind::none)
    return std::make_unique<RemoteVolume>(
        job.served, RemoteVolumeOptions{job.options, limits.window_bytes, control_secret_variable});
  return std::make_unique<VolumeFile>(VolumeFile::open(job.path, job.options, limits));
}

}  // namespace tilewall
