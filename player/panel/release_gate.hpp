// Late policy "slow": a tick may be shown only once the director has released it, and as much later
// than the timeline says as the whole wall has fallen behind by then.
//
// Ticks of two schedules are known: the newest one's, and of the one before, which is shown until
// the newest takes effect.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "player/scene/messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

/// The link adds, the presenter asks; any thread.
class ReleaseGate {
 public:
  void add(const Release& release);

  /// How much later than its timeline says `tick` is shown; empty while it is not released.
  [[nodiscard]] std::optional<Nanos> delay_of(std::uint64_t schedule, std::int64_t tick);

 private:
  struct Released {
    std::uint64_t schedule = 0;
    std::deque<ReleasedTick> ticks;  // ascending
  };
  std::mutex mutex_;
  Released newest_;  // guarded by mutex_
  Released before_;  // guarded by mutex_
};

}  // namespace tilewall
