#include "player/volume/caster/timestep_store.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/role_log.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::volume {
namespace {

constexpr std::size_t most_answers = 64;  // of quantiles that are kept

std::size_t bytes_of(render::VoxelType type, const DetailChoice& choice) {
  return choice.tiles ? tiled_bytes(choice.box.size(), choice.tiles->count)
                      : shown_bytes(type, choice.box.size());
}

}  // namespace

TimestepStore::TimestepStore(const VolumeJob& job, HostGpu& gpu, int threads, Previews previews)
    : box_reuse_(previews == Previews::shown ? BoxReuse::larger : BoxReuse::same),
      reader_(job, gpu, threads),
      plan_([&] {
        MemoryPlan plan =
            plan_memory(reader_.levels(), reader_.type(), reader_.timesteps(), job.memory_bytes);
        if (previews == Previews::left_out) plan.previews.clear();
        return plan;
      }()),
      // Which of the places between timesteps comes next cannot be told.
      cache_(job.steps_between > 1 ? 1 : reader_.timesteps(), plan_.overviews),
      stages_{std::vector<ReadyTimestepPtr>(plan_.previews.size() + 1), 0, -1},
      ready_fd_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
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

ReadyTimestepPtr TimestepStore::get(std::int64_t timestep) {
  const std::scoped_lock lock(mutex_);
  cache_.want(timestep);
  changed_.notify_all();
  if (!cache_.has(timestep)) detail_stop_.request_stop();  // a missing overview comes first
  return cache_.get(timestep, local_now());
}

/// The cell ranges of a level; null if they are not known. Sets `lacks` if they can be read.
const render::CellPairs* TimestepStore::cells_of(int number, std::optional<int>& lacks) const {
  if (lacks || reader_.levels()[static_cast<std::size_t>(number)].side > 1) return nullptr;
  const auto known = cells_.of_level.find(number);
  if (known == cells_.of_level.end()) lacks = number;
  return known == cells_.of_level.end() || !known->second ? nullptr : &*known->second;
}

void TimestepStore::take_cells(std::int64_t timestep) {
  if (cells_.timestep != timestep) {
    cells_.of_level.clear();
    cells_.shown.clear();
  }
  cells_.timestep = timestep;
  const std::scoped_lock lock(mutex_);
  if (!cell_reading_.come || cell_reading_.come->timestep != timestep) return;
  const int level = cell_reading_.come->level;
  cells_.of_level[level] = std::move(cell_reading_.come->cells);
  cells_.shown.forget(level);
  cell_reading_.come.reset();
}

TimestepStore::Choice TimestepStore::choose(std::int64_t timestep, const SeenPart& seen,
                                            const ShownLook& look) {
  if (reader_.type() != render::VoxelType::u8 || reader_.job().caster == CasterChoice::gl)
    return {choose_detail(reader_.levels(), plan_, reader_.type(), seen), std::nullopt};
  take_cells(timestep);
  std::vector<int> asked;
  Choice choice;
  const auto cells = [&](int level) {
    asked.push_back(level);
    return cells_of(level, choice.lacks);
  };
  choice.detail =
      choose_tiles(reader_.levels(), plan_, reader_.scale(), seen, look, cells, cells_.shown);
  if (choice.lacks) return choice;
  std::erase_if(cells_.of_level, [&](const auto& of) {
    const bool goes = of.second && std::find(asked.begin(), asked.end(), of.first) == asked.end();
    if (goes) cells_.shown.forget(of.first);
    return goes;
  });
  return choice;
}

void TimestepStore::want_cells(std::int64_t timestep, int level) {
  const std::scoped_lock lock(mutex_);
  const WantedCells wanted{timestep, level};
  if (cell_reading_.wanted == wanted) return;
  cell_reading_.wanted = wanted;
  detail_stop_.request_stop();
  changed_.notify_all();
}

TimestepStore::Stage TimestepStore::stage(int most) const {
  const std::scoped_lock lock(mutex_);
  const int last = last_stage();
  Stage found{nullptr, 0, stages_.newest};
  for (int number = std::min(most, last); number >= 0 && !found.ready; --number)
    found = {stages_.held[static_cast<std::size_t>(number)], number, stages_.newest};
  for (int number = std::max(most, 0) + 1; number <= last && !found.ready; ++number)
    found = {stages_.held[static_cast<std::size_t>(number)], number, stages_.newest};
  return found;
}

void TimestepStore::drop_stages_before(int number) {
  std::vector<ReadyTimestepPtr> dropped;  // freed without the lock
  const std::scoped_lock lock(mutex_);
  const auto kept = stages_.held.begin() + std::clamp(number, 0, std::max(stages_.newest, 0));
  for (auto stage = stages_.held.begin(); stage < kept; ++stage)
    dropped.push_back(std::move(*stage));
}

