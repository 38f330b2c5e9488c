#include "player/volume/caster/live_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "player/scene/live_messages.hpp"
#include "render/readers/load_volume.hpp"
#include "render/readers/slab_reducer.hpp"
#include "sync/base/error.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::volume {
namespace {

constexpr std::size_t most_slots = 4096;

/// The values that stored numbers mean.
render::ValueRange values_of(const render::ValueRange& stored, const render::ValueScale& scale) {
  const auto value = [&](float number) {
    return static_cast<float>(scale.offset + scale.scale * static_cast<double>(number));
  };
  return stored.empty() ? stored : render::ValueRange{value(stored.min), value(stored.max)};
}

/// The range that holds both.
render::ValueRange joined(const render::ValueRange& a, const render::ValueRange& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

/// The lesser of two values above 0; 0 stands for none.
float lesser_above_zero(float a, float b) {
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

/// The timestep's grids, as those of a file.
render::VolumeInfo info_of(const LiveTimestep& timestep, const LiveMeaning& meaning) {
  render::VolumeInfo info;
  info.size = timestep.size();
  info.type = timestep.type();
  info.place = meaning.place;
  info.coarser = {{render::reduced_size(info.size, 2),
                   render::reduced_place(info.place, info.size, 2),
                   {1, 1, 1}}};
  return info;
}

}  // namespace

LiveStore::LiveStore(const VolumeJob& job, HostGpu& gpu, int threads)
    : job_(job),
      gpu_(gpu),
      threads_(threads),
      room_{job.memory_bytes, !gpu.is_used(), std::make_shared<render::VolumePool>()} {}

bool LiveStore::is_on_wall(std::int64_t frame) const {
  return std::ranges::find(on_wall_, frame) != on_wall_.end();
}

void LiveStore::add(std::uint64_t run, std::shared_ptr<LiveTimestep> timestep,
                    const LiveMeaning& meaning) {
  const std::int64_t frame = scene::live_frame(run, static_cast<std::int64_t>(timestep->number()));
  std::shared_ptr<const render::TiledVoxels> packed = timestep->take_packed();
  std::unique_lock lock(mutex_);
  if (std::exchange(run_, run) != run) {
    values_ = {1, 0};
    least_above_zero_ = 0;
    for (auto& [other, slot] : slots_) slot.is_of_run = false;
  }
  values_ = joined(values_, values_of(timestep->stored_range(), meaning.scale));
  Slot slot{std::move(timestep), meaning, values_, least_above_zero_, nullptr, true};
  lock.unlock();  // the thread that draws is not to wait meanwhile
  slot.ready = prepare(slot, std::move(packed));
  lock.lock();
  slot.least_above_zero = least_above_zero_ = slot.ready->whole.least_above_zero;
  slots_[frame] = std::move(slot);
  make_room();
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
  const auto newest = std::find_if(slots_.rbegin(), slots_.rend(),
                                   [](const auto& slot) { return slot.second.is_of_run; });
  if (newest != slots_.rend()) {
    const LiveTimestep& timestep = *newest->second.received;
    const std::size_t own = std::max<std::size_t>(timestep.memory_bytes(), 1);
    const std::size_t needed =
        room_.needed_bytes(timestep.level(), timestep.type(), timestep.size());
    const std::size_t left = room_.memory_bytes > needed ? room_.memory_bytes - needed : 0;
    most = std::min(LiveRoom::least_kept + left / own, most_slots);
  }
  for (auto slot = slots_.begin(); slots_.size() > most && slot != slots_.end();)
    slot = is_on_wall(slot->first) ? std::next(slot) : slots_.erase(slot);
  std::size_t ready = 0;
  for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot)
    if (slot->second.ready && !is_on_wall(slot->first) && ++ready > 1) slot->second.ready.reset();
}

ReadyTimestepPtr LiveStore::prepare(const Slot& slot,
                                    std::shared_ptr<const render::TiledVoxels> packed) const {
  const LiveTimestep& received = *slot.received;
  const auto number = static_cast<std::int64_t>(received.number());
  const sync::TraceSpan span("prepare timestep", {number, sync::TraceLabels::none});
  const render::VolumeInfo info = info_of(received, slot.meaning);
  const TimestepWords words{slot.meaning.name,
                            fmt::format("{}  {}  timestep {}  time {:g}", slot.meaning.name,
                                        slot.meaning.field, number, received.time()),
                            slot.meaning.units, slot.meaning.field, ""};
  render::Volume volume = received.built().volume(
      render::stretched_place(info, received.level(), job_.stretch), slot.meaning.scale);
  auto ready =
      std::make_shared<ReadyTimestep>(std::move(volume), threads_, words, &gpu_, std::move(packed));
  ready->level = received.level();
  const LowValues low = find_low_values(ready->volume, threads_);
  ready->whole = {info.size,
                  render::stretched_place(info, 0, job_.stretch),
                  slot.values.empty() ? ready->volume.value_range() : slot.values,
                  std::nullopt,
                  lesser_above_zero(slot.least_above_zero, low.least_above_zero),
                  low,
                  job_.stretch,
                  some_cells_of(ready->volume)};
  return ready;
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
  ReadyTimestepPtr ready = prepare(copy, nullptr);
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
    if (!slot.is_of_run) continue;
    kept.timesteps.push_back(scene::timestep_of(frame));
    kept.newest_time = slot.received->time();
  }
  return kept;
}

std::uint64_t LiveStore::held_bytes() const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [frame, slot] : slots_) {
    const LiveTimestep& received = *slot.received;
    bytes += received.memory_bytes();
    if (slot.ready && room_.packs)
      bytes += render::caster_bytes(received.type(), slot.ready->volume.size());
  }
  return bytes;
}

}  // namespace tilewall::volume
