// A thread's computing time, split between two kinds of work that take turns thousands of times in
// a picture.
//
// Between turns only the clock of passing time is read (some 50 ns, without a system call); the
// thread's own is read at both ends, and shared out as time passed. Where other programs take the
// core away, both kinds lose alike.
#pragma once

#include <chrono>
#include <cstdint>

#include "sync/base/process.hpp"

namespace tilewall::render {

[[nodiscard]] inline std::uint64_t ns_since(std::chrono::steady_clock::time_point began) noexcept {
  return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - began).count());
}

/// One owner, on whose thread it is made and asked.
class SplitTime {
 public:
  void begin_first() noexcept { turn_ = std::chrono::steady_clock::now(); }
  void end_first() noexcept { first_ns_ += ns_since(turn_); }

  struct Cpu {
    std::uint64_t first_ns = 0;
    std::uint64_t rest_ns = 0;
  };
  /// Since this was made.
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
