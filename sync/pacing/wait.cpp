#include "sync/pacing/wait.hpp"

#include <poll.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

namespace tilewall::sync {
namespace {

// poll() may oversleep by 1/1000 of its timeout whatever the timer slack, so it ends well before.
constexpr Nanos shortest_tail = std::chrono::milliseconds(1);
constexpr int tail_divisor = 500;

timespec to_timespec(Nanos value) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(value);
  timespec result = {};
  result.tv_sec = seconds.count();
  result.tv_nsec = (value - seconds).count();
  return result;
}

/// Watches `wake_fd` until the tail before `wake` begins. Returns whether it was readable.
bool fires_before_tail(LocalInstant wake, int wake_fd) noexcept {
  for (;;) {
    const Nanos left = std::max(wake - local_now(), Nanos{0});
    const Nanos tail = std::max(shortest_tail, left / tail_divisor);
    const timespec timeout = to_timespec(std::max(left - tail, Nanos{0}));
    pollfd watched = {wake_fd, POLLIN, 0};
    const int fired = ::ppoll(&watched, 1, &timeout, nullptr);
    if (fired > 0) return true;
    if (fired < 0 && errno != EINTR) return false;
    if (fired == 0 && left <= 2 * tail) return false;
  }
}

}  // namespace

WaitEnd watch_until(LocalInstant instant, int wake_fd) noexcept {
  const timespec timeout = to_timespec(std::max(instant - local_now(), Nanos{0}));
  pollfd watched = {wake_fd, POLLIN, 0};
  return ::ppoll(&watched, 1, &timeout, nullptr) == 0 ? WaitEnd::reached : WaitEnd::interrupted;
}

void sleep_until(LocalInstant instant) noexcept {
  const timespec wake = to_timespec(std::max(instant.since_epoch, Nanos{0}));
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {
  }
}

void stay_awake_until(LocalInstant instant) noexcept {
  while (local_now() < instant) ::sched_yield();
}

WaitEnd wait_until(LocalInstant instant, Nanos awake, int wake_fd) noexcept {
  const LocalInstant wake = instant - awake;
  if (wake_fd >= 0 && fires_before_tail(wake, wake_fd)) return WaitEnd::interrupted;
  if (local_now() < wake) sleep_until(wake);
  stay_awake_until(instant);
  return WaitEnd::reached;
}

}  // namespace tilewall::sync
