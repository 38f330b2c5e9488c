#include "player/volume/caster/timestep_cache.hpp"

#include <algorithm>
#include <utility>

#include "player/volume/tile_choice.hpp"
#include "player/volume/volume_levels.hpp"

namespace tilewall::volume {

std::size_t bytes_of(const render::Volume& volume) {
  return volume.tiles() == nullptr ? shown_bytes(volume.type(), volume.size())
                                   : tiled_bytes(volume.size(), volume.tiles()->loaded_tiles());
}

void TimestepCache::want(std::int64_t timestep) noexcept {
  if (wanted_ && *wanted_ != timestep) direction_ = timestep > *wanted_ ? 1 : -1;
  wanted_ = timestep;
}

ReadyTimestepPtr TimestepCache::get(std::int64_t timestep, LocalInstant now) {
  const auto found = std::ranges::find(slots_, timestep, &Slot::timestep);
  if (found == slots_.end()) return nullptr;
  slots_.splice(slots_.begin(), slots_, found);
  if (!found->failure) return found->ready;
  if (now < found->read_at + retry_pause) std::rethrow_exception(found->failure);
  slots_.erase(found);  // try again: the file may be whole, or the disk back, by now
  return nullptr;
}

bool TimestepCache::has(std::int64_t timestep) const {
  return std::ranges::find(slots_, timestep, &Slot::timestep) != slots_.end();
}

ReadyTimestepPtr TimestepCache::find(std::int64_t timestep) const {
  const auto found = std::ranges::find(slots_, timestep, &Slot::timestep);
  return found == slots_.end() ? nullptr : found->ready;
}

std::optional<std::int64_t> TimestepCache::next_ahead() const {
  if (!wanted_) return std::nullopt;
  const std::int64_t ahead = std::min(most_, timesteps_);
  for (std::int64_t i = 1; i < ahead; ++i) {
    const std::int64_t step = ((*wanted_ + i * direction_) % timesteps_ + timesteps_) % timesteps_;
    if (!has(step)) return step;
  }
  return std::nullopt;
}

ReadyTimestepPtr TimestepCache::drop_oldest() {
  ReadyTimestepPtr oldest = std::move(slots_.back().ready);
  slots_.pop_back();
  return oldest;
}

void TimestepCache::drop_read() {
  slots_.remove_if([](const Slot& slot) { return slot.ready != nullptr; });
}

std::uint64_t TimestepCache::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const Slot& slot : slots_)
    if (slot.ready) bytes += bytes_of(slot.ready->volume);
  return bytes;
}

}  // namespace tilewall::volume
