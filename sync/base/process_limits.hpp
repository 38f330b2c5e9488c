// What a process that reads hostile files may take at most.
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

}  // namespace tilewall
