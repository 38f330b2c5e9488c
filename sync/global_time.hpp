// Global time: the one time axis that all hosts of a wall share.
//
// It is the clock daemon's CLOCK_MONOTONIC, in nanoseconds. A host's own CLOCK_MONOTONIC is its
// "local time". Terms follow IEEE 1588: offset = local minus global; > 0 means the local clock is
// AHEAD.
#pragma once

#include <chrono>
#include <cstdint>

namespace tilewall {

using Nanos = std::chrono::nanoseconds;

/// Nanoseconds as a double, for arithmetic.
[[nodiscard]] constexpr double as_double(Nanos value) noexcept {
  return static_cast<double>(value.count());
}

/// An instant of global time. It has a type of its own, so that it never mixes with a local
/// instant.
struct GlobalInstant {
  Nanos since_epoch{0};
  auto operator<=>(const GlobalInstant&) const = default;
  friend GlobalInstant operator+(GlobalInstant at, Nanos by) { return {at.since_epoch + by}; }
  friend GlobalInstant operator-(GlobalInstant at, Nanos by) { return {at.since_epoch - by}; }
  friend Nanos operator-(GlobalInstant a, GlobalInstant b) { return a.since_epoch - b.since_epoch; }
};

/// An instant of this host's CLOCK_MONOTONIC.
struct LocalInstant {
  Nanos since_epoch{0};
  auto operator<=>(const LocalInstant&) const = default;
  friend LocalInstant operator+(LocalInstant at, Nanos by) { return {at.since_epoch + by}; }
  friend LocalInstant operator-(LocalInstant at, Nanos by) { return {at.since_epoch - by}; }
  friend Nanos operator-(LocalInstant a, LocalInstant b) { return a.since_epoch - b.since_epoch; }
};

/// A line that maps local to global time near `anchor_local`, with its certified error bound.
struct ClockMapping {
  LocalInstant anchor_local;
  GlobalInstant anchor_global;
  double rate_ppb = 0;          ///< Global ticks per local tick, minus one, in 1e-9
  Nanos bound_at_anchor{0};     ///< Limit of the error's absolute value at the anchor
  double bound_growth_ppb = 0;  ///< Growth of that limit per elapsed local time, in 1e-9

  [[nodiscard]] GlobalInstant to_global(LocalInstant local) const noexcept;
  [[nodiscard]] LocalInstant to_local(GlobalInstant global) const noexcept;
  [[nodiscard]] Nanos bound_at(LocalInstant local) const noexcept;
};

/// A source of global time. `net` keeps one in step with the clock daemon; tests advance one by
/// hand.
struct GlobalClock {
  virtual ~GlobalClock() = default;

  /// The mapping that is valid now. Any thread; never blocks.
  [[nodiscard]] virtual ClockMapping mapping() const noexcept = 0;
};

/// This host's CLOCK_MONOTONIC, now.
[[nodiscard]] LocalInstant local_now() noexcept;

}  // namespace tilewall
