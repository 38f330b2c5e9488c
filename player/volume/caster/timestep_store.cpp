#include "player/volume/caster/timestep_store.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "net/slab/remote_url.hpp"
#include "player/volume/caster/crowded_values.hpp"
#include "player/volume/caster/tile_detail.hpp"
#include "player/volume/remote/open_voxels.hpp"
#include "render/readers/load_volume.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

/// The file's or folder's own name, or that of a series' files; of a served one, too.
std::string name_of_file(const VolumeJob& job) {
  const std::string path = is_remote(job.path) ? parse_remote_url(job.path).name : job.path;
  const std::size_t last = path.find_last_not_of('/');
  const std::string trimmed = path.substr(0, last + 1);
  return trimmed.substr(trimmed.find_last_of('/') + 1);
}

TimestepWords words_of(const VolumeJob& job, const VolumeInfo& info, int timestep) {
  const std::string file = name_of_file(job);
  std::string label = info.dataset.empty() ? file : info.dataset;
  if (info.timesteps() > 1) {
    const auto index = static_cast<std::size_t>(timestep);
    const bool named = index < info.time_labels.size() && !info.time_labels[index].empty();
    label += fmt::format("  {} of {}", timestep, info.timesteps());
    if (named) label += "  " + info.time_labels[index];
  }
  return {file, label, info.value_unit};
}

/// Colours can be spread over it.
bool is_wide(ValueRange values) {
  return values.min < values.max && std::isfinite(values.min) && std::isfinite(values.max);
}

constexpr std::chrono::seconds retry_pause{5};  // before a timestep that failed is read again

ReaderLimits limits_for(const VolumeJob& job) {
  ReaderLimits limits;
  limits.window_bytes = reading_window_bytes(job.memory_bytes);
  return limits;
}

/// Of the grid that the level is made from.
GridBox grid_box(const VolumeLevel& level, const GridBox& box, const VolumeInfo& info) {
  const GridBox all = whole_box(info.grid(level.grid).size);
  GridBox cut;
  for (std::size_t i = 0; i < 3; ++i) {
    cut.begin[i] = box.begin[i] * level.side;
    cut.end[i] = std::min(box.end[i] * level.side, all.end[i]);
  }
  return cut;
}

/// All that `wanted` is of was asked for by `held`.
bool covers(const TileNeeds& held, const TileNeeds& wanted) {
  if (&held == &wanted) return true;
  for (std::size_t tile = 0; tile < held.needed.size(); ++tile)
    if (wanted.needed[tile] > held.needed[tile]) return false;
  return true;
}

std::size_t bytes_of(const Volume& volume) {
  return volume.tiles() == nullptr ? shown_bytes(volume.type(), volume.size())
                                   : tiled_bytes(volume.size(), volume.tiles()->loaded_tiles());
}

std::size_t bytes_of(VoxelType type, const DetailChoice& choice) {
  return choice.tiles ? tiled_bytes(choice.box.size(), choice.tiles->count)
                      : shown_bytes(type, choice.box.size());
}

}  // namespace

bool TimestepStore::WantedDetail::can_become(std::int64_t of, const DetailChoice& wanted) const {
  return timestep == of && choice.tiles && wanted.tiles && choice.level == wanted.level &&
         choice.box == wanted.box && choice.tiles->fill == wanted.tiles->fill;
}

bool TimestepStore::WantedDetail::serves(std::int64_t of, const DetailChoice& wanted) const {
  if (!choice.tiles && !wanted.tiles)
    return timestep == of && choice.level == wanted.level && choice.box.contains(wanted.needed);
  if (!can_become(of, wanted)) return false;
  return covers(*choice.tiles, *wanted.tiles) ||
         (complete && has_tiles(ready->volume, *wanted.tiles));
}

