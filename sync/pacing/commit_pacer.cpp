#include "sync/pacing/commit_pacer.hpp"

#include <sched.h>

#include <algorithm>
#include <tuple>

#include "sync/pacing/thread_priority.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::sync {

CommitPacer::CommitPacer() : realtime_(try_realtime_priority()) {
  use_finest_timer_slack();
  keep_code_in_memory();
}

CommitPacer::~CommitPacer() {
  if (realtime_) use_normal_priority();
}

void CommitPacer::wait_until(LocalInstant instant, Nanos most_awake) noexcept {
  // The priority rises before the sleep, so that the thread wakes ahead of those that prepare, and
  // needs no system call between the wait and its commit.
  if (realtime_) std::ignore = try_realtime_priority(RealtimeLevel::commit);
  const LocalInstant wake = instant - std::min(awake_.value(), most_awake);
  if (local_now() < wake) {
    sleep_until(wake);
    awake_.woke_late_by(local_now() - wake);
  }
  stay_awake_until(instant);
}

void CommitPacer::committed() noexcept {
  ::sched_yield();  // cheaper than the next line, and others wait to commit
  if (realtime_) std::ignore = try_realtime_priority(RealtimeLevel::prepare);
}

void AwakeTime::woke_late_by(Nanos late) noexcept {
  late_by_[next_] = std::clamp(late, Nanos(0), longest);
  next_ = (next_ + 1) % remembered;
  known_ = std::min(known_ + 1, remembered);
  // A quiet beginning may hide late wake-ups, so the longest time holds until 64 sleeps are known.
  if (known_ < remembered) return;
  value_ = std::clamp(2 * *std::max_element(late_by_.begin(), late_by_.end()), shortest, longest);
}

}  // namespace tilewall::sync
