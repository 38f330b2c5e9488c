// The time that threads waited for a processor, from /proc/.../schedstat.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "sync/base/handle.hpp"

namespace tilewall {

/// The run-queue wait in a schedstat's text: its second number, in nanoseconds. Empty where the
/// text is not "RAN WAITED SLICES".
[[nodiscard]] std::optional<std::chrono::nanoseconds> parse_run_queue_wait(std::string_view text);

/// Sum over all threads of the process; empty where the kernel has no figures.
[[nodiscard]] std::optional<std::chrono::nanoseconds> run_queue_wait_of(pid_t pid);

/// The run-queue wait of the thread that makes this object, which alone may read it.
class ThreadRunQueue {
 public:
  ThreadRunQueue();

  /// Wait since the thread began; 0 where the kernel has no figures.
  [[nodiscard]] std::chrono::nanoseconds waited() const;

 private:
  UniqueFd file_;  // empty where the kernel has no such file
};

}  // namespace tilewall
