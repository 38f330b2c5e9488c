// CPU time of the calling thread, for counters.
#pragma once

#include <cstdint>
#include <ctime>

namespace tilewall {

[[nodiscard]] inline std::uint64_t thread_time_ns() noexcept {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace tilewall
