// Brings a presenting thread to its instants, and lets the others pass afterwards.
//
// Where a machine drives more panels than it has cores, all of them wake for the same instant, and
// a thread that goes on to prepare its next picture keeps the ones behind it from committing
// theirs. So a commit has a higher priority than preparing: sleep until just before the instant,
// stay awake and yield to threads of the same priority, commit, stamp, yield once more, and only
// then prepare again.
//
//   pacer.wait_until(due);
//   const LocalInstant stamp = presenter.swap();
//   pacer.committed();
//
// Nothing is allocated or locked, and no system call is made, between the end of the wait and the
// commit.
// Threads: lives on the presenting thread.
#pragma once

#include <array>
#include <cstddef>

#include "sync/global_time.hpp"

namespace tilewall::sync {

// The time before an instant at which a thread has to wake up to be there in time, learned from how
// late its sleeps have ended.

/// Pure. Threads: one owner.
class AwakeTime {
 public:
  static constexpr Nanos shortest = std::chrono::microseconds(200);
  static constexpr Nanos longest = std::chrono::microseconds(300);

  /// Twice the latest wake-up of the last 64, within [shortest, longest]; at first the longest.
  [[nodiscard]] Nanos value() const noexcept { return value_; }

  /// Notes that a sleep ended so much later than requested.
  void woke_late_by(Nanos late) noexcept;

 private:
  static constexpr std::size_t remembered = 64;
  std::array<Nanos, remembered> late_by_{};
  std::size_t next_ = 0;
  std::size_t known_ = 0;
  Nanos value_ = longest;
};

class CommitPacer {
 public:
  /// Asks for realtime priority and fine timers. The destructor gives the priority back.
  CommitPacer();
  ~CommitPacer();
  CommitPacer(const CommitPacer&) = delete;
  CommitPacer& operator=(const CommitPacer&) = delete;

  /// Whether realtime priority was granted; without it other work may delay commits.
  [[nodiscard]] bool realtime() const noexcept { return realtime_; }

  /// Returns at `instant`; at once where that is past. Stays awake for `most_awake` before it at
  /// most. Not interruptible.
  void wait_until(LocalInstant instant, Nanos most_awake = AwakeTime::longest) noexcept;

  /// Call after the commit is made and stamped. Yields, and lowers the priority again.
  void committed() noexcept;

 private:
  const bool realtime_;
  AwakeTime awake_;
};

}  // namespace tilewall::sync
