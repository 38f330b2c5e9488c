// Tells a decoder that hangs from one that is slow, or starved of processor time. Pure; one owner.
//
// A decoder that gets nothing done although panels wait for it hangs in one of two ways: it is
// blocked (a deadlock, a disk that does not answer, SIGSTOP), so it neither computes nor is ready
// to run; or it computes for ever. One that is ready to run but seldom gets a processor does
// neither: ending it would not help, as the next one would starve too. The same holds while it
// waits for starved panels to let go of its pictures.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

namespace tilewall::host {

/// What the operating system says of a process.
struct ProcessActivity {
  std::chrono::nanoseconds cpu{0};  ///< computed so far, by all its threads
  bool runs = false;                ///< a thread of it runs, or waits for a processor
  /// How long its threads have waited for a processor so far.
  std::chrono::nanoseconds waited{0};
  std::uint64_t full_waits = 0;  ///< how often it found all its memory in use by panels so far
};

class StallWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Blocked for so long. Short enough that panels have pictures again before they give up (2.5 s).
  static constexpr std::chrono::milliseconds blocked_limit{1500};
  static constexpr std::chrono::seconds open_limit{12};  ///< the decoder gives a file 8 s itself
  /// One that computes may just be slow, at a picture of 200 Mpixel for example: it hangs after
  /// both of these.
  static constexpr std::chrono::seconds busy_limit{8};
  static constexpr std::chrono::seconds busy_cpu_limit{4};

  /// What the decoder is to do now.
  enum class Task { none, open_file, picture };

  /// A new process was started.
  void started(std::uint64_t progress, TimePoint now) noexcept;

  /// Whether the process hangs; to be asked every 100 ms or so. `progress` grows with all that it
  /// gets done; `activity` is called where it got nothing done.
  [[nodiscard]] bool hangs(Task task, std::uint64_t progress, TimePoint now,
                           const std::function<ProcessActivity()>& activity);

 private:
  struct Look {
    std::chrono::nanoseconds at{0};  // as watched_
    ProcessActivity activity;
  };
  void begin(std::uint64_t progress, TimePoint now) noexcept;
  [[nodiscard]] bool is_blocked() const noexcept;

  std::uint64_t progress_ = 0;
  // Time in which it was looked at: that of a starved watcher passes more slowly.
  std::chrono::nanoseconds watched_{0};
  std::chrono::nanoseconds progress_at_{0};  // as watched_
  TimePoint looked_at_;
  int idle_looks_ = 0;                           // the newest ones, all without a task
  std::chrono::nanoseconds cpu_at_progress_{0};  // at the first look after it
  std::deque<Look> looks_;                       // since the progress, the newest blocked_limit
};

}  // namespace tilewall::host
