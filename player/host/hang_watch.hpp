// Tells a process that hangs from a live one by its turns: a counter that grows while it lives.
//
// A panel that is stopped, or whose driver never returns, keeps its connections. Only its
// presenting thread shows the fault, because it makes no more turns. The same holds for the sound
// process, the host service and the casters. A process that waits for a CPU is starved, and does
// not hang.
//
// A turn may take seconds, and the first one more, but a process that a signal has stopped makes
// none at all. StopWatch finds it: within a second where others wait for it.
//
// They read no clock. Threads: one owner each.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace tilewall::host {

class HangWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds usual_limit{5};   ///< time without a turn
  static constexpr std::chrono::seconds start_limit{30};  ///< time until the first turn
  /// After a longer gap between two looks the watcher was stopped itself, perhaps with the process.
  static constexpr std::chrono::seconds look_limit{2};

  explicit HangWatch(std::chrono::milliseconds hang_limit = usual_limit) noexcept
      : hang_limit_(hang_limit) {}

  /// To be called when a new process was started. Its counter goes on from `turns`.
  void started(std::uint64_t turns, TimePoint now) noexcept;

  /// Returns how long the process's threads have waited for a CPU so far. Where a turn may compute
  /// for longer than the limit, the time for which they had one counts, too.
  using RunQueueWait = std::function<std::chrono::nanoseconds()>;

  /// Whether the process hangs. To be called at least every look_limit. `turns` is its counter;
  /// `waited` is called only where that has not grown.
  [[nodiscard]] bool hangs(std::uint64_t turns, TimePoint now, const RunQueueWait& waited = {});

 private:
  std::chrono::milliseconds hang_limit_;
  std::uint64_t turns_at_start_ = 0;
  std::uint64_t turns_ = 0;
  TimePoint turned_at_;
  TimePoint looked_at_;
  // CPU wait at the first look after the newest turn.
  std::optional<std::chrono::nanoseconds> waited_;
};

/// Finds a process that a signal (SIGSTOP) has stopped for good.
class StopWatch {
 public:
  using TimePoint = HangWatch::TimePoint;

  static constexpr std::chrono::milliseconds usual_limit{5000};
  static constexpr std::chrono::milliseconds awaited_limit{500};  ///< others wait for the process
  /// No more time than this counts between two looks. After a longer gap the watcher may have been
  /// stopped together with the process, and both go on now.
  static constexpr std::chrono::milliseconds longest_gap{250};

  explicit StopWatch(std::chrono::milliseconds limit) noexcept : limit_(limit) {}

  /// To be called when a new process was started.
  void started(TimePoint now) noexcept;

  /// Whether the process has been stopped for the limit. `is_stopped` is its state now. To be
  /// called every `longest_gap` or more often.
  [[nodiscard]] bool exceeded(bool is_stopped, TimePoint now) noexcept;

 private:
  std::chrono::milliseconds limit_;
  bool was_stopped_ = false;
  std::chrono::nanoseconds stopped_for_{0};
  TimePoint looked_at_;
};

}  // namespace tilewall::host
