// Measures what drawing a picture takes: time, computing time, and the wait for a processor.
//
// Threads: the drawing thread makes it and is the only one to call it.
#pragma once

#include "player/panel/pace_meter.hpp"
#include "sync/base/process.hpp"
#include "sync/base/run_queue.hpp"

namespace tilewall::panel {

class DrawStopwatch {
 public:
  /// A picture begins.
  void start() {
    started_ = local_now();
    process_cpu_ns_ = process_time_ns();
    thread_cpu_ns_ = thread_time_ns();
    waited_at_start_ = run_queue_.waited();
  }

  /// It is drawn. Not called for a picture that was given up: its wait for a processor is then part
  /// of the next one's Cost::waited_before.
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
