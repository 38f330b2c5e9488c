#include "player/director/decimation_policy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewall {
namespace {

// Between ticks that are shown, whatever one panel takes; and where most panels take longer.
constexpr Nanos longest_interval = std::chrono::seconds(1);
constexpr Nanos starved_interval = std::chrono::seconds(8);

std::int64_t most_ticks(Nanos longest, Nanos period) {
  return std::max<std::int64_t>(longest / period, 1);
}

}  // namespace

std::int64_t every_of(Nanos interval, Nanos period) noexcept {
  // Rounded, as periods are rounded down to a nanosecond.
  return std::clamp<std::int64_t>((interval + period / 2) / period, 1,
                                  most_ticks(starved_interval, period));
}

struct DecimationPolicy::Limits {
  static constexpr Nanos silence = std::chrono::seconds(1);  // then a panel has no say
  // Panels report five times a second; misses of one report interval are one.
  static constexpr Nanos report_slot = std::chrono::milliseconds(180);
  static constexpr Nanos settle_time = std::chrono::milliseconds(400);  // a change and a report
  static constexpr Nanos catch_up_time = std::chrono::seconds(2);       // of a panel started again
  static constexpr Nanos proof_time = std::chrono::seconds(10);         // a fall has held so long
  static constexpr Nanos longest_quiet = std::chrono::seconds(60);
  // Recurring misses are judged over so many shown ticks, within these limits of time.
  static constexpr std::int64_t window_ticks = 60;
  static constexpr Nanos shortest_window = std::chrono::milliseconds(2500);
  static constexpr Nanos longest_window = std::chrono::seconds(20);
  static constexpr double bearable_share = 0.05;  // of the window's ticks
  static constexpr double fewest_bad = 3;
  // Shares of the interval that a picture may take: less before n falls than after it rose, so that
  // the two never follow each other.
  static constexpr double share_after_rise = 0.85;
  static constexpr double share_before_fall = 0.75;
  static constexpr std::uint64_t enough_pictures = 3;
  // The start-up of the panels disturbs what is measured before the show: only what cannot fit
  // counts.
  static constexpr double start_excess = 1.3;     // of computing time over what the host has
  static constexpr double start_disturbance = 2;  // of times as they pass
};

void DecimationPolicy::take(std::size_t panel, const std::string& host,
                            const DecimationReport& report, LocalInstant now) {
  PanelFigures& figures = panels_.at(panel);
  if (figures.was_gone) figures.excused_until = now + Limits::catch_up_time;
  figures.was_gone = false;
  figures.heard_at = now;
  figures.host = host;
  figures.newest = report;
  if (report.missed_decode + report.missed_swap > 0 && now >= figures.excused_until)
    note_missed(panel, report, now);
}

void DecimationPolicy::leave(std::size_t panel) {
  panels_.at(panel) = {};
  panels_.at(panel).was_gone = true;
}

void DecimationPolicy::note_missed(std::size_t panel, const DecimationReport& report,
                                   LocalInstant now) {
  if (now < settled_at_) return;  // ticks of the time before the last change
  const std::uint64_t missed = report.missed_decode + report.missed_swap;
  const bool is_new = bad_.empty() || now >= bad_.back() + std::max(Limits::report_slot, interval_);
  if (is_new) bad_.push_back(now);
  quiet_since_ = now;
  if (!is_new && culprit_ && missed <= culprit_missed_) return;
  culprit_ = panel;
  culprit_missed_ = missed;
  cause_ = report.missed_swap > report.missed_decode ? LateCause::swap : LateCause::decode;
}

bool DecimationPolicy::is_heard(const PanelFigures& panel, LocalInstant now) const {
  if (!panel.heard_at || now < panel.excused_until) return false;
  return !has_started_ || now < *panel.heard_at + Limits::silence;  // they report seldom before
}

Nanos DecimationPolicy::slowest(LocalInstant now, std::uint64_t least_pictures) const {
  Nanos slowest{0};
  for (const PanelFigures& panel : panels_)
    if (is_heard(panel, now) && panel.newest.pace.median_of >= least_pictures)
      slowest = std::max(slowest, Nanos(panel.newest.pace.median_ns));
  return slowest;
}

Nanos DecimationPolicy::busiest_host(LocalInstant now) const {
  struct Host {
    Nanos cpu{0};
    int cpus = 0;
  };
  std::map<std::string, Host> hosts;
  for (const PanelFigures& panel : panels_) {
    if (!is_heard(panel, now)) continue;
    Host& host = hosts[panel.host];
    host.cpu += Nanos(panel.newest.pace.cpu_ns);
    host.cpus = std::max(host.cpus, panel.newest.cpus);
  }
  Nanos longest{0};
  for (const auto& [name, host] : hosts)
    if (host.cpus > 0) longest = std::max(longest, host.cpu / host.cpus);
  return longest;
}

Nanos DecimationPolicy::longest_now(LocalInstant now) const {
  std::vector<Nanos> times;
  for (const PanelFigures& panel : panels_)
    if (is_heard(panel, now) && panel.newest.pace.median_of > 0)
      times.emplace_back(panel.newest.pace.median_ns);
  if (times.empty()) return longest_interval;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle > longest_interval ? starved_interval : longest_interval;
}

std::int64_t DecimationPolicy::ticks_for(Nanos time, double share, Nanos period,
                                         LocalInstant now) const {
  const double ticks = std::ceil(as_double(time) / (share * as_double(period)));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(ticks), 1,
                                  most_ticks(longest_now(now), period));
}

