// Tells a process that hangs from a live one by its turns: a counter that grows while it lives.
//
// A panel that is stopped, or whose driver never returns, keeps its connections. Only its
// presenting thread shows the fault, because it makes no more turns. The same holds for the sound
// process. A process that waits for a CPU is starved, and does not hang.
//
// Reads no clock. Threads: one owner.
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

  /// Returns how long the process's threads have waited for a CPU so far.
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

}  // namespace tilewall::host
