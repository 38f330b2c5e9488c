// Waiting for an instant: sleep until just before it, then spin.
//
// A sleeping thread is woken some 50 us late and more under load; a spinning one is there to well
// under a microsecond but burns its core. So the caller says how much of the wait to spin (200 us
// is enough on an idle machine; 0 never spins). Threads: all of this concerns the calling thread
// alone.
#pragma once

#include "sync/global_time.hpp"

namespace tilewall {

enum class WaitEnd { reached, interrupted };

/// Waits until `instant`; at once where that is past. Where `wake_fd` is given (>= 0: an eventfd, a
/// pipe), the wait ends early as soon as that is readable or hung up; nothing is read from it. The
/// last moments (1 ms, or 1/500 of a longer wait, plus `spin`) are no longer interruptible.
/// `reached` is never returned before `instant`.
[[nodiscard]] WaitEnd wait_until(LocalInstant instant, Nanos spin, int wake_fd = -1) noexcept;

/// Asks the kernel to wake the calling thread's sleeps without its usual 50 us of slack.
void use_finest_timer_slack() noexcept;

/// Asks for SCHED_FIFO for the calling thread (not inherited by what it starts). False: not
/// granted, as for ordinary users; the thread then goes on as it was.
[[nodiscard]] bool try_realtime_priority() noexcept;

/// Puts the calling thread, and those it starts from now on, behind the threads that present.
void use_background_priority() noexcept;

}  // namespace tilewall