std::optional<int> TimestepStore::progress() const {
  const std::scoped_lock lock(mutex_);
  const int last = last_stage();
  if (stages_.next > last || !is_staged()) return std::nullopt;
  const auto voxels_of = [&](int stage) {
    return static_cast<double>(
        reader_.levels()[static_cast<std::size_t>(level_of(stage))].size.voxels());
  };
  double all = 0;
  double read = static_cast<double>(reader_.figures().loaded_voxels);
  for (int stage = 0; stage <= last; ++stage) all += voxels_of(stage);
  return std::clamp(static_cast<int>(1000 * read / all), 0, 999);
}

TimestepStore::Detail TimestepStore::detail(std::int64_t timestep,
                                            const DetailChoice& choice) const {
  const std::scoped_lock lock(mutex_);
  if (!detail_ || !detail_->serves(timestep, choice, box_reuse_)) return {};
  if (detail_->failed) return {DetailState::failed, nullptr, detail_->fault};
  if (!detail_->complete) return {DetailState::coming, nullptr, {}};
  show_tiles(*detail_->ready, choice);
  return {DetailState::ready, detail_->ready, {}};
}

void TimestepStore::want_detail(std::int64_t timestep, const DetailChoice& choice) {
  const std::scoped_lock lock(mutex_);
  if (detail_ && detail_->serves(timestep, choice, box_reuse_)) return;
  if (detail_ && detail_->can_become(timestep, choice)) {
    detail_->choice = choice;  // keep tiles that are loaded
    detail_->failed = detail_->complete = false;
  } else {
    detail_ = WantedDetail{timestep, choice, nullptr};  // frees the old detail before reading
  }
  if (!detail_->expects(choice)) {
    detail_->next.reset();
    detail_stop_.request_stop();
  }
  changed_.notify_all();
}

void TimestepStore::expect_detail(std::int64_t timestep, const DetailChoice& choice) {
  const std::scoped_lock lock(mutex_);
  if (!detail_ || !detail_->complete || !detail_->can_become(timestep, choice)) return;
  detail_->next = std::make_shared<ExpectedDetail>(ExpectedDetail{choice});
  changed_.notify_all();
}

std::optional<TimestepStore::QuantileAnswer> TimestepStore::quantiles(
    const QuantileQuestion& question) {
  const std::scoped_lock lock(mutex_);
  for (const QuantileAnswer& answer : questions_.answers)
    if (answer.question == question) return answer;
  questions_.asked = question;
  changed_.notify_all();
  return std::nullopt;
}

TimestepStore::Figures TimestepStore::figures() const {
  const std::scoped_lock lock(mutex_);
  Figures figures{reading_bytes_ + cache_.held_bytes(), reader_.figures()};
  if (detail_ && detail_->ready) figures.held_bytes += bytes_of(detail_->ready->volume);
  if (detail_ && detail_->next) figures.held_bytes += detail_->next->staged.bytes();
  for (int stage = 0; stage < stages_.newest; ++stage)  // the newest one is in the cache
    if (const ReadyTimestepPtr& held = stages_.held[static_cast<std::size_t>(stage)])
      figures.held_bytes += bytes_of(held->volume);
  return figures;
}

TimestepStore::NextWork TimestepStore::next_work() const {
  const auto& shown = cache_.wanted();
  const bool has_stages_left = is_staged() && stages_.next <= last_stage();
  // Until a panel requests a timestep, read the first one.
  if (!shown && !cache_.has(0)) return {has_stages_left ? Work::next_stage : Work::timestep, 0};
  if (!shown) return {has_stages_left ? Work::next_stage : Work::nothing, 0};
  if (!cache_.has(*shown)) return {has_stages_left ? Work::next_stage : Work::timestep, *shown};
  if (questions_.asked) return {Work::quantiles, 0};
  if (cell_reading_.wanted) return {Work::cells, cell_reading_.wanted->timestep};
  if (has_stages_left) return {Work::next_stage, 0};
  const bool wants_detail = detail_ && !detail_->complete && !detail_->failed;
  if (wants_detail && cache_.find(detail_->timestep)) return {Work::detail, detail_->timestep};
  if (detail_ && detail_->complete && detail_->next && !detail_->next->is_read)
    return {Work::ahead, detail_->timestep};
  if (const auto ahead = cache_.next_ahead()) return {Work::timestep, *ahead};
  return {};
}

