// Snapshot orders of the director during the show. The link adds them, and the presenting thread
// takes them when their tick has come.
//
// Threads: any; SnapshotOrders locks.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "player/panel/picture_ring.hpp"

namespace tilewall::panel {

/// Orders a copy of the first picture that is shown at `tick` or later.
struct SnapshotOrder {
  std::uint64_t number = 0;
  std::uint64_t epoch = 0;
  std::int64_t tick = 0;

  [[nodiscard]] bool met_by(const DecodedPicture& shown) const noexcept {
    return shown.epoch > epoch || (shown.epoch == epoch && shown.tick >= tick);
  }
};

/// The waiting orders, 16 at most. Further orders are dropped; the director's wait has a limit.
class SnapshotOrders {
 public:
  void add(const SnapshotOrder& order) {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() < max_waiting) waiting_.push_back(order);
  }

  /// Removes and returns the orders that the shown picture answers.
  [[nodiscard]] std::vector<SnapshotOrder> take(const DecodedPicture& shown) {
    const std::scoped_lock lock(mutex_);
    std::vector<SnapshotOrder> met;
    std::erase_if(waiting_, [&](const SnapshotOrder& order) {
      if (!order.met_by(shown)) return false;
      met.push_back(order);
      return true;
    });
    return met;
  }

 private:
  static constexpr std::size_t max_waiting = 16;
  std::mutex mutex_;
  std::vector<SnapshotOrder> waiting_;  // guarded by mutex_
};

}  // namespace tilewall::panel