TimestepStore::TimestepStore(const VolumeJob& job, HostGpu& gpu, int threads)
    : gpu_(gpu),
      threads_(threads),
      job_(job),
      file_(open_voxels(job, limits_for(job))),
      ready_fd_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  const VolumeInfo& info = file_->info();
  timesteps_ = info.timesteps();
  levels_ = volume_levels(info, job_.stretch);
  type_ = info.type;
  scale_ = info.scale;
  if (timesteps_ > 1 && info.value_range && is_wide(*info.value_range)) values_ = info.value_range;
  plan_ = plan_memory(levels_, type_, timesteps_, job_.memory_bytes);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

TimestepStore::~TimestepStore() = default;

void TimestepStore::drain() const noexcept {
  std::uint64_t count = 0;
  static_cast<void>(::read(ready_fd_.get(), &count, sizeof count));
}

void TimestepStore::tell() const noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(::write(ready_fd_.get(), &one, sizeof one));
}

bool TimestepStore::has(std::int64_t timestep) const {
  return std::any_of(kept_.begin(), kept_.end(),
                     [&](const Slot& slot) { return slot.timestep == timestep; });
}

ReadyTimestepPtr TimestepStore::find(std::int64_t timestep) const {
  for (const Slot& slot : kept_)
    if (slot.timestep == timestep) return slot.ready;
  return nullptr;
}

ReadyTimestepPtr TimestepStore::get(std::int64_t timestep) {
  const std::scoped_lock lock(mutex_);
  if (wanted_ && *wanted_ != timestep) direction_ = timestep > *wanted_ ? 1 : -1;
  wanted_ = timestep;
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Slot& slot) { return slot.timestep == timestep; });
  changed_.notify_all();
  if (found == kept_.end()) {
    detail_stop_.request_stop();  // this one is waited for
    return nullptr;
  }
  kept_.splice(kept_.begin(), kept_, found);
  if (!found->failure) return found->ready;
  if (local_now() < found->read_at + retry_pause) std::rethrow_exception(found->failure);
  kept_.erase(found);  // files are written anew, disks come back
  return nullptr;
}

/// Null where nothing is known of them, or not yet.
const CellPairs* TimestepStore::cells_of(int number, std::optional<int>& lacks) const {
  if (lacks || levels_[static_cast<std::size_t>(number)].side > 1) return nullptr;
  const auto known = cells_.find(number);
  if (known == cells_.end()) lacks = number;
  return known == cells_.end() || !known->second ? nullptr : &*known->second;
}

void TimestepStore::take_cells(std::int64_t timestep) {
  if (cells_timestep_ != timestep) cells_.clear();
  cells_timestep_ = timestep;
  const std::scoped_lock lock(mutex_);
  if (!come_cells_ || come_cells_->timestep != timestep) return;
  cells_[come_cells_->level] = std::move(come_cells_->cells);
  come_cells_.reset();
}

TimestepStore::Choice TimestepStore::choose(std::int64_t timestep, const SeenPart& seen,
                                            const ShownLook& look) {
  if (type_ != VoxelType::u8 || job_.caster == CasterChoice::gl)
    return {choose_detail(levels_, plan_, type_, seen), std::nullopt};
  take_cells(timestep);
  std::vector<int> asked;
  Choice choice;
  choice.detail = choose_tiles(levels_, plan_, scale_, seen, look, [&](int level) {
    asked.push_back(level);
    return cells_of(level, choice.lacks);
  });
  if (choice.lacks) return choice;
  std::erase_if(cells_, [&](const auto& cells) {
    return cells.second && std::find(asked.begin(), asked.end(), cells.first) == asked.end();
  });
  return choice;
}

void TimestepStore::want_cells(std::int64_t timestep, int level) {
  const std::scoped_lock lock(mutex_);
  const WantedCells wanted{timestep, level};
  if (wanted_cells_ == wanted) return;
  wanted_cells_ = wanted;
  detail_stop_.request_stop();
  changed_.notify_all();
}

