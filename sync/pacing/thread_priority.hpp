// Priorities of threads: those that commit come first, then those that prepare, then those that
// decode. Each function acts on the calling thread alone.
#pragma once

namespace tilewall::sync {

/// Realtime priorities, below the kernel's own threads at 50. The higher one runs at once.
enum class RealtimeLevel : int {
  prepare = 40,  ///< presenting threads between instants; clock daemons
  commit = 41,   ///< presenting threads from their sleep before an instant to their stamp
};

/// Requests SCHED_FIFO, which threads started by this one do not inherit. False: not granted, as
/// for ordinary users; the thread then goes on as it was.
[[nodiscard]] bool try_realtime_priority(RealtimeLevel level = RealtimeLevel::prepare) noexcept;

/// Returns to SCHED_OTHER.
void use_normal_priority() noexcept;

/// One line that tells users how to get realtime priority.
[[nodiscard]] const char* how_to_allow_realtime() noexcept;

/// Lowers the priority of the calling thread, and of those it starts from now on, below the threads
/// that present.
void use_background_priority() noexcept;

/// The same, below the threads that decode too.
void use_least_priority() noexcept;

/// Asks the kernel to wake the calling thread's sleeps without its usual 50 us of slack.
void use_finest_timer_slack() noexcept;

/// Keeps the program's code and the top of the calling thread's stack in memory (some 2 MB), where
/// the user's limit allows it, so that a commit never waits for the disk.
void keep_code_in_memory() noexcept;

}  // namespace tilewall::sync
