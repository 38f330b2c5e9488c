// Certified limits of the correction (global minus local time) from many exchanges together.
//
// Model: the correction is a line whose rate stays within +-max_rate_ppb, wanders by at most
// wander_ppb_per_s, and within the window jumps by at most rate_jump_ppb in all (a time daemon
// adjusting one of the clocks). Every exchange gives one ceiling and one floor; the lines that keep
// all of them form a small polygon in (correction, rate). Its ends are the limits: they intersect
// the intervals of all exchanges, so they are never wider than the best round trip's half plus
// drift. While the model holds, the truth lies inside, however asymmetric the path or its jitter.
// Threads: one owner. Units: corrections in ns relative to `base`, rates in ppb (= ns per s).
#pragma once

#include <optional>

#include "sync/clock/ceiling_hull.hpp"
#include "sync/clock/clock_sample.hpp"

namespace tilewall::sync {

struct ClockModel {
  /// Greatest rate: NTP's kernel discipline limits frequencies to 500 ppm.
  double max_rate_ppb = 500'000;
  double rate_jump_ppb = 1'000;
  double wander_ppb_per_s = 10;  ///< Change of rate of a crystal in the wind of a fan
  Nanos stamp_error{1};          ///< Error of stamps, which are whole nanoseconds
};

/// Limits at the instant asked for: `low_ns` <= correction - base <= `high_ns`, and the same for
/// rates.
struct CorrectionRange {
  Nanos base{0};
  double low_ns = 0;
  double high_ns = 0;
  double rate_low_ppb = 0;
  double rate_high_ppb = 0;
};

/// The likeliest truth, relative to the same base: the line farthest from all exchanges' limits.
struct LikelyCorrection {
  double correction_ns = 0;
  double rate_ppb = 0;
};

/// The result of all exchanges for one instant.
struct CorrectionEstimate {
  CorrectionRange certain;
  LikelyCorrection likely;
};

/// The same estimate for the axis on which the measured clock has a place. `to_axis` maps that
/// clock to the axis; its bound, and the wander of its rate since, widen the limits. `at`: the
/// instant of the estimate.
[[nodiscard]] CorrectionEstimate seen_through(const CorrectionEstimate& measured,
                                              const ClockMapping& to_axis, double wander_ppb_per_s,
                                              LocalInstant at) noexcept;

class CorrectionBounds {
 public:
  CorrectionBounds(const ClockModel& model, Nanos window);

  /// Distance of the exchange from the range that the earlier ones allow; 0 where it agrees, or is
  /// the first.
  [[nodiscard]] Nanos gap(const ClockSample& sample) const;

  /// Adds an exchange. Old exchanges that it contradicts are dropped, oldest first. @pre sent and
  /// received later than all added before
  void add(const ClockSample& sample);
  void clear();
  [[nodiscard]] bool empty() const noexcept { return ceilings_.ceilings().empty(); }

  /// The estimate for the instant `at`. Empty where no line fulfils all exchanges, which add()
  /// permits only for a single exchange that contradicts itself. @pre not empty(), `at` is not
  /// before the newest exchange was received
  [[nodiscard]] std::optional<CorrectionEstimate> at(LocalInstant at) const;

 private:
  [[nodiscard]] std::size_t count() const noexcept {
    return ceilings_.ceilings().size() + negated_floors_.ceilings().size();
  }
  void drop_oldest();
  void drop_older_than(LocalInstant oldest);

  ClockModel model_;
  Nanos window_;
  CeilingHull ceilings_;
  CeilingHull negated_floors_;
};

}  // namespace tilewall::sync
