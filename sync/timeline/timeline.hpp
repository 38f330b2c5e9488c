// Which frame is due at any instant of global time: a pure function.
//
// A timeline is a schedule of "ticks" 0, 1, 2, ...: tick n is due at `start + n * period` and shows
// frame `frame_of(n)`. One tick is one due frame, so reverse play, loops and a limit on the number
// of frames are all one continuous schedule, and a panel that decodes ahead simply asks for tick n
// + 1.
#pragma once

#include "sync/timeline/tick_grid.hpp"

namespace tilewall::sync {

/// ping_pong: forwards to the end, backwards to the beginning, and so on; the frames at both ends
/// are shown once each time.
enum class LoopMode { once, loop, ping_pong };

struct Timeline {
  GlobalInstant start;           ///< when tick 0 is due
  Rational rate_fps{24, 1};      ///< ticks per second; 0 = paused: tick 0 is due for ever
  std::int64_t first_frame = 0;  ///< the range played is [first_frame, end_frame), >= 0
  std::int64_t end_frame = 1;    ///< > first_frame
  std::int64_t start_frame = 0;  ///< of tick 0; within the range
  int direction = 1;             ///< +1 forwards, -1 backwards; ping_pong: of tick 0
  LoopMode loop = LoopMode::once;
  std::optional<std::int64_t> tick_limit;  ///< the schedule ends after so many ticks, > 0

  bool operator==(const Timeline&) const = default;

  /// The greatest end of a range: ping_pong's way there and back is still a 64-bit number.
  static constexpr std::int64_t max_frames = std::int64_t{1} << 61;

  /// Whether the fields keep what is said beside them. Asked of every timeline that comes from
  /// outside; all that follows requires it.
  [[nodiscard]] bool well_formed() const noexcept;

  [[nodiscard]] bool paused() const noexcept { return rate_fps.num == 0; }

  /// Number of ticks until the schedule ends; empty when it never does (loops without limit,
  /// paused).
  [[nodiscard]] std::optional<std::int64_t> tick_count() const noexcept;

  /// Its ticks, without their frames.
  [[nodiscard]] TickGrid ticks() const noexcept { return {start, rate_fps, tick_count()}; }

  /// The frame that tick `tick` shows. Past the end: the last tick's frame. @pre tick >= 0
  [[nodiscard]] std::int64_t frame_of(std::int64_t tick) const noexcept;

  /// The first tick that shows `frame`; empty where none does.
  [[nodiscard]] std::optional<std::int64_t> first_tick_of(std::int64_t frame) const noexcept;

  /// The frame that is due at `at`; before the start: tick 0's.
  [[nodiscard]] std::int64_t frame_at(GlobalInstant at) const noexcept;

  /// The same schedule from the frame that is due at `at` on, its tick 0 at `at`.
  [[nodiscard]] Timeline restarted(GlobalInstant at) const noexcept;

  // As TickGrid has them.
  [[nodiscard]] GlobalInstant due(std::int64_t tick) const noexcept { return ticks().due(tick); }
  [[nodiscard]] std::optional<std::int64_t> tick_at(GlobalInstant at) const noexcept {
    return ticks().tick_at(at);
  }
  [[nodiscard]] Nanos period() const noexcept { return ticks().period(); }

 private:
  struct Place {
    std::int64_t frame = 0;
    int direction = 1;
  };
  [[nodiscard]] Place place_of(std::int64_t tick) const noexcept;
};

/// The frames of a timeline on a grid of ticks: what is shown where pictures are shown at instants
/// that need not be the timeline's own.
struct FrameTicks {
  TickGrid grid;
  Timeline frames;

  /// @pre tick >= 0
  [[nodiscard]] std::int64_t frame_of(std::int64_t tick) const noexcept {
    return frames.frame_at(grid.due(tick));
  }
};

/// A timeline on its own ticks.
[[nodiscard]] inline FrameTicks own_ticks(const Timeline& timeline) noexcept {
  return {timeline.ticks(), timeline};
}

}  // namespace tilewall::sync
