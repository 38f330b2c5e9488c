#include "player/volume/caster/timestep_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "net/slab/remote_url.hpp"
#include "player/volume/caster/outliers.hpp"
#include "player/volume/caster/tile_detail.hpp"
#include "player/volume/remote/open_voxels.hpp"
#include "render/readers/load_volume.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::volume {
namespace {

/// The last part of a volume's path or served name.
std::string name_of_file(const VolumeJob& job) {
  const std::string path =
      net::is_remote(job.path) ? net::parse_remote_url(job.path).name : job.path;
  const std::size_t last = path.find_last_not_of('/');
  const std::string trimmed = path.substr(0, last + 1);
  return trimmed.substr(trimmed.find_last_of('/') + 1);
}

TimestepWords words_of(const VolumeJob& job, const render::VolumeInfo& info, std::int64_t place) {
  const std::int64_t timestep = place / job.steps_between;
  const std::string file = name_of_file(job);
  std::string label = info.dataset.empty() ? file : info.dataset;
  if (info.timesteps() > 1) {
    const auto index = static_cast<std::size_t>(timestep);
    const bool named = index < info.time_labels.size() && !info.time_labels[index].empty();
    label += fmt::format("  step {} of {}", timestep + 1, info.timesteps());
    if (named) label += "  " + info.time_labels[index];
  }
  const std::string& dataset = info.dataset;
  const bool is_path = dataset.starts_with('/');
  return {file,
          label,
          info.value_unit,
          dataset.substr(is_path ? 1 : 0),
          info.length_unit,
          info.axis_scales,
          info.is_anatomical};
}

render::ReaderLimits limits_for(const VolumeJob& job) {
  render::ReaderLimits limits;
  limits.window_bytes = reading_window_bytes(job.memory_bytes);
  return limits;
}

/// The level's box, in voxels of the grid that the level is made from.
render::GridBox grid_box(const VolumeLevel& level, const render::GridBox& box,
                         const render::VolumeInfo& info) {
  const render::GridBox all = render::whole_box(info.grid(level.grid).size);
  render::GridBox cut;
  for (std::size_t i = 0; i < 3; ++i) {
    cut.begin[i] = box.begin[i] * level.side;
    cut.end[i] = std::min(box.end[i] * level.side, all.end[i]);
  }
  return cut;
}

/// The range of all timesteps' values, if the file states one; empty for a single timestep.
std::optional<render::ValueRange> values_of_all(const render::VolumeInfo& info) {
  return info.timesteps() > 1 ? info.value_range : std::nullopt;
}

}  // namespace

/// Adds all that is read between its construction and count() to the figures.
class TimestepReader::Counted {
 public:
  explicit Counted(TimestepReader& reader)
      : reader_(reader),
        began_(local_now()),
        bytes_(reader.file_->read_bytes()),
        work_(reader.file_->work()) {}

  void count() {
    const LocalInstant now = local_now();
    const render::VoxelReader::Work work = reader_.file_->work();
    const std::uint64_t file_ns = work.file_ns - work_.file_ns;
    constexpr auto relaxed = std::memory_order_relaxed;
    reader_.read_bytes_.fetch_add(reader_.file_->read_bytes() - bytes_, relaxed);
    reader_.read_bricks_.fetch_add(work.bricks - work_.bricks, relaxed);
    reader_.read_ns_.fetch_add(file_ns, relaxed);
    reader_.decode_ns_.fetch_add(static_cast<std::uint64_t>((now - began_).count()) - file_ns,
                                 relaxed);
  }

 private:
  TimestepReader& reader_;
  const LocalInstant began_;
  const std::uint64_t bytes_;
  const render::VoxelReader::Work work_;
};

/// Opens the file again if reading threw and the reader is lost: a file that crashed its reader at
/// one timestep may have others that are fine.
class TimestepReader::ReopensAfterFailure {
 public:
  explicit ReopensAfterFailure(TimestepReader& reader) noexcept
      : reader_(reader), exceptions_(std::uncaught_exceptions()) {}
  ~ReopensAfterFailure() {
    if (std::uncaught_exceptions() > exceptions_) reader_.reopen_if_lost();
  }
  ReopensAfterFailure(const ReopensAfterFailure&) = delete;
  ReopensAfterFailure& operator=(const ReopensAfterFailure&) = delete;

 private:
  TimestepReader& reader_;
  const int exceptions_;
};

