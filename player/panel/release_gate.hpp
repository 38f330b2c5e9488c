// Late policy "slow": a tick may be shown only once the director has released it, and as much later
// than the timeline says as the whole wall has fallen behind by then.
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
  std::mutex mutex_;
  std::uint64_t schedule_ = 0;         // guarded by mutex_
  std::deque<ReleasedTick> released_;  // guarded by mutex_; ascending, of schedule_
};

}  // namespace tilewall
