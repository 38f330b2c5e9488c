// Computes from a source picture's time stamp which output frames of constant rate show it.
//
// Output frame n is due at first_pts + n / fps. A source picture is shown from its own stamp until
// the next one's. A stamp up to 0.4 of an output period late still counts as on time, so that
// stamps rounded to milliseconds map one to one. Where two pictures fall on one output frame, the
// later one is shown and the earlier one is dropped. A picture that several frames show is
// repeated.
//
// Threads: one owner. Pure: no FFmpeg, no clock.
#pragma once

#include <cstdint>
#include <optional>

#include "sync/base/rational.hpp"

namespace tilewall::movie {

/// The output frames [first, first + count) that show a picture; count 0 = it is dropped.
struct FrameSpan {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool operator==(const FrameSpan&) const = default;
};

struct TimingCounters {
  std::int64_t repeated_frames = 0;  ///< output frames that show the picture before them once more
  std::int64_t dropped_frames = 0;   ///< source pictures that no output frame shows
  /// Stamps that are missing, not greater than the one before, or more than max_gap_s after it.
  std::int64_t repaired_stamps = 0;
};

class FrameTiming {
 public:
  static constexpr std::int64_t max_gap_s = 60;  ///< a longer pause counts as a broken stamp

  /// `time_base`: seconds per tick of the stamps. @pre both > 0
  FrameTiming(Rational time_base, Rational fps);

  /// Adds the next picture in display order; `pts` empty = unknown, `duration` in ticks, 0 =
  /// unknown. Returns the span of the picture before it; empty at the first call.
  std::optional<FrameSpan> add(std::optional<std::int64_t> pts, std::int64_t duration);

  /// Returns the last picture's span; empty when there was no picture. Only resume() may follow.
  std::optional<FrameSpan> finish();

  /// Continues with this picture after a seek; the next add() returns its span. False if its stamp
  /// lies before the first picture's. @pre a picture was added
  bool resume(std::int64_t pts, std::int64_t duration);

  /// The greatest stamp with which a picture is shown in frame `frame`. @pre a picture was added
  [[nodiscard]] std::int64_t latest_pts_of(std::int64_t frame) const noexcept;

  /// The first frame of the span of the picture that was added last.
  [[nodiscard]] std::int64_t open_frame() const noexcept { return open_frame_; }

  [[nodiscard]] const TimingCounters& counters() const noexcept { return counters_; }

 private:
  [[nodiscard]] std::int64_t repaired(std::optional<std::int64_t> pts);
  [[nodiscard]] std::int64_t frame_at(std::int64_t ticks_from_first) const noexcept;
  FrameSpan close_span(std::int64_t next_frame);

  Rational frames_per_tick_;
  std::int64_t period_ticks_ = 1;  // duration of an output frame, at least 1
  std::int64_t max_gap_ticks_ = 1;
  bool started_ = false;
  std::int64_t first_pts_ = 0;
  // Added to every stamp: minus the first picture's stamp, plus the sum of the repairs.
  std::int64_t shift_ticks_ = 0;
  std::int64_t last_ticks_ = 0;     // the last picture's repaired stamp, counted from the first one
  std::int64_t last_duration_ = 0;  // ticks; 0 = unknown
  std::int64_t open_frame_ = 0;     // first frame of the last picture's span
  TimingCounters counters_;
};

/// The greatest rate of a movie, in frames/s.
inline constexpr int max_fps = 1000;

/// The constant rate that fits a movie best, in [1/60, max_fps] frames/s: max_fps for a movie of
/// more, which loses pictures by it; 25 if nothing is known.
/// `average`: pictures over duration; `lowest`: the lowest rate at which every time stamp falls on
/// a frame (FFmpeg's r_frame_rate). num 0 = unknown.
[[nodiscard]] Rational constant_rate(Rational average, Rational lowest) noexcept;

}  // namespace tilewall::movie