void TimestepStore::make_room(std::unique_lock<std::mutex>& lock) {
  while (cache_.is_full()) {
    const ReadyTimestepPtr oldest = cache_.drop_oldest();
    // The owner is drawing it; its memory is free only when that picture is done.
    while (oldest.use_count() > 1) changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
}

void TimestepStore::run(const std::stop_token& stop) {
  sync::use_background_priority();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const NextWork next = next_work();
    switch (next.work) {
      case Work::timestep:
        make_room(lock);
        read_timestep(lock, next.timestep, stop);
        break;
      case Work::quantiles:
        read_quantiles(lock, stop);
        break;
      case Work::cells:
        read_cells(lock, stop);
        break;
      case Work::next_stage:
        read_next_stage(lock, stop);
        break;
      case Work::detail:
        read_detail(lock, stop);
        break;
      case Work::ahead:
        read_ahead(lock, stop);
        break;
      case Work::nothing:
        changed_.wait(lock, stop, [&] { return next_work().work != Work::nothing; });
        break;
    }
  }
}

/// The level of a stage.
int TimestepStore::level_of(int stage) const noexcept {
  return stage < last_stage() ? plan_.previews[static_cast<std::size_t>(stage)] : plan_.overview;
}

void TimestepStore::read_next_stage(std::unique_lock<std::mutex>& lock,
                                    const std::stop_token& stop) {
  const int number = stages_.next;
  TimestepCache::Slot slot{0, nullptr, nullptr, {}};
  if (number == last_stage()) {
    slot = read_slot(lock, 0, stop);
  } else {
    reading_bytes_ = shown_bytes(reader_.type(),
                                 reader_.levels()[static_cast<std::size_t>(level_of(number))].size);
    lock.unlock();
    try {
      slot.ready = reader_.read_preview(0, level_of(number), stop);
    } catch (const std::exception& error) {  // the next stage is read at once
      log_line("tilewall-caster: {}", error.what());
    }
    slot.read_at = local_now();
    lock.lock();
    reading_bytes_ = 0;
  }
  if (stop.stop_requested()) return;
  ++stages_.next;
  if (slot.ready) {
    stages_.held[static_cast<std::size_t>(number)] = slot.ready;
    stages_.newest = number;
  }
  if (slot.ready || slot.failure) cache_.replace(std::move(slot));
  tell();
}

void TimestepStore::read_timestep(std::unique_lock<std::mutex>& lock, std::int64_t timestep,
                                  const std::stop_token& stop) {
  const bool was_known = reader_.knows_values();
  TimestepCache::Slot slot = read_slot(lock, timestep, stop);
  if (stop.stop_requested()) return;
  if (is_staged() && slot.ready) {  // at another attempt
    stages_.newest = last_stage();
    stages_.held.back() = slot.ready;
  }
  // Timesteps of one value got colours for that value; read them again for the range of all.
  if (!was_known && reader_.knows_values()) cache_.drop_read();
  cache_.add(std::move(slot));
  tell();
}

/// Reads an overview without the lock.
TimestepCache::Slot TimestepStore::read_slot(std::unique_lock<std::mutex>& lock,
                                             std::int64_t timestep, const std::stop_token& stop) {
  const VolumeLevel& level = reader_.levels()[static_cast<std::size_t>(plan_.overview)];
  reading_bytes_ = shown_bytes(reader_.type(), level.size);
  lock.unlock();
  TimestepCache::Slot slot{timestep, nullptr, nullptr, {}};
  try {
    slot.ready = reader_.read_whole(timestep, plan_.overview, stop);
  } catch (const std::exception&) {
    slot.failure = std::current_exception();
  }
  slot.read_at = local_now();
  lock.lock();
  reading_bytes_ = 0;
  return slot;
}

/// Counts the values of one timestep, or answers the question. One timestep at a time, so that
/// panels get their overviews meanwhile.
void TimestepStore::read_quantiles(std::unique_lock<std::mutex>& lock,
                                   const std::stop_token& stop) {
  const QuantileQuestion question = *questions_.asked;
  lock.unlock();
  std::optional<QuantileAnswer> answer;
  if (!counting_.next) {
    if (counting_.values.needed_pass(question)) {
      counting_.values.begin_pass(question);
      counting_.next = 0;
    } else {
      answer = QuantileAnswer{question, counting_.values.range_of(question)};
    }
  }
  if (counting_.next) {
    try {
      reader_.count_values(*counting_.next, counting_.values, stop);
    } catch (const std::exception& error) {
      log_line("tilewall-caster: {}", error.what());
    }
    if (++*counting_.next == reader_.timesteps()) {
      counting_.values.end_pass();
      counting_.next.reset();
    }
  }
  lock.lock();
  if (!answer) return;
  if (questions_.answers.size() == most_answers)
    questions_.answers.erase(questions_.answers.begin());
  questions_.answers.push_back(*answer);
  if (questions_.asked == question) questions_.asked.reset();
  tell();
}

