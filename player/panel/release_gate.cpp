#include "player/panel/release_gate.hpp"

namespace tilewall {

void ReleaseGate::add(const Release& release) {
  const std::scoped_lock lock(mutex_);
  if (release.schedule < schedule_) return;
  if (release.schedule > schedule_) released_.clear();
  schedule_ = release.schedule;
  for (const ReleasedTick& tick : release.ticks)
    if (released_.empty() || tick.tick > released_.back().tick) released_.push_back(tick);
}

std::optional<Nanos> ReleaseGate::delay_of(std::uint64_t schedule, std::int64_t tick) {
  const std::scoped_lock lock(mutex_);
  if (schedule != schedule_) return std::nullopt;
  while (!released_.empty() && released_.front().tick < tick) released_.pop_front();
  if (released_.empty() || released_.front().tick != tick) return std::nullopt;
  return Nanos(released_.front().delay_ns);
}

}  // namespace tilewall
