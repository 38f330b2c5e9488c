#include "sync/clock/clock_filter.hpp"

#include <algorithm>
#include <cmath>

#include "sync/saturating.hpp"

namespace tilewall::sync {
namespace {

using namespace std::chrono_literals;

// Readers may extrapolate a mapping that is no longer refreshed. For so long its growth covers
// wander, which adds with the square of time.
constexpr double extrapolation_s = 10;
// Exchanges come in groups, one right after the other: the first finds both machines asleep, with
// cold caches and slow to wake, the next ones find them awake. On a loaded machine's loopback that
// takes the least round trip from 34 us to 1.6 us.
constexpr std::uint64_t group_size = 4;

// While the rate is known from a short time only, groups follow each other soon.
struct Pace {
  std::uint64_t below_samples;
  Nanos group_interval;
};
constexpr Pace paces[] = {{64, 4ms}, {264, 40ms}};
constexpr Nanos steady_group_interval = 200ms;

constexpr Nanos latest_stamp{std::int64_t{1} << 61};  // 73 years: differences never overflow

}  // namespace

ClockFilter::ClockFilter(const ClockFilterOptions& options)
    : options_(options), bounds_(options.model, options.window) {}

void ClockFilter::continue_from(const ClockMapping& mapping) noexcept {
  status_.mapping = mapping;
  may_step_ = false;
}

void ClockFilter::restart() noexcept {
  bounds_.clear();
  aim_.reset();
  suspect_.reset();
  status_.mapping = unknown_mapping();
  status_.state = ClockState::collecting;
  status_.restarts++;
  samples_on_axis_ = 0;
  may_step_ = true;
}

void ClockFilter::add(const ClockSample& sample) {
  if (!is_possible(sample)) {
    status_.rejected++;
    return;
  }
  newest_ = sample;
  if (bounds_.gap(sample) <= options_.step_limit) {
    if (suspect_) status_.rejected++;
    suspect_.reset();
    accept(sample);
  } else if (suspect_) {
    const ClockSample first = *suspect_;
    learn_new_axis(first, sample);
  } else {
    suspect_ = sample;
  }
}

// Rejects exchanges that never took place: out of order, with a daemon's part longer than the
// whole, or with stamps outside of any machine's uptime.
bool ClockFilter::is_possible(const ClockSample& sample) const noexcept {
  for (const Nanos stamp : {sample.sent.since_epoch, sample.remote_received.since_epoch,
                            sample.remote_sent.since_epoch, sample.received.since_epoch})
    if (stamp < 0ns || stamp > latest_stamp) return false;
  const Nanos elapsed = sample.received - sample.sent;
  if (elapsed < 0ns || sample.remote_sent < sample.remote_received) return false;
  if (newest_ && (sample.sent <= newest_->sent || sample.received <= newest_->received))
    return false;
  const double drifted_ns = as_double(elapsed) * options_.model.max_rate_ppb * 1e-9;
  return as_double(sample.round_trip()) >= -drifted_ns;
}

void ClockFilter::accept(const ClockSample& sample) {
  bounds_.add(sample);
  round_trips_[status_.samples % round_trips_.size()] = sample.round_trip();
  status_.samples++;
  samples_on_axis_++;
  const auto used = std::min<std::uint64_t>(status_.samples, round_trips_.size());
  status_.round_trip_min = *std::min_element(
      round_trips_.begin(), round_trips_.begin() + static_cast<std::ptrdiff_t>(used));
}

void ClockFilter::learn_new_axis(const ClockSample& first, const ClockSample& second) {
  restart();
  accept(first);
  if (bounds_.gap(second) > options_.step_limit) bounds_.clear();  // `first` was wrong as well
  accept(second);
}

void ClockFilter::steer(LocalInstant now) {
  if (bounds_.empty()) return;
  auto measured = bounds_.at(now);
  if (!measured) return;
  measured->likely = likely_at(now, measured->likely);
  const CorrectionEstimate estimate =
      seen_through(*measured, to_axis_, options_.model.wander_ppb_per_s, now);
  publish(estimate.certain, estimate.likely, now);
  update_state(now);
  status_.updated = now;
  status_.heard = newest_->received;
}

// The likeliest line stays that of the last exchange, because without new ones the exchanges say
// less and less about the rate, and the middle of what they allow would drift away by parts in a
// million.
LikelyCorrection ClockFilter::likely_at(LocalInstant now, const LikelyCorrection& fresh) {
  if (!aim_ || aim_->exchange != newest_->received) aim_ = Aim{newest_->received, now, fresh};
  const double since_s = as_double(now - aim_->at) * 1e-9;
  return {aim_->likely.correction_ns + aim_->likely.rate_ppb * since_s, aim_->likely.rate_ppb};
}

// Slews. A mapping steps only when it cannot be one of this axis: when it is farther from the
// certified range than its own bound explains.
void ClockFilter::publish(const CorrectionRange& certain, const LikelyCorrection& likely,
                          LocalInstant now) {
  ClockMapping& mapping = status_.mapping;
  const LocalInstant on_axis = now + certain.base;  // correction 0 of `certain` and `likely`
  const auto correction_ns = [&](GlobalInstant global) {
    return as_double(saturating_sub(global.since_epoch, on_axis.since_epoch));
  };
  GlobalInstant global = mapping.to_global(now);
  const double outside_ns =
      std::max(certain.low_ns - correction_ns(global), correction_ns(global) - certain.high_ns);
  if (may_step_ || outside_ns > as_double(options_.step_limit) + as_double(mapping.bound_at(now)))
    global = {saturating_add(on_axis.since_epoch, saturating_nanos(likely.correction_ns))};
  const double at_ns = correction_ns(global);
  const double slew_ppb =
      std::clamp((likely.correction_ns - at_ns) * (1e9 / as_double(options_.slew_time)),
                 -options_.max_slew_ppb, options_.max_slew_ppb);
  const double bound_ns =
      std::max(certain.high_ns - at_ns, at_ns - certain.low_ns) + width_of_suspect_ns();
  mapping.anchor_local = now;
  mapping.anchor_global = global;
  mapping.rate_ppb = likely.rate_ppb + slew_ppb;
  mapping.bound_at_anchor = saturating_nanos(std::ceil(bound_ns) + 1);
  // Wander w adds w t^2 / 2 to the error. A growth of w T / 2 covers that up to t = T, which is
  // extrapolation_s.
  const double rate_error_ppb =
      std::max(certain.rate_high_ppb - mapping.rate_ppb, mapping.rate_ppb - certain.rate_low_ppb);
  mapping.bound_growth_ppb = rate_error_ppb + options_.model.wander_ppb_per_s * extrapolation_s / 2;
  status_.drift_ppb = -likely.rate_ppb;
}

/// Widens the bound by what an unconfirmed contradiction claims, because it may be right.
double ClockFilter::width_of_suspect_ns() const {
  if (!suspect_) return 0;
  return as_double(bounds_.gap(*suspect_)) + 2 * as_double(suspect_->received - suspect_->sent);
}

void ClockFilter::update_state(LocalInstant now) noexcept {
  if (status_.state == ClockState::collecting && samples_on_axis_ < options_.samples_to_lock)
    return;
  const bool is_fresh = now - newest_->received < options_.holdover_after;
  status_.state = is_fresh ? ClockState::locked : ClockState::holdover;
  may_step_ = false;
}

Nanos ClockFilter::next_interval() const noexcept {
  const bool in_group = samples_on_axis_ % group_size != 0;
  if (status_.state == ClockState::collecting || suspect_ || in_group) return 0ns;
  for (const Pace& pace : paces)
    if (samples_on_axis_ < pace.below_samples) return pace.group_interval;
  return steady_group_interval;
}

}  // namespace tilewall::sync
