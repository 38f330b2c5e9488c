// How long threads waited for a processor: the run queue, from /proc/.../schedstat.
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

/// Sum over all threads of the process; empty where the kernel does not say.
[[nodiscard]] std::optional<std::chrono::nanoseconds> run_queue_wait_of(pid_t pid);

/// The run-queue wait of the thread that makes this object. It must read it itself.
class ThreadRunQueue {
 public:
  ThreadRunQueue();

  /// Since the thread began; 0 where the kernel does not say.
  [[nodiscard]] std::chrono::nanoseconds waited() const;

 private:
  UniqueFd file_;  // empty where the kernel has none
};

}  // namespace tilewall
