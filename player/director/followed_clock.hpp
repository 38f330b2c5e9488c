// Global time for a process that follows the clock daemon by itself.
#pragma once

#include <mutex>
#include <string>

#include "net/clock/clock_client.hpp"

namespace tilewall {

/// mapping() and locked() from any thread.
class FollowedClock final : public GlobalClock {
 public:
  /// `daemon`: "HOST:PORT". Starts asking at once.
  explicit FollowedClock(const std::string& daemon) : client_(options_for(daemon), [this](const ClockStatus& status) {
      const std::scoped_lock lock(mutex_);
      status_ = status;
    }) {}

  [[nodiscard]] ClockMapping mapping() const noexcept override {
    const std::scoped_lock lock(mutex_);
    return status_.mapping;
  }

  /// Whether the mapping can be trusted.
  [[nodiscard]] bool known() const noexcept {
    const std::scoped_lock lock(mutex_);
    return status_.state != ClockState::collecting;
  }

 private:
  static ClockClientOptions options_for(const std::string& daemon) {
    ClockClientOptions options;
    options.daemon = resolve(daemon, "clock");
    return options;
  }

  mutable std::mutex mutex_;
  ClockStatus status_;  // guarded by mutex_
  ClockClient client_;  // last: its thread writes the members above
};

}  // namespace tilewall
