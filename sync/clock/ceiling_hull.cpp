#include "sync/clock/ceiling_hull.hpp"

namespace tilewall::sync {
namespace {

double seconds(Nanos value) noexcept { return static_cast<double>(value.count()) * 1e-9; }

}  // namespace

void CeilingHull::add(Ceiling ceiling) {
  while (ceilings_.size() >= 2 &&
         is_needless(ceilings_[ceilings_.size() - 2], ceilings_.back(), ceiling))
    ceilings_.pop_back();
  ceilings_.push_back(ceiling);
  if (ceilings_.size() > max_ceilings) ceilings_.pop_front();
}

// Seen from instant c a ceiling of age x is loosened by wander * x^2 / 2. Seen from a later instant
// all ceilings are loosened by a straight line more, which moves none across the chord of two
// others. So a ceiling that is needless now stays needless.
bool CeilingHull::is_needless(const Ceiling& a, const Ceiling& b, const Ceiling& c) const {
  const double age_a = seconds(c.at - a.at);
  const double age_b = seconds(c.at - b.at);
  const auto above_c = [&](const Ceiling& ceiling, double age) {
    return static_cast<double>((ceiling.most - c.most).count()) + wander_ppb_per_s_ * age * age / 2;
  };
  return above_c(b, age_b) * age_a >= above_c(a, age_a) * age_b;
}

}  // namespace tilewall::sync
