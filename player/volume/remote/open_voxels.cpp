#include "player/volume/remote/open_voxels.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "player/volume/remote/remote_volume.hpp"
#include "render/bricks/brick_ranges.hpp"
#include "render/readers/mixed_timesteps.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/error.hpp"
#include "sync/global_time.hpp"

namespace tilewall::volume {
namespace {

constexpr std::chrono::seconds start_timeout{10};  // time for a server that is being started
constexpr std::chrono::milliseconds start_look{50};

/// A file with the cell ranges that `tilewall brick` wrote beside its bricks.
class BrickedFile final : public render::VolumeFile {
 public:
  explicit BrickedFile(render::VolumeFile&& file) : render::VolumeFile(std::move(file)) {}

  [[nodiscard]] std::optional<render::CellPairs> read_cells(
      int grid, int timestep, const std::stop_token& /*stop*/) override {
    if (info().type != render::VoxelType::u8) return std::nullopt;
    const auto ranges = render::BrickRanges::try_open(path(), timestep, info().level + grid,
                                                      info().grid(grid).size);
    if (!ranges) return std::nullopt;
    return ranges->all_cells();
  }
};

std::unique_ptr<render::VoxelReader> open_served(const VolumeJob& job,
                                                 const render::ReaderLimits& limits) {
  RemoteVolumeOptions options{job.options, limits.window_bytes, net::ServerParty::show};
  options.volume.more.clear();  // the served name is that of the whole series
  for (const LocalInstant until = local_now() + start_timeout;;) {
    try {
      return std::make_unique<RemoteVolume>(job.served, options);
    } catch (const JobError&) {
      if (local_now() > until) throw;
      std::this_thread::sleep_for(start_look);
    }
  }
}

std::unique_ptr<render::VoxelReader> open_series(const VolumeJob& job,
                                                 const render::ReaderLimits& limits) {
  if (net::is_remote(job.path))
    return std::make_unique<RemoteVolume>(
        job.path, RemoteVolumeOptions{job.options, limits.window_bytes, net::ServerParty::outside});
  if (!job.served.empty() && render::volume_kind_of(job.path) == render::VolumeKind::none)
    return open_served(job, limits);
  return std::make_unique<BrickedFile>(render::VolumeFile::open(job.path, job.options, limits));
}

}  // namespace

std::unique_ptr<render::VoxelReader> open_voxels(const VolumeJob& job,
                                                 const render::ReaderLimits& limits) {
  std::unique_ptr<render::VoxelReader> series = open_series(job, limits);
  if (job.steps_between == 1) return series;
  const int most = std::numeric_limits<int>::max() / job.steps_between;
  if (series->info().timesteps() > most)
    throw InputError({job.path}, "timesteps", fmt::format("at most {} to be mixed", most),
                     std::to_string(series->info().timesteps()));
  return std::make_unique<render::MixedTimesteps>(std::move(series), job.steps_between);
}

}  // namespace tilewall::volume
