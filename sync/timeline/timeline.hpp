// Which frame is due at any instant of global time: a pure function.
//
// A timeline is a schedule of "ticks" 0, 1, 2, ...: tick n is due at `start + n * period` and shows
// frame `frame_of(n)`. One tick is one due frame, so reverse play, loops and a limit on the number
// of frames are all one continuous schedule, and a panel that decodes ahead simply asks for tick n
// + 1. Computed in exact integer arithmetic: no drift in the longest show.
#pragma once

#include <cstdint>
#include <optional>

#include "sync/base/rational.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

enum class LoopMode { once, loop };

struct Timeline {
  GlobalInstant start;           ///< when tick 0 is due
  Rational rate_fps{24, 1};      ///< ticks per second; 0 = paused: tick 0 is due for ever
  std::int64_t first_frame = 0;  ///< the range played is [first_frame, end_frame), >= 0
  std::int64_t end_frame = 1;    ///< > first_frame
  std::int64_t start_frame = 0;  ///< of tick 0; within the range
  int direction = 1;             ///< +1 forwards, -1 backwards
  LoopMode loop = LoopMode::once;
  std::optional<std::int64_t> tick_limit;  ///< the schedule ends after so many ticks, > 0

  bool operator==(const Timeline&) const = default;

  /// The greatest rate of a well-formed timeline: one tick a nanosecond, the axis's own step.
  static constexpr std::int64_t max_rate_fps = 1'000'000'000;

  /// Whether the fields keep what is said beside them. Asked of every timeline that comes from
  /// outside; all that follows requires it.
  [[nodiscard]] bool well_formed() const noexcept;

  [[nodiscard]] bool paused() const noexcept { return rate_fps.num == 0; }

  /// Number of ticks until the schedule ends; empty when it never does (loop without limit,
  /// paused).
  [[nodiscard]] std::optional<std::int64_t> tick_count() const noexcept;

  /// The frame that tick `tick` shows. Past the end: the last tick's frame. @pre tick >= 0
  [[nodiscard]] std::int64_t frame_of(std::int64_t tick) const noexcept;

  /// When tick `tick` is due, rounded down to a nanosecond; the end of the axis where that lies
  /// beyond it, and for a paused timeline's ticks after 0, which never come. @pre tick >= 0
  [[nodiscard]] GlobalInstant due(std::int64_t tick) const noexcept;

  /// The newest tick that is due at `at`; empty before the start. Never past the last tick.
  [[nodiscard]] std::optional<std::int64_t> tick_at(GlobalInstant at) const noexcept;

  /// Time from one tick to the next, rounded down. @pre not paused
  [[nodiscard]] Nanos period() const noexcept;
};

}  // namespace tilewall
