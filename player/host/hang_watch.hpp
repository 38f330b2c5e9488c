// Tells a process that hangs from one that is alive, by its sign of life. Pure; one owner.
//
// A panel that is stopped, or whose driver never returns, still has its connections: only that its
// presenting thread makes no more turns shows it. The same holds for the sound's process. One that
// waits for a processor is starved, and does not hang.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace tilewall::host {

class HangWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds usual_limit{5};   ///< without a turn
  static constexpr std::chrono::seconds start_limit{30};  ///< to the first turn
  /// A watcher that looks less often than this was stopped itself, perhaps with the process.
  static constexpr std::chrono::seconds look_limit{2};

  explicit HangWatch(std::chrono::milliseconds hang_limit = usual_limit) noexcept
      : hang_limit_(hang_limit) {}

  /// A new process was started; its sign of life goes on from `turns`.
  void started(std::uint64_t turns, TimePoint now) noexcept;

  /// How long the process's threads have waited for a processor so far.
  using RunQueueWait = std::function<std::chrono::nanoseconds()>;

  /// Whether the process hangs. `turns`: its sign of life, which grows while it is alive. `waited`
  /// is called where it has not grown.
  [[nodiscard]] bool hangs(std::uint64_t turns, TimePoint now, const RunQueueWait& waited = {});

 private:
  std::chrono::milliseconds hang_limit_;
  std::uint64_t turns_at_start_ = 0;
  std::uint64_t turns_ = 0;
  TimePoint turned_at_;
  TimePoint looked_at_;
  std::optional<std::chrono::nanoseconds> waited_;  // at the first look after the newest turn
};

}  // namespace tilewall::host
