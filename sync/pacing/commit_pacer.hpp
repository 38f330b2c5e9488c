// Brings a presenting thread to its instants, and out of the way of the others afterwards.
//
// Where a machine drives more panels than it has cores, all of them wake for the same instant, and
// a thread that goes on to prepare its next picture keeps the ones behind it from committing
// theirs. So a commit is raised above preparing: sleep until just before the instant, stay awake
// and yield to one's like, commit, stamp, yield once more, and only then prepare again.
//
//   pacer.wait_until(due);
//   const LocalInstant stamp = presenter.swap();
//   pacer.committed();
//
// Nothing is allocated, locked or asked of the kernel between the end of the wait and the commit.
// Threads: lives on the presenting thread.
#pragma once

#include "sync/global_time.hpp"
#include "sync/pacing/awake_time.hpp"

namespace tilewall {

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

  /// The commit is made and stamped.
  void committed() noexcept;

 private:
  const bool realtime_;
  AwakeTime awake_;
};

}  // namespace tilewall
