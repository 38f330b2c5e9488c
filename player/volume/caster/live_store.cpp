#include "player/volume/caster/live_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "player/scene/live_messages.hpp"
#include "player/volume/volume_levels.hpp"
#include "render/readers/load_volume.hpp"
#include "sync/base/error.hpp"
#include "sync/base/role_log.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::volume {
namespace {

constexpr std::size_t least_kept = 3;  // the one on the wall, and two beside it
constexpr std::size_t most_ready = 3;  // on the wall, drawn ahead, being made ready
constexpr std::size_t most_slots = 4096;

/// The values that stored numbers mean.
render::ValueRange values_of(const render::ValueRange& stored, const render::ValueScale& scale) {
  const auto value = [&](float number) {
    return static_cast<float>(scale.offset + scale.scale * static_cast<double>(number));
  };
  return stored.empty() ? stored : render::ValueRange{value(stored.min), value(stored.max)};
}

}  // namespace

LiveStore::LiveStore(const VolumeJob& job, HostGpu& gpu, int threads)
    : job_(job), gpu_(gpu), threads_(threads) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

LiveStore::~LiveStore() = default;

bool LiveStore::is_on_wall(std::int64_t frame) const {
  return std::ranges::find(on_wall_, frame) != on_wall_.end();
}

void LiveStore::add(std::uint64_t run, LiveTimestepPtr timestep, const LiveMeaning& meaning) {
  const std::int64_t frame = scene::live_frame(run, static_cast<std::int64_t>(timestep->number()));
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(run_, run) != run) {
      values_ = {1, 0};
      for (auto& [other, slot] : slots_) slot.is_of_run = slot.is_kept = false;
    }
    const render::ValueRange own = values_of(timestep->stored_range(), meaning.scale);
    if (!own.empty())
      values_ = values_.empty() ? own
                                : render::ValueRange{std::min(values_.min, own.min),
                                                     std::max(values_.max, own.max)};
    slots_[frame] = {std::move(timestep), meaning, values_, nullptr, false, true};
    make_room();
  }
  wake_.notify_all();
}

void LiveStore::set_on_wall(std::vector<std::int64_t> frames) {
  const std::scoped_lock lock(mutex_);
  if (on_wall_ == frames) return;
  on_wall_ = std::move(frames);
  make_room();
}

/// Drops timesteps of other runs, the oldest ones that do not fit the memory, and what is ready
/// beyond need.
void LiveStore::make_room() {
  std::erase_if(
      slots_, [&](const auto& slot) { return !slot.second.is_of_run && !is_on_wall(slot.first); });
  std::size_t most = most_slots;
  const auto newest_of_run = std::find_if(slots_.rbegin(), slots_.rend(),
                                          [](const auto& slot) { return slot.second.is_of_run; });
  if (newest_of_run != slots_.rend()) {
    const LiveTimestep& newest = *newest_of_run->second.received;
    const std::size_t raw = std::max<std::size_t>(newest.memory_bytes(), 1);
    const std::size_t ready = most_ready * shown_bytes(newest.type(), newest.size());
    const std::size_t room = job_.memory_bytes > ready ? job_.memory_bytes - ready : 0;
    most = std::clamp(room / raw, least_kept, most_slots);
  }
  for (auto slot = slots_.begin(); slots_.size() > most && slot != slots_.end();)
    slot = is_on_wall(slot->first) ? std::next(slot) : slots_.erase(slot);
  std::size_t ready = 0;
  for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot) {
    if (slot->second.ready && !is_on_wall(slot->first) && ++ready > 1) slot->second.ready.reset();
  }
}

/// 0: as it was sent; 1: at half the resolution, where three do not fit the memory otherwise.
int LiveStore::level_of(const LiveTimestep& timestep) const {
  const std::size_t raw = timestep.memory_bytes();
  const std::size_t shown = shown_bytes(timestep.type(), timestep.size());
  return least_kept * raw + 2 * shown <= job_.memory_bytes ? 0 : 1;
}

ReadyTimestepPtr LiveStore::prepare(const Slot& slot) const {
  const auto number = static_cast<std::int64_t>(slot.received->number());
  const sync::TraceSpan span("prepare timestep", {number, sync::TraceLabels::none});
  LiveVolume file(slot.received, slot.meaning);
  render::LoadOptions options;
  options.grid = level_of(*slot.received);
  options.stretch = job_.stretch;
  options.threads = threads_;
  const TimestepWords words{slot.meaning.name,
                            fmt::format("{}  {}  timestep {}  {:g}", slot.meaning.name,
                                        slot.meaning.field, number, slot.received->time()),
                            slot.meaning.units};
  auto ready =
      std::make_shared<ReadyTimestep>(render::load_volume(file, options), threads_, words, &gpu_);
  ready->level = options.grid;
  const auto levels = volume_levels(file.info(), job_.stretch);
  ready->whole = {levels[0].size, levels[0].place,
                  slot.values.empty() ? ready->volume.value_range() : slot.values, std::nullopt};
  return ready;
}

std::optional<std::int64_t> LiveStore::next_to_prepare() const {
  const auto newest = std::find_if(slots_.rbegin(), slots_.rend(),
                                   [](const auto& one) { return one.second.is_of_run; });
  if (newest == slots_.rend() || newest->second.is_kept) return std::nullopt;
  return newest->first;
}

void LiveStore::run(const std::stop_token& stop) {
  sync::use_background_priority();
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [&] { return next_to_prepare().has_value(); })) {
    const std::int64_t frame = *next_to_prepare();
    const Slot slot = slots_.at(frame);
    lock.unlock();
    ReadyTimestepPtr ready;
    try {
      ready = prepare(slot);
    } catch (const std::exception& error) {
      log_line("tilewall-caster: timestep {}: {}", slot.received->number(), error.what());
    }
    lock.lock();
    const auto found = slots_.find(frame);
    if (found == slots_.end() || found->second.received != slot.received) continue;
    if (!ready) {
      slots_.erase(found);
      continue;
    }
    found->second.ready = std::move(ready);
    // Older ones that were not made ready can be asked for, too.
    for (auto& [other, one] : slots_) one.is_kept |= one.is_of_run && other <= frame;
    make_room();
    lock.unlock();
    if (changed_) changed_();
    lock.lock();
  }
}

ReadyTimestepPtr LiveStore::get(std::int64_t frame) {
  std::unique_lock lock(mutex_);
  const auto slot = slots_.find(frame);
  if (slot == slots_.end())
    throw InputError({"live:" + job_.live->name}, "timestep",
                     fmt::format("one of the {} in memory", slots_.size()),
                     std::to_string(scene::timestep_of(frame)));
  if (slot->second.ready) return slot->second.ready;
  const Slot copy = slot->second;
  lock.unlock();
  ReadyTimestepPtr ready = prepare(copy);
  lock.lock();
  if (const auto again = slots_.find(frame);
      again != slots_.end() && again->second.received == copy.received)
    again->second.ready = ready;
  return ready;
}

LiveStore::Kept LiveStore::kept() const {
  const std::scoped_lock lock(mutex_);
  Kept kept;
  for (const auto& [frame, slot] : slots_) {
    if (!slot.is_kept) continue;
    kept.timesteps.push_back(scene::timestep_of(frame));
    kept.newest_time = slot.received->time();
  }
  return kept;
}

std::uint64_t LiveStore::held_bytes() const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [number, slot] : slots_)
    bytes += slot.received->memory_bytes() + (slot.ready ? bytes_of(slot.ready->volume) : 0);
  return bytes;
}

}  // namespace tilewall::volume
