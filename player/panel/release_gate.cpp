#include "player/panel/release_gate.hpp"

#include <algorithm>
#include <utility>

namespace tilewall {
namespace {

constexpr std::size_t most_kept = 256;  // many times what is decoded ahead

}  // namespace

void ReleaseGate::add(const Release& release) {
  const std::scoped_lock lock(mutex_);
  if (release.schedule < newest_.schedule) return;
  if (release.schedule > newest_.schedule)
    before_ = std::exchange(newest_, Released{release.schedule, {}});
  for (const ReleasedTick& tick : release.ticks)
    if (newest_.ticks.empty() || tick.tick > newest_.ticks.back().tick)
      newest_.ticks.push_back(tick);
  while (newest_.ticks.size() > most_kept) newest_.ticks.pop_front();
}

std::optional<Nanos> ReleaseGate::delay_of(std::uint64_t schedule, std::int64_t tick) {
  const std::scoped_lock lock(mutex_);
  const Released& released = schedule == before_.schedule ? before_ : newest_;
  if (schedule != released.schedule) return std::nullopt;
  const auto found = std::ranges::lower_bound(released.ticks, tick, {}, &ReleasedTick::tick);
  if (found == released.ticks.end() || found->tick != tick) return std::nullopt;
  return Nanos(found->delay_ns);
}

}  // namespace tilewall
