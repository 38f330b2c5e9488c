// CPU time of the calling thread and of this process, for counters.
#pragma once

#include <cstdint>
#include <ctime>

namespace tilewall {

[[nodiscard]] inline std::uint64_t cpu_clock_ns(clockid_t clock) noexcept {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

[[nodiscard]] inline std::uint64_t thread_time_ns() noexcept {
  return cpu_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/// Threads that have ended included.
[[nodiscard]] inline std::uint64_t process_time_ns() noexcept {
  return cpu_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace tilewall
