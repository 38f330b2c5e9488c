#include "sync/pacing/wait.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

namespace tilewall {
namespace {

// poll() may oversleep by 1/1000 of its timeout whatever the timer slack, so it ends well before.
constexpr Nanos shortest_tail = std::chrono::milliseconds(1);
constexpr int tail_divisor = 500;
// Above normal threads; below the kernel's own at 50.
constexpr int realtime_priority = 40;

timespec to_timespec(Nanos value) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(value);
  timespec result = {};
  result.tv_sec = seconds.count();
  result.tv_nsec = (value - seconds).count();
  return result;
}

void sleep_until(LocalInstant instant) noexcept {
  const timespec wake = to_timespec(std::max(instant.since_epoch, Nanos{0}));
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {
  }
}

void spin_until(LocalInstant instant) noexcept {
  while (local_now() < instant) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

/// Watches `wake_fd` until the tail before `wake` begins. True: it fired.
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

WaitEnd wait_until(LocalInstant instant, Nanos spin, int wake_fd) noexcept {
  const LocalInstant wake = instant - spin;
  if (wake_fd >= 0 && fires_before_tail(wake, wake_fd)) return WaitEnd::interrupted;
  if (local_now() < wake) sleep_until(wake);
  spin_until(instant);
  return WaitEnd::reached;
}

void use_finest_timer_slack() noexcept { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

bool try_realtime_priority() noexcept {
  sched_param parameters = {};
  parameters.sched_priority = realtime_priority;
  return ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0;
}

void use_background_priority() noexcept {
  constexpr int background_nice = 10;
  // On Linux "process" 0 is the calling thread alone.
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, background_nice));
}

}  // namespace tilewall
