// Reads timesteps and parts of them from a volume's file, local or served. A file that crashed its
// reader is opened again.
//
// Threads: one at a time may read. figures(), trouble() and the constants of the file are for any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "player/volume/caster/ready_timestep.hpp"
#include "player/volume/caster/series_values.hpp"
#include "player/volume/caster/tile_loader.hpp"
#include "player/volume/caster/value_quantiles.hpp"
#include "player/volume/volume_job.hpp"
#include "player/volume/volume_levels.hpp"
#include "render/readers/voxel_reader.hpp"

namespace tilewall::volume {

class TimestepReader {
 public:
  /// Opens the file. `gpu` outlives this object and all timesteps. Throws InputError.
  TimestepReader(const VolumeJob& job, HostGpu& gpu, int threads);

  [[nodiscard]] const VolumeJob& job() const noexcept { return job_; }
  /// Number of the file's own timesteps.
  [[nodiscard]] std::int64_t timesteps() const noexcept { return timesteps_; }
  [[nodiscard]] const std::vector<VolumeLevel>& levels() const noexcept { return levels_; }
  [[nodiscard]] render::VoxelType type() const noexcept { return type_; }
  [[nodiscard]] render::ValueScale scale() const noexcept { return scale_; }

  // Timesteps are places in the series, job().steps_between from one of the file's to the next.
  //
  // These functions block, and throw InputError if the file cannot be read. Once `stop` is
  // requested they return early, and voxels that were not read are 0.

  /// Reads a whole timestep at a level.
  [[nodiscard]] ReadyTimestepPtr read_whole(std::int64_t timestep, int level,
                                            const std::stop_token& stop);
  /// Reads a whole timestep at a level that is shown until read_whole() has another. Its colours
  /// are for its own values.
  [[nodiscard]] ReadyTimestepPtr read_preview(std::int64_t timestep, int level,
                                              const std::stop_token& stop);
  /// Reads the choice's box. @pre The choice has no tiles.
  [[nodiscard]] ReadyTimestepPtr read_box(std::int64_t timestep, const DetailChoice& choice,
                                          const std::stop_token& stop);
  /// Reads the choice's missing tiles into `held`, which has the choice's level, box and fill; null
  /// makes a new volume. `staged`: what stage_tiles() read of them.
  [[nodiscard]] ReadyTimestepPtr read_tiles(std::int64_t timestep, const DetailChoice& choice,
                                            ReadyTimestepPtr held, StagedTiles staged,
                                            const std::stop_token& stop);
  /// Reads the choice's tiles that `held` lacks, up to `most_bytes`, without loading them: pictures
  /// may be drawn of `held` meanwhile. Throws nothing.
  [[nodiscard]] StagedTiles stage_tiles(std::int64_t timestep, const DetailChoice& choice,
                                        const ReadyTimestep& held, std::size_t most_bytes,
                                        const std::stop_token& stop);
  /// Reads the cell ranges of a level; empty if the file has none, or once `stop` is requested.
  [[nodiscard]] std::optional<render::CellPairs> read_cells(std::int64_t timestep, int level,
                                                            const std::stop_token& stop);

  /// Gives all voxels of one of the file's own timesteps, in the finest grid, to `quantiles`, whose
  /// pass has begun.
  void count_values(std::int64_t timestep, ValueQuantiles& quantiles, const std::stop_token& stop);

  /// Whether the range of values for the colours is known. Reading thread only.
  [[nodiscard]] bool knows_values() const noexcept { return values_.known().has_value(); }

  struct Figures {
    std::uint64_t read_bytes = 0;     ///< voxel data read
    std::uint64_t read_bricks = 0;    ///< chunks read for it; 0 for files without chunks
    std::uint64_t read_ns = 0;        ///< elapsed time of reading files
    std::uint64_t decode_ns = 0;      ///< elapsed time of unpacking, and packing for the kernels
    std::uint64_t loaded_voxels = 0;  ///< Voxels read of all grids of a file with several
  };
  /// Totals since the construction.
  [[nodiscard]] Figures figures() const noexcept;
  /// VoxelReader::trouble() of the file.
  [[nodiscard]] std::string trouble() const;

 private:
  class Counted;
  class ReopensAfterFailure;

  [[nodiscard]] const VolumeLevel& level(int number) const {
    return levels_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] render::Volume load(std::int64_t timestep, const VolumeLevel& level,
                                    const render::GridBox& box, const std::stop_token& stop);
  [[nodiscard]] ReadyTimestepPtr load_ready(std::int64_t timestep, const VolumeLevel& level,
                                            const render::GridBox& box,
                                            const std::stop_token& stop);
  void find_values_before(std::int64_t timestep, const VolumeLevel& level,
                          const std::stop_token& stop);
  void reopen_if_lost();

  HostGpu& gpu_;
  const int threads_;
  const VolumeJob job_;
  // mutex_ guards the replacement of this, and calls of trouble().
  std::unique_ptr<render::VoxelReader> file_;
  const std::int64_t timesteps_;
  const std::vector<VolumeLevel> levels_;
  const render::VoxelType type_;
  const render::ValueScale scale_;
  SeriesValues values_;
  mutable std::mutex mutex_;
  // Written by the reading thread, read by any thread; relaxed, because they publish nothing else.
  std::atomic<std::uint64_t> read_bytes_{0};
  std::atomic<std::uint64_t> read_bricks_{0};
  std::atomic<std::uint64_t> read_ns_{0};
  std::atomic<std::uint64_t> decode_ns_{0};
  std::atomic<std::uint64_t> loaded_voxels_{0};
};

}  // namespace tilewall::volume
