// Splits a thread's CPU time between two kinds of work that alternate thousands of times in a
// picture.
//
// At each change only the steady clock is read (some 50 ns, without a system call). The thread's
// CPU clock is read at both ends, and its time is shared out in proportion to elapsed time. So both
// kinds lose alike where other programs take the core away.
#pragma once

#include <chrono>
#include <cstdint>

#include "sync/base/process.hpp"

namespace tilewall::render {

[[nodiscard]] inline std::uint64_t ns_since(std::chrono::steady_clock::time_point began) noexcept {
  return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - began).count());
}

/// Threads: one owner, who makes it and reads it.
class SplitTime {
 public:
  void begin_first() noexcept { turn_ = std::chrono::steady_clock::now(); }
  void end_first() noexcept { first_ns_ += ns_since(turn_); }

  struct Cpu {
    std::uint64_t first_ns = 0;
    std::uint64_t rest_ns = 0;
  };
  /// CPU time since this was made.
  [[nodiscard]] Cpu cpu() const noexcept {
    const std::uint64_t cpu_ns = thread_time_ns() - cpu_began_;
    const std::uint64_t passed_ns = ns_since(began_);
    if (passed_ns == 0) return {0, cpu_ns};
    const double share = static_cast<double>(first_ns_) / static_cast<double>(passed_ns);
    const auto first_ns = static_cast<std::uint64_t>(share * static_cast<double>(cpu_ns));
    return {first_ns, cpu_ns - first_ns};
  }

 private:
  const std::uint64_t cpu_began_ = thread_time_ns();
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point turn_;
  std::uint64_t first_ns_ = 0;
};

}  // namespace tilewall::render