std::optional<DecimationStep> DecimationPolicy::start(LocalInstant now, Nanos period) {
  if (period <= Nanos(0) || has_started_) return std::nullopt;
  const Nanos by_cpu = busiest_host(now);
  const Nanos by_time{static_cast<std::int64_t>(as_double(slowest(now, Limits::enough_pictures)) /
                                                Limits::start_disturbance)};
  std::int64_t every = 1;
  if (as_double(by_cpu) > Limits::start_excess * as_double(period))
    every = ticks_for(by_cpu, Limits::share_after_rise, period, now);
  every = std::max(every, by_time > period ? ticks_for(by_time, 1, period, now) : 1);
  if (every == 1) return std::nullopt;
  culprit_.reset();
  for (std::size_t i = 0; i < panels_.size(); ++i)
    if (!culprit_ || panels_[i].newest.pace.median_ns > panels_[*culprit_].newest.pace.median_ns)
      culprit_ = i;
  DecimationStep step = change(every, now, period);
  step.panel = culprit_;
  return step;
}

std::optional<DecimationStep> DecimationPolicy::step(LocalInstant now, Nanos period) {
  has_started_ = true;
  if (period <= Nanos(0)) return std::nullopt;
  if (const auto up = rise(now, period)) return up;
  return fall(now, period);
}

/// Whether a panel cannot hold the interval, by what its pictures take or as misses recur.
bool DecimationPolicy::is_missing_for_good(LocalInstant now, Nanos shown_period) const {
  if (bad_.empty()) return false;
  if (slowest(now, Limits::enough_pictures) > shown_period) return true;
  const Nanos window = std::clamp(shown_period * Limits::window_ticks, Limits::shortest_window,
                                  Limits::longest_window);
  const auto recent =
      std::ranges::count_if(bad_, [&](LocalInstant at) { return at + window > now; });
  const double bearable = Limits::bearable_share * as_double(window) / as_double(shown_period);
  return static_cast<double>(recent) >= std::max(Limits::fewest_bad, bearable);
}

/// Whether ticks were missed in most report intervals since the last change.
bool DecimationPolicy::misses_most(LocalInstant now) const {
  const double slots =
      as_double(now - settled_at_) / as_double(std::max(Limits::report_slot, interval_));
  return static_cast<double>(bad_.size()) > slots / 2;
}

std::int64_t DecimationPolicy::most_ahead() const {
  std::int64_t ahead = 1;
  for (const PanelFigures& panel : panels_) ahead = std::max(ahead, panel.newest.buffers + 1);
  return ahead;
}

std::optional<DecimationStep> DecimationPolicy::rise(LocalInstant now, Nanos period) {
  while (!bad_.empty() && bad_.front() + Limits::longest_window <= now) bad_.pop_front();
  const std::int64_t before = every_of(interval_, period);
  if (now < settled_at_ || !is_missing_for_good(now, period * before)) return std::nullopt;
  const std::int64_t fitting =
      ticks_for(slowest(now, Limits::enough_pictures), Limits::share_after_rise, period, now);
  // A panel that misses nearly every tick may not have drawn enough to know how long it takes.
  const std::int64_t next_try = misses_most(now) ? 2 * before : before + 1;
  const std::int64_t next =
      std::min(std::max(next_try, fitting), most_ticks(longest_now(now), period));
  if (next <= before) {
    bad_.clear();  // as slow as it gets
    return std::nullopt;
  }
  const bool fall_failed = now < fell_at_ + Limits::proof_time;
  quiet_needed_ = fall_failed ? std::min(quiet_needed_ * 2, Limits::longest_quiet) : shortest_quiet;
  DecimationStep step = change(next, now, period);
  // Each panel finishes the picture that it is drawing, and draws the first one of the new ticks.
  step.pause = std::min(2 * slowest(now, 1), longest_interval);
  step.pictures_ahead = most_ahead();
  settled_at_ = settled_at_ + step.pause;
  // The wall shows every next-th tick only after what has been drawn of the stride before.
  if (next % before != 0) settled_at_ = settled_at_ + step.pictures_ahead * before * period;
  quiet_since_ = settled_at_;
  step.panel = culprit_;
  step.cause = cause_;
  return step;
}

std::optional<DecimationStep> DecimationPolicy::fall(LocalInstant now, Nanos period) {
  const std::int64_t before = every_of(interval_, period);
  const Nanos needed = std::max(quiet_needed_, 4 * before * period);
  if (before == 1 || now < settled_at_ || now < quiet_since_ + needed) return std::nullopt;
  const Nanos time = slowest(now, Limits::enough_pictures);
  std::int64_t next = ticks_for(time, Limits::share_before_fall, period, now);
  const bool is_unsure = quiet_needed_ > shortest_quiet || time == Nanos(0);
  if (is_unsure) next = std::max(next, before - 1);
  if (next >= before) return std::nullopt;
  const std::int64_t ahead = most_ahead();
  DecimationStep step = change(next, now, period);
  step.pictures_ahead = ahead;
  settled_at_ = settled_at_ + ahead * before * period;
  fell_at_ = settled_at_;
  quiet_since_ = settled_at_;
  return step;
}

DecimationStep DecimationPolicy::change(std::int64_t every, LocalInstant now, Nanos period) {
  interval_ = every > 1 ? every * period : Nanos(0);
  settled_at_ = now + Limits::settle_time;
  quiet_since_ = settled_at_;
  bad_.clear();
  return {every, interval_};
}

}  // namespace tilewall
