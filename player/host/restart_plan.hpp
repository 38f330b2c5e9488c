// When a kept program that has died is started again. The first death is answered at once. Deaths
// in a row have a cause that may need time to pass, so each pause is four times the last, and after
// too many deaths the program rests.
//
// Reads no clock. Threads: one owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

#include "player/host/hang_watch.hpp"

namespace tilewall::host {

/// Which end of a program is no death, so that it is not started again.
enum class OrderlyEnd {
  exit_done,  ///< exit code 0
  none,       ///< every end is a death
};

/// When a program that has died is started again.
struct RestartLimits {
  std::chrono::milliseconds window{10'000};
  std::size_t most = 6;  ///< after so many deaths within the window it rests
  /// The pause after the second death within the window; each further one is four times as long.
  /// After the first death there is none.
  std::chrono::milliseconds first_pause{0};
  std::chrono::milliseconds rest{2'000};                       ///< the length of a rest
  std::chrono::milliseconds least_rest{2'000};                 ///< the least length, after rouse()
  std::chrono::milliseconds hang = HangWatch::usual_limit;     ///< time without a turn
  std::chrono::milliseconds stopped = StopWatch::usual_limit;  ///< time stopped by a signal
  OrderlyEnd orderly_end = OrderlyEnd::exit_done;
  std::optional<int> rest_code{};  ///< exit code after which it rests at once; empty: none
};

/// Counts deaths within a time window.
class RecentDeaths {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit RecentDeaths(std::chrono::milliseconds window) : window_(window) {}
  /// Adds a death at `now`, and returns the number of deaths within the window.
  std::size_t add(TimePoint now);
  void forget() { deaths_.clear(); }

 private:
  const std::chrono::milliseconds window_;
  std::deque<TimePoint> deaths_;
};

class RestartPlan {
 public:
  using TimePoint = RecentDeaths::TimePoint;

  explicit RestartPlan(const RestartLimits& limits) : limits_(limits), deaths_(limits.window) {}

  /// Plans the next start after a death at `now`; `exit_code` is empty for one by a signal.
  void take_death(std::optional<int> exit_code, TimePoint now);
  /// Plans the next start for `at`, because the host cannot start a process now.
  void put_off(TimePoint at) { start_at_ = at; }
  /// Ends a rest after its least length, because the reason of the deaths may be gone.
  void rouse();

  /// Whether a start is planned, now or later.
  [[nodiscard]] bool waits() const noexcept { return start_at_.has_value(); }
  /// Whether the program died too often, and rests.
  [[nodiscard]] bool rests() const noexcept { return rests_since_.has_value(); }
  /// Whether the program is to be started now. That ends the plan.
  [[nodiscard]] bool take_start(TimePoint now);

 private:
  const RestartLimits limits_;
  RecentDeaths deaths_;
  std::optional<TimePoint> start_at_;     // empty: no start is planned
  std::optional<TimePoint> rests_since_;  // empty: it does not rest
};

}  // namespace tilewall::host
