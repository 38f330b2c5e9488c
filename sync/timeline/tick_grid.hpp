// A grid of instants: tick n is due at `start + n * period`, computed in exact integer arithmetic,
// so that even the longest show does not drift.
#pragma once

#include <cstdint>
#include <optional>

#include "sync/base/rational.hpp"
#include "sync/global_time.hpp"

namespace tilewall::sync {

struct TickGrid {
  GlobalInstant start;       ///< Instant at which tick 0 is due
  Rational rate_fps{24, 1};  ///< ticks per second, >= 0; 0 = paused: tick 0 is due for ever
  std::optional<std::int64_t> count;  ///< ticks until it ends, > 0; empty = never

  bool operator==(const TickGrid&) const = default;

  /// Greatest rate: one tick per nanosecond, the step of the axis.
  static constexpr std::int64_t max_rate_fps = 1'000'000'000;

  /// Whether the fields are in the ranges of their comments, as all other functions require. Every
  /// grid that comes from outside is checked with it.
  [[nodiscard]] bool well_formed() const noexcept;

  [[nodiscard]] bool paused() const noexcept { return rate_fps.num == 0; }

  /// Instant at which tick `tick` is due, rounded down to a nanosecond. Ticks beyond the end of the
  /// axis, and a paused grid's ticks after 0, are due at the end of the axis. @pre tick >= 0
  [[nodiscard]] GlobalInstant due(std::int64_t tick) const noexcept;

  /// The newest tick that is due at `at`; empty before the start. Never past the last tick.
  [[nodiscard]] std::optional<std::int64_t> tick_at(GlobalInstant at) const noexcept;

  /// The first tick that is due at `at` or later; one past the last tick where none is.
  [[nodiscard]] std::int64_t first_tick_from(GlobalInstant at) const noexcept;

  /// Time from one tick to the next, rounded down. @pre not paused
  [[nodiscard]] Nanos period() const noexcept;
};

}  // namespace tilewall::sync
