// Facts and limits of this process and its host.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace tilewall {

// How much of the system this process may take: memory, computing time, open files.

/// Memory of this process from now on; no core files. Builds with a sanitizer, whose shadow memory
/// counts, are left as they are.
void limit_memory(std::uint64_t bytes) noexcept;

/// Computing time of this process; beyond it the kernel ends it (SIGKILL).
void limit_cpu_time(std::uint64_t seconds) noexcept;

/// Computing time of this process from now on, on top of what it has taken; beyond it the kernel
/// ends it (SIGXCPU). May be given anew.
void allow_cpu_time(double seconds) noexcept;

/// Raises the soft limit of open files to the hard one, at most to `most_open_files`: the usual
/// soft limit of 1024 is too low for the director of a large wall. Every program begins with it.
inline constexpr std::uint64_t most_open_files = 524'288;
void allow_open_files() noexcept;

/// The soft limit of open files.
[[nodiscard]] std::uint64_t open_files_limit() noexcept;

/// What this machine calls itself.
[[nodiscard]] std::string host_name();

/// CPU time of the calling thread and of this process, for counters.
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
