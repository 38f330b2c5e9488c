// A global clock that only its owner moves, for tests.
#pragma once

#include <atomic>

#include "sync/global_time.hpp"

namespace tilewall::sync {

/// Local time starts at 0 and global time at a given instant; both advance together. Any thread.
class ManualClock : public GlobalClock {
 public:
  explicit ManualClock(GlobalInstant start = {}) : start_(start) {}

  void advance(Nanos by) noexcept { local_ns_.fetch_add(by.count(), std::memory_order_relaxed); }

  [[nodiscard]] LocalInstant local() const noexcept {
    return {Nanos{local_ns_.load(std::memory_order_relaxed)}};
  }

  [[nodiscard]] ClockMapping mapping() const noexcept override {
    ClockMapping exact;
    exact.anchor_global = start_;
    return exact;
  }

 private:
  const GlobalInstant start_;
  std::atomic<Nanos::rep> local_ns_{0};
};

}  // namespace tilewall::sync
