// State and CPU time of another process, from /proc. A process that has ended has no state.
#pragma once

#include <sys/types.h>

#include "sync/global_time.hpp"

namespace tilewall::host {

/// CPU time of all threads of the process so far; 0 where it has ended.
[[nodiscard]] Nanos cpu_time_of(pid_t pid);

/// Whether a thread of the process runs or waits for a CPU.
[[nodiscard]] bool any_thread_runs(pid_t pid);

/// Whether a signal (SIGSTOP, SIGTSTP) has stopped the process. A debugger's stop is none.
[[nodiscard]] bool is_stopped(pid_t pid);

}  // namespace tilewall::host
