// Facts and limits of this process and its host.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace tilewall {

// Limits on memory, CPU time and open files of this process.

/// Limits the memory of this process from now on, and switches core files off. Builds with a
/// sanitizer are not limited, because its shadow memory counts.
void limit_memory(std::uint64_t bytes) noexcept;

/// The same for this process, but not for programs that it starts with ChildOptions::as_from_shell.
void limit_own_memory(std::uint64_t bytes) noexcept;
/// Ends such limits.
void lift_own_limits() noexcept;

/// Limits the CPU time of this process. The kernel ends it (SIGKILL) beyond.
void limit_cpu_time(std::uint64_t seconds) noexcept;

/// Limits the CPU time of this process from now on, in addition to what it has used. The kernel
/// ends it (SIGXCPU) beyond. May be called again.
void allow_cpu_time(double seconds) noexcept;

/// Raises the soft limit of open files to the hard one, at most to `most_open_files`: the usual
/// soft limit of 1024 is too low for the director of a large wall. Every program begins with it.
inline constexpr std::uint64_t most_open_files = 524'288;
void allow_open_files() noexcept;

/// The soft limit of open files.
[[nodiscard]] std::uint64_t open_files_limit() noexcept;

/// The arguments of this process after the program's name. Empty where /proc does not tell.
[[nodiscard]] std::vector<std::string> own_arguments();

/// The number of this process among those that a launcher has started on this host, from 0. 0 where
/// there is no launcher. Knows Open MPI, PMI launchers and Slurm.
[[nodiscard]] int local_rank() noexcept;

/// The host name that this machine has for itself.
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

/// CPU time of all threads of this process, those that have ended included.
[[nodiscard]] inline std::uint64_t process_time_ns() noexcept {
  return cpu_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace tilewall
