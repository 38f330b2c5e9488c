// A timeline is a pure function that gives the frame that is due at any instant of global time.
//
// It is a sequence of "ticks" 0, 1, 2, ...: tick n is due at `start + n * period` and shows frame
// `frame_of(n)`. One tick is one due frame, so reverse play, loops and a limit on the number of
// frames are all one continuous sequence, and a panel that decodes ahead simply asks for tick n +
// 1.
#pragma once

#include "sync/timeline/tick_grid.hpp"

namespace tilewall::sync {

/// What follows the last frame. ping_pong: forwards to the end, backwards to the beginning, and so
/// on; the frames at both ends are shown once each time.
enum class LoopMode { once, loop, ping_pong };

struct Timeline {
  GlobalInstant start;           ///< Instant at which tick 0 is due
  Rational rate_fps{24, 1};      ///< ticks per second; 0 = paused: tick 0 is due for ever
  std::int64_t first_frame = 0;  ///< The range played is [first_frame, end_frame), >= 0
  std::int64_t end_frame = 1;    ///< > first_frame
  std::int64_t start_frame = 0;  ///< Frame of tick 0, within the range
  int direction = 1;  ///< +1 forwards, -1 backwards; with ping_pong the direction at tick 0
  LoopMode loop = LoopMode::once;
  /// Number of ticks after which it ends, > 0; empty = no limit.
  std::optional<std::int64_t> tick_limit;

  bool operator==(const Timeline&) const = default;

  /// Greatest end of a range: the way there and back of ping_pong is still a 64-bit number.
  static constexpr std::int64_t max_frames = std::int64_t{1} << 61;

  /// Whether the fields are in the ranges of their comments, as all other functions require. Every
  /// timeline that comes from outside is checked with it.
  [[nodiscard]] bool well_formed() const noexcept;

  [[nodiscard]] bool paused() const noexcept { return rate_fps.num == 0; }

  /// Number of ticks; empty where it never ends (loops without limit, paused).
  [[nodiscard]] std::optional<std::int64_t> tick_count() const noexcept;

  /// The ticks without their frames.
  [[nodiscard]] TickGrid ticks() const noexcept { return {start, rate_fps, tick_count()}; }

  /// The frame that tick `tick` shows. Past the end: the last tick's frame. @pre tick >= 0
  [[nodiscard]] std::int64_t frame_of(std::int64_t tick) const noexcept;

  /// The first tick that shows `frame`; empty where none does.
  [[nodiscard]] std::optional<std::int64_t> first_tick_of(std::int64_t frame) const noexcept;

  /// The frame that is due at `at`; before the start, tick 0's.
  [[nodiscard]] std::int64_t frame_at(GlobalInstant at) const noexcept;

  /// The same timeline from the frame that is due at `at` on, with its tick 0 at `at`.
  [[nodiscard]] Timeline restarted(GlobalInstant at) const noexcept;

  // The same functions as TickGrid's.
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

/// The frames of a timeline on a grid of ticks, for walls that show pictures at other instants than
/// the timeline's own.
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
