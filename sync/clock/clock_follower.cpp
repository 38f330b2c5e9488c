#include "sync/clock/clock_follower.hpp"

#include <algorithm>
#include <cmath>

#include "sync/base/check.hpp"

namespace tilewall::sync {

ClockFollower::Options ClockFollower::for_carrier() {
  Options options;
  options.carries_axis = true;
  options.filter.max_slew_ppb = 20'000;  // 4 us in 200 ms
  return options;
}

ClockFollower::ClockFollower(const Options& options, std::size_t daemons)
    : options_(options), count_(daemons), daemons_{Daemon(options.filter), Daemon(options.filter)} {
  TW_CHECK(daemons >= 1 && daemons <= max_daemons);
}

void ClockFollower::continue_from(const ClockStatus& previous) noexcept {
  status_ = previous;
  axis_ = previous.axis_boot_id;
  source_boot_id_ = previous.daemon_boot_id;
}

void ClockFollower::add(std::size_t index, const ClockSample& sample, const DaemonWord& word) {
  Daemon& daemon = daemons_[index];
  if (daemon.word.boot_id != 0 && daemon.word.boot_id != word.boot_id) {
    // Another boot id means another clock, so measurements of the one before are void.
    daemon.filter.restart();
    // The daemon's clock has changed, not the axis.
    daemon.restarts_seen = daemon.filter.status().restarts;
    daemon.heard.reset();
    if (active_ == index) active_.reset();
    source_is_gone_ = source_is_gone_ || daemon.word.boot_id == source_boot_id_;
  }
  daemon.word = word;
  daemon.filter.place_daemon(word.to_axis);
  if (!daemon.heard || sample.received - *daemon.heard >= options_.filter.holdover_after)
    daemon.answers_since = sample.received;
  daemon.heard = std::max(sample.received, daemon.heard.value_or(sample.received));
  daemon.filter.add(sample);
}

void ClockFollower::steer(LocalInstant now) {
  for (Daemon& daemon : daemons_) daemon.filter.steer(now);
  if (axis_ == 0) choose_first_axis(now);
  if (axis_ != 0)
    keep_to_axis(now);
  else
    publish_collecting();
  count();
}

bool ClockFollower::is_fresh(const Daemon& daemon, LocalInstant now) const noexcept {
  return daemon.heard && now - *daemon.heard < options_.filter.holdover_after;
}

bool ClockFollower::is_ready(const Daemon& daemon, LocalInstant now) const noexcept {
  return is_fresh(daemon, now) && daemon.word.axis_boot_id != 0 &&
         daemon.filter.status().state == ClockState::locked &&
         (!options_.carries_axis || axis_ == 0 || daemon.word.boot_id == source_boot_id_);
}

/// The daemon to follow on that axis: the first one, but not at once while another one is followed.
std::optional<std::size_t> ClockFollower::ready_on(std::uint64_t axis,
                                                   LocalInstant now) const noexcept {
  const bool has_active =
      active_ && is_ready(daemons_[*active_], now) && daemons_[*active_].word.axis_boot_id == axis;
  for (std::size_t i = 0; i < count_; ++i) {
    const Daemon& daemon = daemons_[i];
    if (!is_ready(daemon, now) || daemon.word.axis_boot_id != axis) continue;
    if (!has_active || i == *active_ || may_return_to(daemon, now)) return i;
  }
  return std::nullopt;
}

bool ClockFollower::may_return_to(const Daemon& daemon, LocalInstant now) const noexcept {
  const Nanos answering = now - daemon.answers_since;
  if (answering < options_.return_after) return false;
  const Nanos apart =
      daemon.filter.status().mapping.to_global(now) - status_.mapping.to_global(now);
  return std::chrono::abs(apart) <= options_.agree_within ||
         answering >= options_.return_at_last_after;
}

std::optional<std::size_t> ClockFollower::last_ready(LocalInstant now) const noexcept {
  for (std::size_t i = count_; i-- > 0;)
    if (is_ready(daemons_[i], now)) return i;
  return std::nullopt;
}

bool ClockFollower::all_ready(LocalInstant now) const noexcept {
  return std::all_of(daemons_.begin(), daemons_.begin() + static_cast<std::ptrdiff_t>(count_),
                     [&](const Daemon& daemon) { return is_ready(daemon, now); });
}

// Where the daemons serve two axes, the first one's machine has started anew, and the standby
// carries on the axis that the wall's other hosts show by. So the last daemon decides, and is
// waited for.
void ClockFollower::choose_first_axis(LocalInstant now) {
  const auto ready = last_ready(now);
  if (!ready) return;
  if (!ready_since_) ready_since_ = now;
  if (all_ready(now) || now - *ready_since_ >= options_.choose_after) take_axis_of(*ready, now);
}

void ClockFollower::keep_to_axis(LocalInstant now) {
  if (const auto ready = ready_on(axis_, now)) {
    if (ready != active_) follow(*ready, now);
    return publish(now);
  }
  const auto other = last_ready(now);
  // Another axis is a step on the wall. It is taken only when every daemon serves another one, or
  // when nobody has served ours for a while. A carrier never changes, since the wall's hosts may
  // show by its axis.
  const bool is_given_up = all_ready(now) || now - status_.heard >= options_.new_axis_after;
  if (other && is_given_up && !options_.carries_axis) {
    status_.restarts++;
    take_axis_of(*other, now);
    return publish(now);
  }
  const bool is_its_axis = active_ && daemons_[*active_].word.axis_boot_id == axis_;
  is_its_axis ? publish(now) : run_on(now);
}

void ClockFollower::take_axis_of(std::size_t daemon, LocalInstant now) {
  axis_ = daemons_[daemon].word.axis_boot_id;
  active_ = ready_on(axis_, now).value_or(daemon);
  source_boot_id_ = daemons_[*active_].word.boot_id;
  daemons_[*active_].restarts_seen = daemons_[*active_].filter.status().restarts;
}

void ClockFollower::follow(std::size_t daemon, LocalInstant now) {
  const bool is_same =
      status_.daemon == daemon && status_.daemon_boot_id == daemons_[daemon].word.boot_id;
  if (!is_same) status_.failovers++;
  active_ = daemon;
  daemons_[daemon].filter.continue_from(status_.mapping);
  daemons_[daemon].filter.steer(now);
}

/// Publishes the status of the first daemon that has answered, while there is no axis yet.
void ClockFollower::publish_collecting() {
  const auto heard = std::find_if(daemons_.begin(), daemons_.end(),
                                  [](const Daemon& daemon) { return daemon.heard.has_value(); });
  if (heard == daemons_.end()) return;
  status_ = heard->filter.status();
  status_.state = ClockState::collecting;
  status_.daemon_boot_id = heard->word.boot_id;
}

void ClockFollower::publish(LocalInstant now) {
  Daemon& daemon = daemons_[*active_];
  const ClockStatus& from = daemon.filter.status();
  status_.mapping = from.mapping;
  status_.state = from.state;
  status_.daemon = static_cast<std::uint32_t>(*active_);
  status_.round_trip_min = from.round_trip_min;
  status_.drift_ppb = from.drift_ppb;
  status_.restarts += from.restarts - daemon.restarts_seen;
  daemon.restarts_seen = from.restarts;
  status_.daemon_boot_id = daemon.word.boot_id;
  status_.axis_boot_id = axis_;
  status_.utc_minus_global = daemon.word.utc_minus_global;
  status_.updated = now;
  status_.heard = from.heard;
}

/// Nobody serves the axis: the mapping runs on, its bound grows with time, and its growth with the
/// wander. A carrier whose source clock is gone for good defines the axis by its own mapping from
/// then on, so its bound stops growing.
void ClockFollower::run_on(LocalInstant now) {
  ClockMapping& mapping = status_.mapping;
  const double since_s = static_cast<double>((now - mapping.anchor_local).count()) * 1e-9;
  const GlobalInstant global = mapping.to_global(now);
  mapping.bound_at_anchor = mapping.bound_at(now);
  mapping.anchor_local = now;
  mapping.anchor_global = global;
  const double likely_ppb = -status_.drift_ppb;  // without the slew that was in force
  mapping.bound_growth_ppb +=
      options_.filter.model.wander_ppb_per_s * since_s + std::abs(likely_ppb - mapping.rate_ppb);
  mapping.rate_ppb = likely_ppb;
  if (options_.carries_axis && source_is_gone_) mapping.bound_growth_ppb = 0;
  const bool is_fresh = now - status_.heard < options_.filter.holdover_after;
  status_.state = is_fresh ? ClockState::locked : ClockState::holdover;
  status_.updated = now;
}

void ClockFollower::count() {
  status_.samples = status_.rejected = 0;
  for (const Daemon& daemon : daemons_) {
    status_.samples += daemon.filter.status().samples;
    status_.rejected += daemon.filter.status().rejected;
  }
}

}  // namespace tilewall::sync
