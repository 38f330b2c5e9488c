// Measures the cost of drawing a picture: wall-clock time, CPU time, and the wait for a CPU.
//
// Threads: one owner, the drawing thread, which also constructs it.
#pragma once

#include "player/panel/pace_meter.hpp"
#include "sync/base/process.hpp"
#include "sync/base/run_queue.hpp"

namespace tilewall::panel {

class DrawStopwatch {
 public:
  /// To be called when the drawing of a picture begins.
  void start() {
    started_ = local_now();
    process_cpu_ns_ = process_time_ns();
    thread_cpu_ns_ = thread_time_ns();
    waited_at_start_ = run_queue_.waited();
  }

  /// Returns the cost since start(). Not to be called for an abandoned picture: its wait for a CPU
  /// then counts in the next picture's Cost::waited_before.
  [[nodiscard]] PaceMeter::Cost stop() {
    const Nanos waited = run_queue_.waited();
    const PaceMeter::Cost cost{
        local_now() - started_,
        Nanos(static_cast<std::int64_t>(process_time_ns() - process_cpu_ns_)),
        Nanos(static_cast<std::int64_t>(thread_time_ns() - thread_cpu_ns_)),
        waited - waited_at_start_, waited_at_start_ - waited_at_stop_};
    waited_at_stop_ = waited;
    return cost;
  }

 private:
  const ThreadRunQueue run_queue_;
  LocalInstant started_;
  std::uint64_t process_cpu_ns_ = 0;
  std::uint64_t thread_cpu_ns_ = 0;
  Nanos waited_at_start_{0};
  Nanos waited_at_stop_{0};
};

}  // namespace tilewall::panel