TimestepReader::TimestepReader(const VolumeJob& job, HostGpu& gpu, int threads)
    : gpu_(gpu),
      threads_(threads),
      job_(job),
      file_(open_voxels(job, limits_for(job))),
      timesteps_(file_->info().timesteps()),
      levels_(volume_levels(file_->info(), job.stretch)),
      type_(file_->info().type),
      scale_(file_->info().scale),
      values_(values_of_all(file_->info())) {}

ReadyTimestepPtr TimestepReader::read_whole(std::int64_t timestep, int number,
                                            const std::stop_token& stop) {
  const ReopensAfterFailure reopens(*this);
  find_values_before(timestep, level(number), stop);
  ReadyTimestepPtr ready =
      load_ready(timestep, level(number), render::whole_box(level(number).size), stop);
  const render::ValueRange own = ready->volume.value_range();
  const LowValues low = find_low_values(ready->volume, threads_);
  if (timestep % job_.steps_between == 0)
    values_.note(timestep / job_.steps_between, own, low.least_above_zero);
  ready->whole = {levels_[0].size,
                  levels_[0].place,
                  values_.known().value_or(own),
                  std::nullopt,
                  values_.least_above_zero(),
                  low,
                  job_.stretch,
                  some_cells_of(ready->volume)};
  // The range of a whole series may well be wide for one of its timesteps; that is no outlier.
  if (ready->whole.values == own)
    ready->whole.without_outliers = range_without_outliers(ready->volume, own);
  ready->level = number;
  return ready;
}

ReadyTimestepPtr TimestepReader::read_preview(std::int64_t timestep, int number,
                                              const std::stop_token& stop) {
  const ReopensAfterFailure reopens(*this);
  ReadyTimestepPtr ready =
      load_ready(timestep, level(number), render::whole_box(level(number).size), stop);
  // Notes about outliers and about values left out are for the values of all voxels.
  ready->whole = {levels_[0].size,
                  levels_[0].place,
                  ready->volume.value_range(),
                  std::nullopt,
                  find_low_values(ready->volume, threads_).least_above_zero,
                  {},
                  job_.stretch,
                  some_cells_of(ready->volume)};
  ready->level = number;
  return ready;
}

/// Finds the range of values for the colours: that of the first timestep with different values. It
/// must not depend on where a show begins, or on which host's caster was started again, so the
/// timesteps before are read first; of a place between two timesteps both, too.
void TimestepReader::find_values_before(std::int64_t timestep, const VolumeLevel& level,
                                        const std::stop_token& stop) {
  const std::int64_t whole = timestep / job_.steps_between;
  const std::int64_t end = timestep % job_.steps_between == 0 ? whole : whole + 2;
  for (;;) {
    const auto before = values_.unread_before(end);
    if (!before || stop.stop_requested()) return;
    std::optional<render::ValueRange> values;
    float least_above_zero = 0;
    try {
      const render::Volume volume =
          load(*before * job_.steps_between, level, render::whole_box(level.size), stop);
      values = volume.value_range();
      least_above_zero = find_low_values(volume, threads_).least_above_zero;
    } catch (const std::exception&) {  // reported when this timestep is shown
      reopen_if_lost();
    }
    values_.note(*before, values, least_above_zero);
  }
}

ReadyTimestepPtr TimestepReader::read_box(std::int64_t timestep, const DetailChoice& choice,
                                          const std::stop_token& stop) {
  const ReopensAfterFailure reopens(*this);
  ReadyTimestepPtr ready = load_ready(timestep, level(choice.level), choice.box, stop);
  ready->level = choice.level;
  return ready;
}

ReadyTimestepPtr TimestepReader::read_tiles(std::int64_t timestep, const DetailChoice& choice,
                                            ReadyTimestepPtr held, StagedTiles staged,
                                            const std::stop_token& stop) {
  const ReopensAfterFailure reopens(*this);
  const sync::TraceSpan span("read tiles", {timestep, sync::TraceLabels::none});
  Counted counted(*this);
  const VolumeLevel& of = level(choice.level);
  if (!held)
    held = std::make_shared<ReadyTimestep>(empty_tiled_volume(of, choice, scale_), threads_,
                                           words_of(job_, file_->info(), timestep), &gpu_);
  held->level = choice.level;
  held->style.clear();  // so that the style is set again, for cells of other tiles
  load_tiles(*file_, choice, {static_cast<int>(timestep), of.grid, file_->window_bytes(), threads_},
             held->volume, std::move(staged), stop);
  counted.count();
  return held;
}

