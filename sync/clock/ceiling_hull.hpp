// The lower convex hull of many upper limits ("ceilings") of the correction, which is global minus
// local time.
//
// A ceiling states that the correction was at most so much at a local instant. Of n ceilings only
// those on their lower convex hull can ever limit a nearly straight line, a few dozen of thousands
// (the "convex hull" method of clock comparison). Floors are ceilings of the negated correction.
// Threads: one owner.
#pragma once

#include <cstddef>
#include <deque>

#include "sync/global_time.hpp"

namespace tilewall::sync {

struct Ceiling {
  LocalInstant at;
  Nanos most;  ///< the correction at `at` is at most this
};

class CeilingHull {
 public:
  static constexpr std::size_t max_ceilings = 64;

  /// The correction's rate may change by up to `wander_ppb_per_s`: older ceilings hold less
  /// tightly.
  explicit CeilingHull(double wander_ppb_per_s) : wander_ppb_per_s_(wander_ppb_per_s) {}

  /// @pre later than all added before
  void add(Ceiling ceiling);
  void drop_oldest() { ceilings_.pop_front(); }
  void clear() { ceilings_.clear(); }

  /// Oldest first.
  [[nodiscard]] const std::deque<Ceiling>& ceilings() const noexcept { return ceilings_; }

 private:
  [[nodiscard]] bool is_needless(const Ceiling& a, const Ceiling& b, const Ceiling& c) const;

  double wander_ppb_per_s_;
  std::deque<Ceiling> ceilings_;
};

}  // namespace tilewall::sync
