// SIGINT and SIGTERM, the signals that ask a process to stop: as a flag, a descriptor, or a
// stop_token. A process uses one of these at a time.
#pragma once

#include <csignal>
#include <initializer_list>
#include <latch>
#include <stop_token>
#include <thread>

#include "sync/base/handle.hpp"

namespace tilewall {

/// A set of signals for the calls that take one.
[[nodiscard]] sigset_t signal_set(std::initializer_list<int> signals) noexcept;

/// SIGINT and SIGTERM.
[[nodiscard]] sigset_t stop_signal_set() noexcept;

/// A descriptor that is readable while one of the signals is pending. They have to be blocked.
/// Nothing is to be read from it. Throws JobError.
[[nodiscard]] UniqueFd signal_fd(const sigset_t& signals);

// A flag, for loops that look at it. The signals interrupt what the loop waits in.

/// From now on stop signals set the flag instead of ending the process.
void catch_stop_signals();

[[nodiscard]] bool stop_signal_received() noexcept;

// A descriptor, for loops that poll.

/// Blocks the stop signals for the calling thread and those it starts, for good, and returns a
/// descriptor that is readable once one of them has come. Throws JobError.
[[nodiscard]] UniqueFd stop_signal_fd();

// A stop_token, for long jobs.

/// While this lives, the first stop signal requests a stop; a second one, 0.2 s later or more, ends
/// the process as usual. Make it before any other thread, so that they inherit the blocked signals.
/// Once it is made, its thread only waits and holds no lock, so that the process may fork.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }

 private:
  const UniqueFd ended_;    // an eventfd: readable from the destructor on
  const UniqueFd signals_;  // readable while a stop signal is pending
  std::stop_source stop_;
  std::latch waits_{1};
  std::thread thread_;  // waits for both
};

}  // namespace tilewall
