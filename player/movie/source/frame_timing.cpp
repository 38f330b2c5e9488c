#include "player/movie/source/frame_timing.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::movie {

namespace {

__extension__ using Wide = __int128;

std::int64_t divide_up(Wide num, Wide den) {
  return static_cast<std::int64_t>(num > 0 ? (num + den - 1) / den : num / den);
}

}  // namespace

FrameTiming::FrameTiming(Rational time_base, Rational fps) : frames_per_tick_(time_base * fps) {
  period_ticks_ = std::max<std::int64_t>(1, frames_per_tick_.den / frames_per_tick_.num);
  max_gap_ticks_ =
      std::max(divide_up(Wide{max_gap_s} * time_base.den, time_base.num), 2 * period_ticks_);
}

std::int64_t FrameTiming::frame_at(std::int64_t ticks_from_first) const noexcept {
  // ceil(ticks * rate - 0.4), in fifths of a frame
  const Wide fifths =
      Wide{5} * ticks_from_first * frames_per_tick_.num - Wide{2} * frames_per_tick_.den;
  return std::max<std::int64_t>(0, divide_up(fifths, Wide{5} * frames_per_tick_.den));
}

std::int64_t FrameTiming::repaired(std::optional<std::int64_t> pts) {
  const std::int64_t step = std::clamp(last_duration_ > 0 ? last_duration_ : period_ticks_,
                                       std::int64_t{1}, max_gap_ticks_);
  const std::int64_t expected = last_ticks_ + step;
  if (pts) {
    const Wide ticks = Wide{*pts} + shift_ticks_;
    if (ticks > last_ticks_ && ticks - last_ticks_ <= max_gap_ticks_)
      return static_cast<std::int64_t>(ticks);
    shift_ticks_ = static_cast<std::int64_t>(Wide{expected} - *pts);
  }
  ++counters_.repaired_stamps;
  return expected;
}

FrameSpan FrameTiming::close_span(std::int64_t next_frame) {
  const FrameSpan span{open_frame_, next_frame - open_frame_};
  if (span.count == 0) ++counters_.dropped_frames;
  if (span.count > 1) counters_.repeated_frames += span.count - 1;
  open_frame_ = next_frame;
  return span;
}

std::optional<FrameSpan> FrameTiming::add(std::optional<std::int64_t> pts, std::int64_t duration) {
  std::optional<FrameSpan> before;
  if (!started_) {
    started_ = true;
    first_pts_ = pts ? std::clamp(*pts, -(std::int64_t{1} << 62), std::int64_t{1} << 62) : 0;
    shift_ticks_ = -first_pts_;
  } else {
    last_ticks_ = repaired(pts);
    before = close_span(std::max(open_frame_, frame_at(last_ticks_)));
  }
  last_duration_ = duration;
  return before;
}

std::optional<FrameSpan> FrameTiming::finish() {
  if (!started_) return std::nullopt;
  const std::int64_t duration =
      last_duration_ > 0 && last_duration_ <= max_gap_ticks_ ? last_duration_ : period_ticks_;
  // At a lower rate the last picture may fall between two frames and is dropped. The only picture
  // of a movie is always shown.
  const std::int64_t least = open_frame_ == 0 ? 1 : open_frame_;
  return close_span(std::max(least, frame_at(last_ticks_ + duration)));
}

bool FrameTiming::resume(std::int64_t pts, std::int64_t duration) {
  const Wide ticks = Wide{pts} - first_pts_;
  if (ticks < 0 || ticks > std::int64_t{1} << 62) return false;
  last_ticks_ = static_cast<std::int64_t>(ticks);
  shift_ticks_ = -first_pts_;
  last_duration_ = duration;
  open_frame_ = frame_at(last_ticks_);
  return true;
}

std::int64_t FrameTiming::latest_pts_of(std::int64_t frame) const noexcept {
  // The last tick for which frame_at() gives `frame`: (frame + 0.4) / rate.
  const Wide ticks =
      (Wide{5} * frame + 2) * frames_per_tick_.den / (Wide{5} * frames_per_tick_.num);
  return first_pts_ + static_cast<std::int64_t>(ticks);
}

namespace {

constexpr Rational standard_rates[] = {{24000, 1001}, {24, 1}, {25, 1}, {30000, 1001},
                                       {30, 1},       {48, 1}, {50, 1}, {60000, 1001},
                                       {60, 1},       {120, 1}};

// 90000/3749 is 24 in whole ticks; 23.976 and 24 lie 0.001 apart.
constexpr double rounding_share = 0.0004;

// A greater lowest rate without an average is more often the clock of the stamps.
constexpr double max_rate_without_average = 240;

bool usable(Rational rate) {
  return rate.num > 0 && rate.den > 0 && rate.value() <= max_fps && rate.value() >= 1.0 / 60;
}

bool is_above_maximum(Rational rate) {
  return rate.num > 0 && rate.den > 0 && rate.value() > max_fps;
}

bool near(Rational a, Rational b, double share) {
  return std::abs(a.value() / b.value() - 1) < share;
}

// A movie of 29.6 pictures/s on average is meant to have 30; 12.34 is close to no standard rate.
Rational nearest_standard(Rational average) {
  const auto* best = std::min_element(
      std::begin(standard_rates), std::end(standard_rates), [&](Rational a, Rational b) {
        return std::abs(a.value() - average.value()) < std::abs(b.value() - average.value());
      });
  return near(*best, average, 0.03) ? *best : average;
}

Rational with_small_parts(Rational rate) {
  if (rate.num <= 1'000'000 && rate.den <= 1'000'000) return rate;
  return reduced(std::llround(rate.value() * 1000), 1000);
}

}  // namespace

Rational constant_rate(Rational average, Rational lowest) noexcept {
  if (is_above_maximum(average)) return {max_fps, 1};
  const bool have_average = usable(average);
  if (usable(lowest)) {
    // A lowest rate within twice the average is a steady rhythm with some pictures left out.
    if ((!have_average && lowest.value() <= max_rate_without_average) ||
        (have_average && lowest.value() <= 2.1 * average.value() &&
         lowest.value() >= 0.97 * average.value()))
      return near(nearest_standard(lowest), lowest, rounding_share) ? nearest_standard(lowest)
                                                                    : lowest;
  }
  return have_average ? with_small_parts(nearest_standard(average)) : Rational{25, 1};
}

}  // namespace tilewall::movie
