// Which output frames of constant rate a source picture fills, by its time stamp.
//
// Output frame n is due at first_pts + n / fps. A source picture is on show from its own stamp
// until the next one's; a stamp may lie up to 0.4 of an output period late and still count as on
// time, so that stamps rounded to milliseconds map one to one. Two pictures on one output frame:
// the later one stays and the earlier one is dropped. Pictures that fill several: repeats.
//
// Threads: one owner. Pure: no FFmpeg, no clock.
#pragma once

#include <cstdint>
#include <optional>

#include "sync/base/rational.hpp"

namespace tilewall {

/// Output frames [first, first + count); count 0 = dropped.
struct FrameSpan {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool operator==(const FrameSpan&) const = default;
};

struct TimingCounters {
  std::int64_t repeated_frames = 0;  ///< output frames that show the picture before them once more
  std::int64_t dropped_frames = 0;   ///< source pictures that no output frame shows
  std::int64_t repaired_stamps =
      0;  ///< missing, not rising, or more than max_gap_s from the last one
};

class FrameTiming {
 public:
  static constexpr std::int64_t max_gap_s = 60;  ///< a longer pause is a broken stamp, not a pause

  /// `time_base`: seconds per tick of the stamps. @pre both > 0
  FrameTiming(Rational time_base, Rational fps);

  /// The next picture in display order; `pts` empty = unknown, `duration` in ticks, 0 = unknown.
  /// Returns the span of the picture BEFORE it (empty at the first call).
  std::optional<FrameSpan> add(std::optional<std::int64_t> pts, std::int64_t duration);

  /// The span of the last picture; empty when there was none. Nothing may be added afterwards, but
  /// by resume().
  std::optional<FrameSpan> finish();

  /// Goes on at another picture, after a seek: the next add() returns its span. False where the
  /// stamp lies before the first one. @pre a picture was added
  bool resume(std::int64_t pts, std::int64_t duration);

  /// The latest stamp of a picture that frame `frame` may show. @pre the first picture was added
  [[nodiscard]] std::int64_t latest_pts_of(std::int64_t frame) const noexcept;

  /// Where the span of the picture added last begins.
  [[nodiscard]] std::int64_t open_frame() const noexcept { return open_frame_; }

  [[nodiscard]] const TimingCounters& counters() const noexcept { return counters_; }

 private:
  [[nodiscard]] std::int64_t repaired(std::optional<std::int64_t> pts);
  [[nodiscard]] std::int64_t frame_at(std::int64_t ticks_from_first) const noexcept;
  FrameSpan close_span(std::int64_t next_frame);

  Rational frames_per_tick_;
  std::int64_t period_ticks_ = 1;  // of one output frame, at least 1
  std::int64_t max_gap_ticks_ = 1;
  bool started_ = false;
  std::int64_t first_pts_ = 0;
  std::int64_t shift_ticks_ =
      0;  // added to every stamp: minus the first one, plus what was repaired
  std::int64_t last_ticks_ = 0;     // of the last picture, from the first one
  std::int64_t last_duration_ = 0;  // ticks
  std::int64_t open_frame_ = 0;     // where the last picture's span begins
  TimingCounters counters_;
};

// The constant rate that fits a movie best.

/// `average`: pictures over duration; `lowest`: the lowest rate at which every time stamp falls on
/// a frame (FFmpeg's r_frame_rate). num 0 = unknown. The result lies in [1/60, 240].
[[nodiscard]] Rational constant_rate(Rational average, Rational lowest) noexcept;

}  // namespace tilewall
