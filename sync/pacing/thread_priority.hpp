// Which threads come first: those that commit, then those that prepare, then those that decode.
// Each function concerns the calling thread alone.
#pragma once

namespace tilewall::sync {

/// Of realtime threads the higher one runs at once. All lie below the kernel's own, at 50.
enum class RealtimeLevel : int {
  prepare = 40,  ///< presenting threads between instants; clock daemons
  commit = 41,   ///< presenting threads from their sleep before an instant to their stamp
};

/// Asks for SCHED_FIFO (not inherited by what the thread starts). False: not granted, as for
/// ordinary users; the thread then goes on as it was.
[[nodiscard]] bool try_realtime_priority(RealtimeLevel level = RealtimeLevel::prepare) noexcept;

/// Back to SCHED_OTHER.
void use_normal_priority() noexcept;

/// What a user types to be granted realtime priority; one line.
[[nodiscard]] const char* how_to_allow_realtime() noexcept;

/// Puts the calling thread, and those it starts from now on, behind the threads that present.
void use_background_priority() noexcept;

/// Asks the kernel to wake the calling thread's sleeps without its usual 50 us of slack.
void use_finest_timer_slack() noexcept;

/// Keeps the program's code and the top of the calling thread's stack in memory (some 2 MB), where
/// the user's limit allows it, so that a commit never waits for the disk.
void keep_code_in_memory() noexcept;

}  // namespace tilewall::sync
