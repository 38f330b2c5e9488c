#include "sync/timeline/timeline.hpp"

#include <algorithm>

#include "sync/saturating.hpp"

namespace tilewall {
namespace {

// Every product of two of the schedule's 64-bit numbers fits.
using Wide = __int128;

constexpr Wide nanos_per_s = 1'000'000'000;

/// floor(ticks * den / num seconds), held within what Nanos can say.
Nanos elapsed_at(std::int64_t ticks, Rational rate_fps) noexcept {
  const Wide whole_s = Wide{ticks} * rate_fps.den / rate_fps.num;
  const Wide rest = Wide{ticks} * rate_fps.den % rate_fps.num;
  if (whole_s > Wide{Nanos::max().count()} / nanos_per_s - 1) return Nanos::max();
  return Nanos{
      static_cast<std::int64_t>(whole_s * nanos_per_s + rest * nanos_per_s / rate_fps.num)};
}

/// The greatest n with elapsed_at(n) <= elapsed: floor(n * period) <= e is n * period < e + 1.
std::int64_t ticks_by(Nanos elapsed, Rational rate_fps) noexcept {
  const Wide ticks =
      ((Wide{elapsed.count()} + 1) * rate_fps.num - 1) / (nanos_per_s * rate_fps.den);
  return static_cast<std::int64_t>(std::min(ticks, Wide{INT64_MAX}));
}

}  // namespace

bool Timeline::well_formed() const noexcept {
  return rate_fps.num >= 0 && rate_fps.den > 0 && rate_fps.num / rate_fps.den <= max_rate_fps &&
         first_frame >= 0 && end_frame > first_frame && start_frame >= first_frame &&
         start_frame < end_frame && (direction == 1 || direction == -1) &&
         tick_limit.value_or(1) >= 1;
}

std::optional<std::int64_t> Timeline::tick_count() const noexcept {
  if (paused()) return std::nullopt;
  if (loop == LoopMode::loop) return tick_limit;
  const std::int64_t in_range =
      direction > 0 ? end_frame - start_frame : start_frame - first_frame + 1;
  return std::min(in_range, tick_limit.value_or(in_range));
}

std::int64_t Timeline::frame_of(std::int64_t tick) const noexcept {
  if (paused()) return start_frame;
  if (const auto count = tick_count()) tick = std::min(tick, *count - 1);
  if (loop == LoopMode::once) return start_frame + direction * tick;
  const std::int64_t length = end_frame - first_frame;
  const std::int64_t steps = tick % length;
  const std::int64_t position = start_frame - first_frame;
  return first_frame +
         (direction > 0 ? (position + steps) % length : (position - steps + length) % length);
}

GlobalInstant Timeline::due(std::int64_t tick) const noexcept {
  if (tick == 0) return start;
  if (paused()) return {Nanos::max()};
  return {saturating_add(start.since_epoch, elapsed_at(tick, rate_fps))};
}

std::optional<std::int64_t> Timeline::tick_at(GlobalInstant at) const noexcept {
  if (at < start) return std::nullopt;
  if (paused()) return 0;
  const Nanos elapsed = saturating_sub(at.since_epoch, start.since_epoch);
  const std::int64_t tick = ticks_by(elapsed, rate_fps);
  const auto count = tick_count();
  return count ? std::min(tick, *count - 1) : tick;
}

Nanos Timeline::period() const noexcept { return elapsed_at(1, rate_fps); }

}  // namespace tilewall
