#include "sync/timeline/tick_grid.hpp"

#include <algorithm>

#include "sync/saturating.hpp"

namespace tilewall::sync {
namespace {

// A type for products of two of the grid's 64-bit numbers.
using Wide = __int128;

constexpr Wide nanos_per_s = 1'000'000'000;

/// floor(ticks * den / num seconds), limited to the range of Nanos.
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

bool TickGrid::well_formed() const noexcept {
  return rate_fps.num >= 0 && rate_fps.den > 0 && rate_fps.num / rate_fps.den <= max_rate_fps &&
         count.value_or(1) >= 1;
}

GlobalInstant TickGrid::due(std::int64_t tick) const noexcept {
  if (tick == 0) return start;
  if (paused()) return {Nanos::max()};
  return {saturating_add(start.since_epoch, elapsed_at(tick, rate_fps))};
}

std::optional<std::int64_t> TickGrid::tick_at(GlobalInstant at) const noexcept {
  if (at < start) return std::nullopt;
  if (paused()) return 0;
  const std::int64_t tick = ticks_by(saturating_sub(at.since_epoch, start.since_epoch), rate_fps);
  return count ? std::min(tick, *count - 1) : tick;
}

std::int64_t TickGrid::first_tick_from(GlobalInstant at) const noexcept {
  return at <= start ? 0 : *tick_at(at - Nanos(1)) + 1;
}

Nanos TickGrid::period() const noexcept { return elapsed_at(1, rate_fps); }

}  // namespace tilewall::sync
