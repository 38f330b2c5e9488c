// Waiting for an instant: sleep until just before it, then stay awake.
//
// A sleeping thread is woken some 50 us late, and more under load. A thread that stays awake is
// there to well under a microsecond, but burns its core. So the caller chooses how much of the wait
// to stay awake for (0: sleep to the end). Awake, it yields again and again to threads of its
// priority that wait on the same core. All functions act on the calling thread alone.
#pragma once

#include "sync/global_time.hpp"

namespace tilewall::sync {

enum class WaitEnd { reached, interrupted };

/// Waits until `instant`; returns at once where that is past. Where `wake_fd` is given (>= 0: an
/// eventfd, a pipe), the wait ends early as soon as the descriptor is readable or hung up; nothing
/// is read from it. The last moments (1 ms, or 1/500 of a longer wait, plus `awake`) cannot be
/// interrupted. `reached` is never returned before `instant`.
[[nodiscard]] WaitEnd wait_until(LocalInstant instant, Nanos awake, int wake_fd = -1) noexcept;

/// Waits until `instant`, or until `wake_fd` is readable or hung up, or a signal was handled. It
/// may end too late by 1/1000 of the wait.
[[nodiscard]] WaitEnd watch_until(LocalInstant instant, int wake_fd) noexcept;

/// The two halves of the end of a wait: sleep_until() sleeps until `instant`, the other one stays
/// awake until `instant`.
void sleep_until(LocalInstant instant) noexcept;
void stay_awake_until(LocalInstant instant) noexcept;

}  // namespace tilewall::sync
