// How much of the system this process may take: memory, computing time, open files.
#pragma once

#include <cstdint>

namespace tilewall {

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

}  // namespace tilewall
