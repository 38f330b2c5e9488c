#include "sync/pacing/refresh_tracker.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::sync {
namespace {

constexpr std::size_t remembered = 64;  // flips
constexpr double fitting = 0.15;        // periods that a stamp may lie beside its refresh
constexpr double period_margin = 0.02;  // share by which the period may differ from the mode's
// Stamps in a row that fit no refresh; then everything is learned anew.
constexpr int most_strange = 8;
constexpr double clearance = 0.1;   // periods between the boundary and due instants near it
constexpr double most_aside = 0.2;  // periods by which the boundary may move from the middle

Nanos nanos(double value) noexcept { return Nanos(std::llround(value)); }

}  // namespace

RefreshTracker::RefreshTracker(Nanos nominal_period)
    : nominal_ns_(as_double(nominal_period)), period_ns_(nominal_ns_) {}

Nanos RefreshTracker::period() const noexcept { return nanos(period_ns_); }

void RefreshTracker::restart(LocalInstant at) {
  first_ = at;
  flips_.assign(1, Flip{});
  strange_ = 0;
  period_ns_ = nominal_ns_;
  phase_ns_ = 0;
  boundary_ = middle;
}

void RefreshTracker::flipped(LocalInstant at) {
  if (flips_.empty()) return restart(at);
  const double at_ns = as_double(at - first_);
  const double expected = (at_ns - phase_ns_) / period_ns_;
  const double number = std::round(expected);
  // A second stamp of the same refresh, or an older one, adds nothing.
  if (number <= flips_.back().number) return;
  if (std::abs(expected - number) > fitting) {
    if (++strange_ >= most_strange) restart(at);
    return;
  }
  strange_ = 0;
  flips_.push_back({number, at_ns});
  if (flips_.size() > remembered) flips_.pop_front();
  fit();
}

/// Least squares around the means, which keeps the sums small however long the show.
void RefreshTracker::fit() noexcept {
  const auto count = static_cast<double>(flips_.size());
  Flip mean;
  for (const Flip& flip : flips_) {
    mean.number += flip.number / count;
    mean.at_ns += flip.at_ns / count;
  }
  double product = 0;
  double square = 0;
  for (const Flip& flip : flips_) {
    product += (flip.number - mean.number) * (flip.at_ns - mean.at_ns);
    square += (flip.number - mean.number) * (flip.number - mean.number);
  }
  period_ns_ = std::clamp(product / square, nominal_ns_ * (1 - period_margin),
                          nominal_ns_ * (1 + period_margin));
  phase_ns_ = mean.at_ns - mean.number * period_ns_;
}

LocalInstant RefreshTracker::choose(LocalInstant due) {
  if (!locked()) return due;
  const double periods = (as_double(due - first_) - phase_ns_) / period_ns_;
  const double into = periods - std::floor(periods);
  const bool later = into >= boundary_;
  // The boundary keeps `clearance` from this due instant, so that one with less jitter than that is
  // rounded the same way.
  if (std::abs(into - boundary_) < clearance)
    boundary_ = std::clamp(into + (later ? -clearance : clearance), middle - most_aside,
                           middle + most_aside);
  const double chosen = std::floor(periods) + (later ? 1 : 0);
  return first_ + nanos(phase_ns_ + chosen * period_ns_);
}

LocalInstant RefreshTracker::swap_instant(LocalInstant due) {
  return locked() ? choose(due) - period() / 2 : due;
}

}  // namespace tilewall::sync