TimestepStore::Detail TimestepStore::detail(std::int64_t timestep,
                                            const DetailChoice& choice) const {
  const std::scoped_lock lock(mutex_);
  if (!detail_ || !detail_->serves(timestep, choice)) return {};
  if (detail_->failed) return {DetailState::failed, nullptr, detail_->fault};
  if (!detail_->complete) return {DetailState::coming, nullptr, {}};
  return {DetailState::ready, detail_->ready, {}};
}

void TimestepStore::want_detail(std::int64_t timestep, const DetailChoice& choice) {
  const std::scoped_lock lock(mutex_);
  if (detail_ && detail_->serves(timestep, choice)) return;
  if (detail_ && detail_->can_become(timestep, choice)) {
    detail_->choice = choice;  // what is there of it stays
    detail_->failed = detail_->complete = false;
  } else {
    detail_ = WantedDetail{timestep, choice, nullptr};  // what was held is free before
  }
  detail_stop_.request_stop();
  changed_.notify_all();
}

TimestepStore::Figures TimestepStore::figures() const {
  const std::scoped_lock lock(mutex_);
  Figures figures = read_;
  figures.held_bytes = reading_bytes_;
  const auto add = [&](const ReadyTimestepPtr& ready) {
    if (ready) figures.held_bytes += bytes_of(ready->volume);
  };
  for (const Slot& slot : kept_) add(slot.ready);
  if (detail_) add(detail_->ready);
  return figures;
}

std::string TimestepStore::trouble() const {
  const std::scoped_lock lock(mutex_);
  return file_->trouble();
}

TimestepStore::NextWork TimestepStore::next_work() const {
  if (!wanted_) return {has(0) ? Work::nothing : Work::timestep, 0};  // before anyone asks
  if (!has(*wanted_)) return {Work::timestep, *wanted_};
  if (wanted_cells_) return {Work::cells, wanted_cells_->timestep};
  const bool wants_detail = detail_ && !detail_->complete && !detail_->failed;
  if (wants_detail && find(detail_->timestep)) return {Work::detail, detail_->timestep};
  const std::int64_t ahead = std::min(plan_.overviews, timesteps_);
  for (std::int64_t i = 1; i < ahead; ++i) {
    const std::int64_t step = ((*wanted_ + i * direction_) % timesteps_ + timesteps_) % timesteps_;
    if (!has(step)) return {Work::timestep, step};
  }
  return {};
}

void TimestepStore::make_room(std::unique_lock<std::mutex>& lock) {
  while (kept_.size() >= static_cast<std::size_t>(plan_.overviews)) {
    const ReadyTimestepPtr last = std::move(kept_.back().ready);
    kept_.pop_back();
    // A picture is being made of it.
    while (last.use_count() > 1) changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
}

void TimestepStore::run(const std::stop_token& stop) {
  use_background_priority();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const NextWork next = next_work();
    switch (next.work) {
      case Work::timestep:
        make_room(lock);
        read_timestep(lock, next.timestep, stop);
        break;
      case Work::cells:
        read_cells(lock, stop);
        break;
      case Work::detail:
        read_detail(lock, stop);
        break;
      case Work::nothing:
        changed_.wait(lock, stop, [&] { return next_work().work != Work::nothing; });
        break;
    }
  }
}