StagedTiles TimestepReader::stage_tiles(std::int64_t timestep, const DetailChoice& choice,
                                        const ReadyTimestep& held, std::size_t most_bytes,
                                        const std::stop_token& stop) {
  const sync::TraceSpan span("read tiles ahead", {timestep, sync::TraceLabels::none});
  Counted counted(*this);
  StagedTiles staged = volume::stage_tiles(
      *file_, choice,
      {static_cast<int>(timestep), level(choice.level).grid, file_->window_bytes(), threads_},
      held.volume, most_bytes, stop);
  counted.count();
  reopen_if_lost();
  return staged;
}

std::optional<render::CellPairs> TimestepReader::read_cells(std::int64_t timestep, int number,
                                                            const std::stop_token& stop) {
  const ReopensAfterFailure reopens(*this);
  const sync::TraceSpan span("read ranges", {timestep, sync::TraceLabels::none});
  return file_->read_cells(level(number).grid, static_cast<int>(timestep), stop);
}

TimestepReader::Figures TimestepReader::figures() const noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {read_bytes_.load(relaxed), read_bricks_.load(relaxed), read_ns_.load(relaxed),
          decode_ns_.load(relaxed), loaded_voxels_.load(relaxed)};
}

void TimestepReader::count_values(std::int64_t timestep, ValueQuantiles& quantiles,
                                  const std::stop_token& stop) {
  const ReopensAfterFailure reopens(*this);
  const sync::TraceSpan span("count values", {timestep, sync::TraceLabels::none});
  Counted counted(*this);
  const render::VolumeGrid grid = file_->info().grid(0);
  const auto voxel = static_cast<std::size_t>(render::bytes_of(type_));
  render::BoxPieces pieces(render::whole_box(grid.size), grid.chunk, voxel, file_->window_bytes());
  std::vector<std::byte> voxels;
  while (const auto piece = pieces.next()) {
    if (stop.stop_requested()) return;
    const std::size_t row = static_cast<std::size_t>(piece->size().x) * voxel;
    const std::size_t slice = row * static_cast<std::size_t>(piece->size().y);
    voxels.resize(slice * static_cast<std::size_t>(piece->size().z));
    file_->read_box(0, static_cast<int>(timestep) * job_.steps_between, *piece,
                    {voxels.data(), row, slice}, stop);
    if (!stop.stop_requested()) quantiles.add(voxels, type_, scale_);
  }
  counted.count();
}

std::string TimestepReader::trouble() const {
  const std::scoped_lock lock(mutex_);
  return file_->trouble();
}

void TimestepReader::reopen_if_lost() {
  if (!file_->is_lost()) return;
  try {
    std::unique_ptr<render::VoxelReader> again = open_voxels(job_, limits_for(job_));
    const render::VolumeInfo& now = again->info();
    const render::VolumeInfo& before = file_->info();
    const bool is_same =
        now.size == before.size && now.type == before.type && now.timesteps() == before.timesteps();
    const std::scoped_lock lock(mutex_);
    if (is_same) file_.swap(again);
  } catch (const std::exception&) {
    // The file stays lost; the next reading that fails tries again.
  }
}

render::Volume TimestepReader::load(std::int64_t timestep, const VolumeLevel& level,
                                    const render::GridBox& box, const std::stop_token& stop) {
  render::LoadOptions options;
  options.timestep = static_cast<int>(timestep);
  options.grid = level.grid;
  options.box = grid_box(level, box, file_->info());
  options.side = level.side;
  options.stretch = job_.stretch;
  options.threads = threads_;
  options.stop = stop;
  if (file_->info().grids() > 1)
    options.on_read = [this](std::size_t voxels) {
      loaded_voxels_.fetch_add(voxels, std::memory_order_relaxed);
    };
  return render::load_volume(*file_, options);
}

ReadyTimestepPtr TimestepReader::load_ready(std::int64_t timestep, const VolumeLevel& level,
                                            const render::GridBox& box,
                                            const std::stop_token& stop) {
  const sync::TraceSpan span("read volume", {timestep, sync::TraceLabels::none});
  Counted counted(*this);
  auto ready = std::make_shared<ReadyTimestep>(load(timestep, level, box, stop), threads_,
                                               words_of(job_, file_->info(), timestep), &gpu_);
  counted.count();
  return ready;
}

}  // namespace tilewall::volume