void TimestepStore::read_cells(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  detail_stop_ = std::stop_source{};
  const std::stop_source stopping = detail_stop_;
  const WantedCells wanted = *cell_reading_.wanted;
  lock.unlock();
  ComeCells come{wanted.timestep, wanted.level, std::nullopt};
  {
    const std::stop_callback chained(stop, [&] { std::stop_source(stopping).request_stop(); });
    try {
      come.cells = reader_.read_cells(wanted.timestep, wanted.level, stopping.get_token());
    } catch (const std::exception& error) {  // go on without ranges: the detail is then a box
      log_line("tilewall-caster: {}", error.what());
    }
  }
  lock.lock();
  if (stopping.stop_requested() && !come.cells) return;  // if still wanted, next_work() repeats it
  if (cell_reading_.wanted == wanted) cell_reading_.wanted.reset();
  cell_reading_.come = std::move(come);
  tell();
}

void TimestepStore::read_detail(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  // More urgent requests stop this reading through `detail_stop_`. Copy the source, because that
  // member is only read under the lock.
  detail_stop_ = std::stop_source{};
  const std::stop_source stopping = detail_stop_;
  // Tiles are loaded into the volume that is there. Take it out of `detail_` meanwhile, so that
  // this thread alone has it and no picture is drawn from a volume that changes.
  WantedDetail wanted = *detail_;
  detail_->ready.reset();
  StagedTiles staged;
  if (wanted.expects(wanted.choice)) staged = std::move(wanted.next->staged);
  detail_->next.reset();
  wanted.next.reset();
  // A detail has only some of the values. Its colours and clip box must be those of the whole
  // volume, or the picture would jump when the detail replaces the overview.
  const VolumeWhole whole = cache_.find(wanted.timestep)->whole;
  reading_bytes_ = bytes_of(reader_.type(), wanted.choice);
  // Old tiles stay as long as they fit `tiles_bytes`, so the sum is limited by that.
  if (wanted.ready)
    reading_bytes_ =
        std::min(reading_bytes_ + bytes_of(wanted.ready->volume), wanted.choice.tiles_bytes);
  reading_bytes_ = std::min(reading_bytes_ + staged.bytes(), wanted.choice.tiles_bytes);
  lock.unlock();
  ReadyTimestepPtr ready;
  std::string fault;
  {
    const std::stop_callback chained(stop, [&] { std::stop_source(stopping).request_stop(); });
    try {
      ready = wanted.choice.tiles
                  ? reader_.read_tiles(wanted.timestep, wanted.choice, std::move(wanted.ready),
                                       std::move(staged), stopping.get_token())
                  : reader_.read_box(wanted.timestep, wanted.choice, stopping.get_token());
    } catch (const std::exception& error) {
      fault = error.what();
    }
  }
  // A box that was stopped has zeros where nothing was read, and does not know where. Tiles know
  // which of them are loaded, so settle_stopped() can keep these.
  if (stopping.stop_requested() && !wanted.choice.tiles) ready.reset();
  if (ready) ready->whole = whole;
  lock.lock();
  reading_bytes_ = 0;
  // A fault of a stopped reading is dropped: if this detail is still wanted, it is read again.
  if (stopping.stop_requested()) return settle_stopped(lock, wanted, std::move(ready));
  if (!fault.empty()) log_line("tilewall-caster: {}", fault);
  detail_->failed = ready == nullptr;
  detail_->fault = std::move(fault);
  if (ready) {
    detail_->ready = std::move(ready);
    detail_->complete = true;
  }
  tell();
}

/// Reads what is expected next, while the owner draws the detail. The volume does not change.
void TimestepStore::read_ahead(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  detail_stop_ = std::stop_source{};
  const std::stop_source stopping = detail_stop_;
  const std::shared_ptr<ExpectedDetail> next = detail_->next;
  const ReadyTimestepPtr ready = detail_->ready;
  const std::int64_t timestep = detail_->timestep;
  const std::size_t held = bytes_of(ready->volume);
  const std::size_t limit = next->choice.tiles_bytes;
  reading_bytes_ = limit - std::min(limit, held);
  lock.unlock();
  StagedTiles staged;
  {
    const std::stop_callback chained(stop, [&] { std::stop_source(stopping).request_stop(); });
    staged = reader_.stage_tiles(timestep, next->choice, *ready, limit - std::min(limit, held),
                                 stopping.get_token());
  }
  lock.lock();
  reading_bytes_ = 0;
  next->staged = std::move(staged);
  next->is_read = true;
}

/// Keeps the tiles of a reading that was stopped if the detail that is wanted now can use them.
void TimestepStore::settle_stopped(std::unique_lock<std::mutex>& lock, const WantedDetail& wanted,
                                   ReadyTimestepPtr ready) {
  if (detail_ && detail_->can_become(wanted.timestep, wanted.choice)) {
    detail_->ready = std::move(ready);
    return;
  }
  lock.unlock();  // freeing this much memory takes time, and the owner must not wait for it
  ready.reset();
  lock.lock();
}

}  // namespace tilewall::volume