void TimestepStore::read_timestep(std::unique_lock<std::mutex>& lock, std::int64_t timestep,
                                  const std::stop_token& stop) {
  const VolumeLevel& level = levels_[static_cast<std::size_t>(plan_.overview)];
  reading_bytes_ = shown_bytes(type_, level.size);
  lock.unlock();
  Slot slot{timestep, nullptr, nullptr, {}};
  const bool was_known = values_.has_value();
  try {
    find_values_before(timestep, level, stop);
    slot.ready = read(timestep, level, whole_box(level.size), stop);
    const ValueRange own = slot.ready->volume.value_range();
    if (!values_ && is_wide(own)) values_ = own;
    if (!values_) alike_steps_ = std::max(alike_steps_, timestep + 1);
    slot.ready->whole = {levels_[0].size, levels_[0].place, values_.value_or(own), std::nullopt};
    if (slot.ready->whole.values == own)  // what is for all timesteps may well be wide for one
      slot.ready->whole.crowded = crowded_values(slot.ready->volume, own);
    slot.ready->level = plan_.overview;
  } catch (const std::exception&) {
    slot.failure = std::current_exception();
    reopen();
  }
  slot.read_at = local_now();
  lock.lock();
  reading_bytes_ = 0;
  if (stop.stop_requested()) return;
  if (!was_known && values_)  // those of one value were drawn for that one: they are read again
    kept_.remove_if([](const Slot& kept) { return kept.ready != nullptr; });
  kept_.push_front(std::move(slot));
  tell();
}

void TimestepStore::read_cells(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  detail_stop_ = std::stop_source{};
  const std::stop_source stopping = detail_stop_;
  const WantedCells wanted = *wanted_cells_;
  lock.unlock();
  ComeCells come{wanted.timestep, wanted.level, std::nullopt};
  {
    const std::stop_callback chained(stop, [&] { std::stop_source(stopping).request_stop(); });
    const TraceSpan span("read ranges", {wanted.timestep, TraceLabels::none});
    try {
      come.cells = file_->read_cells(levels_[static_cast<std::size_t>(wanted.level)].grid,
                                     static_cast<int>(wanted.timestep), stopping.get_token());
    } catch (const std::exception& error) {  // as if there were none
      fmt::print(stderr, "tilewall-caster: {}\n", error.what());
      reopen();
    }
  }
  lock.lock();
  if (stopping.stop_requested() && !come.cells) return;  // what is wanted still is read again
  if (wanted_cells_ == wanted) wanted_cells_.reset();
  come_cells_ = std::move(come);
  tell();
}

/// Colours are for the values of the first timestep that has different ones, wherever the show
/// begins and whichever caster of the wall was started again: those before are read for it.
void TimestepStore::find_values_before(std::int64_t timestep, const VolumeLevel& level,
                                       const std::stop_token& stop) {
  for (; alike_steps_ < timestep && !values_ && !stop.stop_requested(); ++alike_steps_) {
    try {
      const ValueRange values =
          read_volume(alike_steps_, level, whole_box(level.size), stop).value_range();
      if (is_wide(values)) values_ = values;
    } catch (const std::exception&) {  // its own picture will say so
      reopen();
    }
  }
}

void TimestepStore::read_detail(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  detail_stop_ = std::stop_source{};
  const std::stop_source stopping = detail_stop_;
  WantedDetail wanted = *detail_;
  detail_->ready.reset();
  const VolumeLevel& level = levels_[static_cast<std::size_t>(wanted.choice.level)];
  const VolumeWhole whole = find(wanted.timestep)->whole;
  reading_bytes_ = bytes_of(type_, wanted.choice);
  if (wanted.ready)  // of the same volume: what is there of it stays while there is room
    reading_bytes_ =
        std::min(reading_bytes_ + bytes_of(wanted.ready->volume), wanted.choice.tiles_bytes);
  lock.unlock();
  ReadyTimestepPtr ready;
  std::string fault;
  {
    const std::stop_callback chained(stop, [&] { std::stop_source(stopping).request_stop(); });
    try {
      ready = wanted.choice.tiles
                  ? read_tiles(wanted, std::move(wanted.ready), stopping.get_token())
                  : read(wanted.timestep, level, wanted.choice.box, stopping.get_token());
    } catch (const std::exception& error) {
      fault = error.what();
      reopen();
    }
  }
  if (stopping.stop_requested() && !wanted.choice.tiles) ready.reset();  // not all of it was read
  if (ready) {
    ready->whole = whole;
    ready->level = wanted.choice.level;
  }
  lock.lock();
  reading_bytes_ = 0;
  if (stopping.stop_requested()) {
    if (detail_ && detail_->can_become(wanted.timestep, wanted.choice)) {
      detail_->ready = std::move(ready);  // tiles that were read stay
    } else {
      lock.unlock();
      ready.reset();
      lock.lock();
    }
    return;
  }
  if (!fault.empty()) fmt::print(stderr, "tilewall-caster: {}\n", fault);
  detail_->failed = ready == nullptr;
  detail_->fault = std::move(fault);
  if (ready) {
    detail_->ready = std::move(ready);
    detail_->complete = true;
  }
  tell();
}

