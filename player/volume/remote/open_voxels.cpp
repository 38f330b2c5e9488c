#include "player/volume/remote/open_voxels.hpp"

#include <thread>

#include "net/secret_variables.hpp"
#include "player/volume/remote/remote_volume.hpp"
#include "render/bricks/brick_ranges.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/error.hpp"
#include "sync/global_time.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::seconds start_timeout{10};  // with a server that is just started
constexpr std::chrono::milliseconds start_look{50};

/// With the ranges of cells that lie beside bricks.
class BrickedFile final : public VolumeFile {
 public:
  explicit BrickedFile(VolumeFile&& file) : VolumeFile(std::move(file)) {}

  [[nodiscard]] std::optional<CellPairs> read_cells(int grid, int timestep,
                                                    const std::stop_token& /*stop*/) override {
    if (info().type != VoxelType::u8) return std::nullopt;
    const auto ranges =
        BrickRanges::try_open(path(), timestep, info().level + grid, info().grid(grid).size);
    if (!ranges) return std::nullopt;
    return ranges->all_cells();
  }
};

std::unique_ptr<VoxelReader> open_served(const VolumeJob& job, const ReaderLimits& limits) {
  RemoteVolumeOptions options{job.options, limits.window_bytes, control_secret_variable};
  options.volume.more.clear();  // the name stands for all files of a series
  for (const LocalInstant until = local_now() + start_timeout;;) {
    try {
      return std::make_unique<RemoteVolume>(job.served, options);
    } catch (const JobError&) {
      if (local_now() > until) throw;
      std::this_thread::sleep_for(start_look);
    }
  }
}

}  // namespace

std::unique_ptr<VoxelReader> open_voxels(const VolumeJob& job, const ReaderLimits& limits) {
  if (is_remote(job.path))
    return std::make_unique<RemoteVolume>(
        job.path, RemoteVolumeOptions{job.options, limits.window_bytes, stream_secret_variable});
  if (!job.served.empty() && volume_kind_of(job.path) == VolumeKind::none)
    return open_served(job, limits);
  return std::make_unique<BrickedFile>(VolumeFile::open(job.path, job.options, limits));
}

}  // namespace tilewall
