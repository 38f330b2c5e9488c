// Tells a decoder that hangs from one that is slow or starved of CPU time.
//
// A decoder that makes no progress although panels wait for it hangs in one of two ways. It is
// blocked (a deadlock, a disk that does not answer, SIGSTOP), and neither computes nor is ready to
// run. Or it computes for ever. A decoder that is ready to run but seldom gets a CPU is starved: to
// kill it would not help, since the next one would starve too. The same holds while it waits for
// starved panels to release its pictures.
//
// Reads no clock. Threads: one owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

namespace tilewall::host {

/// Figures of a process since its start.
struct ProcessActivity {
  std::chrono::nanoseconds cpu{0};     ///< CPU time of all its threads
  bool runs = false;                   ///< a thread runs or waits for a CPU now
  std::chrono::nanoseconds waited{0};  ///< time that its threads have waited for a CPU
  std::uint64_t full_waits = 0;        ///< number of waits because panels use all its memory
};

class StallWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// A decoder that is blocked for so long hangs. Panels give up after 2.5 s, and have pictures
  /// again by then.
  static constexpr std::chrono::milliseconds blocked_limit{1500};
  static constexpr std::chrono::seconds open_limit{12};  ///< the decoder's own limit is 8 s
  /// A decoder that computes may only be slow, for example at a picture of 200 Mpixel. It hangs
  /// after so much time and so much CPU time without progress.
  static constexpr std::chrono::seconds busy_limit{8};
  static constexpr std::chrono::seconds busy_cpu_limit{4};

  /// The decoder's present task.
  enum class Task { none, open_file, picture };

  /// To be called when a new process was started.
  void started(std::uint64_t progress, TimePoint now) noexcept;

  /// Whether the process hangs. To be called every 100 ms or so. `progress` is a counter of its
  /// work; `activity` is called only where that has not grown.
  [[nodiscard]] bool hangs(Task task, std::uint64_t progress, TimePoint now,
                           const std::function<ProcessActivity()>& activity);

 private:
  struct Look {
    std::chrono::nanoseconds at{0};  // value of watched_
    ProcessActivity activity;
  };
  void begin(std::uint64_t progress, TimePoint now) noexcept;
  [[nodiscard]] bool is_blocked() const noexcept;

  std::uint64_t progress_ = 0;
  // Watched time: it passes more slowly than the clock while the watcher itself is starved.
  std::chrono::nanoseconds watched_{0};
  std::chrono::nanoseconds progress_at_{0};  // value of watched_
  TimePoint looked_at_;
  int idle_looks_ = 0;                           // number of newest looks without a task
  std::chrono::nanoseconds cpu_at_progress_{0};  // CPU time at the first look after the progress
  std::deque<Look> looks_;  // looks since the last progress, within blocked_limit
};

}  // namespace tilewall::host