ReadyTimestepPtr TimestepStore::read_tiles(const WantedDetail& wanted, ReadyTimestepPtr held,
                                           const std::stop_token& stop) {
  const TraceSpan span("read tiles", {wanted.timestep, TraceLabels::none});
  const ReadSoFar before = read_so_far();
  const VolumeLevel& level = levels_[static_cast<std::size_t>(wanted.choice.level)];
  const auto timestep = static_cast<int>(wanted.timestep);
  if (!held)
    held =
        std::make_shared<ReadyTimestep>(empty_tiled_volume(level, wanted.choice, scale_), threads_,
                                        words_of(job_, file_->info(), timestep), &gpu_);
  held->style.clear();  // its cells will be others
  load_tiles(*file_, wanted.choice, {timestep, level.grid, file_->window_bytes(), threads_},
             held->volume, stop);
  count_read(before);
  return held;
}

TimestepStore::ReadSoFar TimestepStore::read_so_far() const {
  return {local_now(), file_->read_bytes(), file_->work()};
}

void TimestepStore::count_read(const ReadSoFar& before) {
  const ReadSoFar now = read_so_far();
  const std::uint64_t file_ns = now.work.file_ns - before.work.file_ns;
  const std::scoped_lock lock(mutex_);
  read_.read_bytes += now.bytes - before.bytes;
  read_.read_bricks += now.work.bricks - before.work.bricks;
  read_.read_ns += file_ns;
  read_.decode_ns += static_cast<std::uint64_t>((now.at - before.at).count()) - file_ns;
}

/// A file that crashed its reader at one timestep has others.
void TimestepStore::reopen() {
  if (!file_->is_lost()) return;
  try {
    std::unique_ptr<VoxelReader> again = open_voxels(job_, limits_for(job_));
    const VolumeInfo& now = again->info();
    const VolumeInfo& before = file_->info();
    const bool is_same =
        now.size == before.size && now.type == before.type && now.timesteps() == before.timesteps();
    const std::scoped_lock lock(mutex_);
    if (is_same) file_.swap(again);
  } catch (const std::exception&) {
    // It stays lost; the next timestep that is wanted tries again.
  }
}

Volume TimestepStore::read_volume(std::int64_t timestep, const VolumeLevel& level,
                                  const GridBox& box, const std::stop_token& stop) {
  LoadOptions options;
  options.timestep = static_cast<int>(timestep);
  options.grid = level.grid;
  options.box = grid_box(level, box, file_->info());
  options.side = level.side;
  options.stretch = job_.stretch;
  options.threads = threads_;
  options.stop = stop;
  return load_volume(*file_, options);
}

ReadyTimestepPtr TimestepStore::read(std::int64_t timestep, const VolumeLevel& level,
                                     const GridBox& box, const std::stop_token& stop) {
  const TraceSpan span("read volume", {timestep, TraceLabels::none});
  const ReadSoFar before = read_so_far();
  auto ready = std::make_shared<ReadyTimestep>(
      read_volume(timestep, level, box, stop), threads_,
      words_of(job_, file_->info(), static_cast<int>(timestep)), &gpu_);
  count_read(before);
  return ready;
}

}  // namespace tilewall
