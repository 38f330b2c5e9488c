// Sums of time that stop at the ends of the axis instead of overflowing, so that an instant "never"
// stays one.
#pragma once

#include "sync/global_time.hpp"

namespace tilewall::sync {

/// a + b, limited to the range of Nanos (about +-292 years).
[[nodiscard]] constexpr Nanos saturating_add(Nanos a, Nanos b) noexcept {
  Nanos::rep sum = 0;
  if (!__builtin_add_overflow(a.count(), b.count(), &sum)) return Nanos{sum};
  return b.count() < 0 ? Nanos::min() : Nanos::max();
}

/// a - b, limited to the range of Nanos.
[[nodiscard]] constexpr Nanos saturating_sub(Nanos a, Nanos b) noexcept {
  Nanos::rep difference = 0;
  if (!__builtin_sub_overflow(a.count(), b.count(), &difference)) return Nanos{difference};
  return b.count() > 0 ? Nanos::min() : Nanos::max();
}

/// `value` rounded to the nearest whole nanosecond, limited to the range of Nanos.
[[nodiscard]] inline Nanos saturating_nanos(double value_ns) noexcept {
  constexpr double limit = 9.2e18;  // below 2^63, so that the conversion is defined
  if (value_ns >= limit) return Nanos::max();
  if (value_ns <= -limit) return Nanos::min();
  return Nanos{static_cast<Nanos::rep>(value_ns + (value_ns < 0 ? -0.5 : 0.5))};
}

}  // namespace tilewall::sync
