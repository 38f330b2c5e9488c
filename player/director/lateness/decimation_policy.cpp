#include "player/director/lateness/decimation_policy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewall::director {
namespace {

// The longest interval at which every n-th tick is shown. A slower wall gets single ticks by name.
constexpr Nanos longest_interval = std::chrono::milliseconds(600);
// A tick is shown after so long even where most panels are starved. With a limit of 1 s, walls
// whose pictures all took longer still showed torn pictures.
constexpr Nanos starved_interval = std::chrono::seconds(8);

std::int64_t most_ticks(Nanos longest, Nanos period) {
  return std::max<std::int64_t>(longest / period, 1);
}

}  // namespace

std::int64_t every_of(Nanos interval, Nanos period) noexcept {
  // Rounded to the nearest, because periods are rounded down to a nanosecond.
  return std::clamp<std::int64_t>((interval + period / 2) / period, 1,
                                  most_ticks(starved_interval, period));
}

struct DecimationPolicy::Limits {
  static constexpr Nanos silence = std::chrono::seconds(1);  // a panel silent for longer is ignored
  // Panels report five times a second. All misses in one report interval count as one.
  static constexpr Nanos report_slot = std::chrono::milliseconds(180);
  static constexpr Nanos settle_time = std::chrono::milliseconds(400);  // a change and a report
  // Time for a panel that was started again.
  static constexpr Nanos catch_up_time = std::chrono::seconds(2);
  static constexpr Nanos proof_time = std::chrono::seconds(10);  // a fall of n has then held
  static constexpr Nanos longest_quiet = std::chrono::seconds(60);
  // Recurring misses are judged over so many shown ticks, within these limits of time.
  static constexpr std::int64_t window_ticks = 60;
  static constexpr Nanos shortest_window = std::chrono::milliseconds(2500);
  static constexpr Nanos longest_window = std::chrono::seconds(20);
  // n rises when this share of the window's ticks is missed: the first while every tick is shown,
  // the second while every n-th is.
  static constexpr double bearable_share = 0.05;
  static constexpr double decimated_share = 0.03;
  static constexpr double fewest_bad = 3;
  static constexpr double fewest_decimated_bad = 2;
  // Shares of the interval that a picture may take. The share before n falls is smaller than the
  // one after it rose, so that a rise never follows a fall by these figures alone.
  static constexpr double share_after_rise = 0.85;
  static constexpr double share_before_fall = 0.75;
  static constexpr std::uint64_t enough_pictures = 3;
  // The start-up of the panels disturbs the figures measured before the show, so that only a clear
  // excess counts.
  static constexpr double start_excess = 1.3;     // CPU time needed over CPU time of the host
  static constexpr double start_disturbance = 2;  // factor on wall-clock times
  // Where panels get less than this share of the CPUs that they could use, other work has the rest.
  // It does not end with the start-up, and delays pictures by more than its CPU time. A picture may
  // then take share_in_crowd of the interval.
  static constexpr double crowded_share = 0.75;
  static constexpr double share_in_crowd = 0.5;
  // Named ticks: the pause before one, and the time that the panels take to show it.
  static constexpr Nanos shortest_pause = std::chrono::milliseconds(100);
  static constexpr Nanos longest_pause = std::chrono::seconds(2);
  static constexpr Nanos usual_turn = std::chrono::milliseconds(700);  // all panels have shown it
  static constexpr Nanos slow_turn = std::chrono::milliseconds(1500);
  static constexpr Nanos few_limit = std::chrono::seconds(4);  // only a minority has not shown it
  static constexpr double pause_growth = 1.5;
  static constexpr double pause_shrink = 0.75;
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
  if (now < settled_at_) return;  // the report is about ticks before the last change
  const std::uint64_t missed = report.missed_decode + report.missed_swap;
  const bool is_new = bad_.empty() || now >= bad_.back() + std::max(Limits::report_slot, interval_);
  if (is_new) bad_.push_back(now);
  quiet_since_ = now;
  if (!is_new && culprit_ && missed <= culprit_missed_) return;
  culprit_ = panel;
  culprit_missed_ = missed;
  cause_ =
      report.missed_swap > report.missed_decode ? scene::LateCause::swap : scene::LateCause::decode;
}

bool DecimationPolicy::is_heard(const PanelFigures& panel, LocalInstant now) const {
  if (!panel.heard_at || now < panel.excused_until) return false;
  // Before the start panels report only once a second.
  return !has_started_ || now < *panel.heard_at + Limits::silence;
}

Nanos DecimationPolicy::slowest(LocalInstant now, std::uint64_t least_pictures) const {
  Nanos slowest{0};
  for (const PanelFigures& panel : panels_)
    if (is_heard(panel, now) && panel.newest.pace.median_of >= least_pictures)
      slowest = std::max(slowest, Nanos(panel.newest.pace.median_ns));
  return slowest;
}

DecimationPolicy::HostNeed DecimationPolicy::busiest_host(LocalInstant now) const {
  struct Host {
    Nanos cpu{0};
    int cpus = 0;
    double used = 0;  // CPUs that the panels had while they could run
    std::size_t panels = 0;
  };
  std::map<std::string, Host> hosts;
  for (const PanelFigures& panel : panels_) {
    if (!is_heard(panel, now)) continue;
    Host& host = hosts[panel.host];
    host.cpu += Nanos(panel.newest.pace.cpu_ns);
    host.cpus = std::max(host.cpus, panel.newest.cpus);
    const auto ran = static_cast<double>(panel.newest.pace.ran_ns);
    const auto could_run = ran + static_cast<double>(panel.newest.pace.waited_ns);
    host.used += could_run > 0 ? ran / could_run : 1;
    ++host.panels;
  }
  HostNeed need;
  for (const auto& [name, host] : hosts) {
    if (host.cpus <= 0) continue;
    const auto most = std::min<double>(host.cpus, static_cast<double>(host.panels));
    const bool is_crowded = host.used < Limits::crowded_share * most;
    // Only the CPUs that the panels get count, even if it is the panels that crowd each other.
    const double processors = is_crowded ? host.used : host.cpus;
    const Nanos interval{static_cast<std::int64_t>(as_double(host.cpu) / processors)};
    need.interval = std::max(need.interval, interval);
    need.is_crowded |= is_crowded;
  }
  return need;
}

bool DecimationPolicy::is_awaited(std::size_t panel, LocalInstant now) const {
  const PanelFigures& figures = panels_.at(panel);
  return figures.heard_at && now < *figures.heard_at + starved_interval;
}

std::int64_t DecimationPolicy::ticks_for(Nanos time, double share, Nanos period) {
  const double ticks = std::ceil(as_double(time) / (share * as_double(period)));
  const std::int64_t most = most_ticks(starved_interval, period);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(ticks), 1, most);
}

std::optional<DecimationStep> DecimationPolicy::start(LocalInstant now, Nanos period) {
  if (period <= Nanos(0) || has_started_) return std::nullopt;
  const HostNeed need = busiest_host(now);
  const double disturbance = need.is_crowded ? 1 : Limits::start_disturbance;
  const double excess = need.is_crowded ? 1 : Limits::start_excess;
  // Two limits: the CPU time of all panels of a host, and the elapsed time of one panel's picture,
  // which includes its waits for disks and servers.
  const Nanos by_time{
      static_cast<std::int64_t>(as_double(slowest(now, Limits::enough_pictures)) / disturbance)};
  const double share = need.is_crowded ? Limits::share_in_crowd : Limits::share_after_rise;
  std::int64_t every = 1;
  if (as_double(need.interval) > excess * as_double(period))
    every = ticks_for(need.interval, share, period);
  every = std::max(every, by_time > period ? ticks_for(by_time, 1, period) : 1);
  if (every == 1) return std::nullopt;
  culprit_.reset();
  for (std::size_t i = 0; i < panels_.size(); ++i)
    if (!culprit_ || panels_[i].newest.pace.median_ns > panels_[*culprit_].newest.pace.median_ns)
      culprit_ = i;
  DecimationStep step =
      every * period > longest_interval ? name_tick(now, period) : change(every, now, period);
  step.panel = culprit_;
  return step;
}

std::optional<DecimationStep> DecimationPolicy::step(LocalInstant now, Nanos period,
                                                     const NamedTickProgress& progress) {
  has_started_ = true;
  if (period <= Nanos(0)) return std::nullopt;
  if (names_ticks()) return follow_named(now, period, progress);
  if (const auto up = rise(now, period)) return up;
  return fall(now, period);
}

/// Whether a panel cannot hold the interval: its pictures take longer, or its misses recur.
bool DecimationPolicy::is_missing_for_good(LocalInstant now, Nanos shown_period) const {
  if (bad_.empty()) return false;
  if (slowest(now, Limits::enough_pictures) > shown_period) return true;
  const Nanos window = std::clamp(shown_period * Limits::window_ticks, Limits::shortest_window,
                                  Limits::longest_window);
  const auto recent =
      std::ranges::count_if(bad_, [&](LocalInstant at) { return at + window > now; });
  const bool decimated = is_decimated();
  const double share = decimated ? Limits::decimated_share : Limits::bearable_share;
  const double fewest = decimated ? Limits::fewest_decimated_bad : Limits::fewest_bad;
  const double bearable = share * as_double(window) / as_double(shown_period);
  return static_cast<double>(recent) >= std::max(fewest, bearable);
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
  // The measured time gives the n that fits, in one step. It can be too small beside other work, or
  // unknown, so n grows by at least a half. It doubles where nearly every tick is missed: such a
  // panel may not have drawn enough pictures to have a median.
  const std::int64_t fitting =
      ticks_for(slowest(now, Limits::enough_pictures), Limits::share_after_rise, period);
  const std::int64_t next_try = misses_most(now) ? 2 * before : before + std::max(before / 2, 1L);
  const std::int64_t next = std::max(next_try, fitting);
  // A rise soon after a fall means that the fall was wrong. Without a longer quiet time before the
  // next fall, n would go up and down for as long as the wall is at its limit.
  const bool fall_failed = now < fell_at_ + Limits::proof_time;
  quiet_needed_ = fall_failed ? std::min(quiet_needed_ * 2, Limits::longest_quiet) : shortest_quiet;
  // Above 0.6 s the time of the next picture cannot be foretold, since panels then wait for CPUs
  // longer than they compute. Walls with a fixed n showed torn pictures there.
  if (next * period > longest_interval) {
    name_pause_ = std::clamp(2 * slowest(now, 1), Limits::shortest_pause, Limits::longest_pause);
    return name_tick(now, period);
  }
  DecimationStep step = change(next, now, period);
  // In the pause each panel finishes the picture that it is drawing, and draws the first new tick.
  step.pause = std::min(2 * slowest(now, 1), Limits::longest_pause);
  step.pictures_ahead = most_ahead();
  settled_at_ = settled_at_ + step.pause;
  // Panels that have drawn ahead have only ticks of the old stride. Unless these belong to the new
  // stride as well, the wall shows them first (ShowControl::decimate).
  if (next % before != 0) settled_at_ = settled_at_ + step.pictures_ahead * before * period;
  quiet_since_ = settled_at_;
  step.panel = culprit_;
  step.cause = cause_;
  return step;
}

std::optional<DecimationStep> DecimationPolicy::fall(LocalInstant now, Nanos period) {
  const std::int64_t before = every_of(interval_, period);
  // At long intervals the quiet time holds few ticks, so it lasts for at least four shown ones.
  const Nanos needed = std::max(quiet_needed_, 4 * before * period);
  if (before == 1 || now < settled_at_ || now < quiet_since_ + needed) return std::nullopt;
  const Nanos time = slowest(now, Limits::enough_pictures);
  std::int64_t next = ticks_for(time, Limits::share_before_fall, period);
  // After a fall that failed, and without a measured time, n falls by one only: a wrong guess costs
  // torn pictures.
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

DecimationStep DecimationPolicy::name_tick(LocalInstant now, Nanos period) {
  // The time since the last named tick; not known for the first one.
  const Nanos turn = names_ticks() ? now - named_at_ : longest_interval;
  interval_ = std::clamp(turn, period, starved_interval);
  if (!names_ticks()) quiet_since_ = now;
  named_ = ++names_given_;
  named_at_ = now;
  bad_.clear();
  DecimationStep step{every_of(interval_, period), interval_};
  step.pause = name_pause_;
  step.panel = culprit_;
  step.cause = cause_;
  step.named = named_;
  return step;
}

std::optional<DecimationStep> DecimationPolicy::follow_named(LocalInstant now, Nanos period,
                                                             const NamedTickProgress& progress) {
  if (!progress.is_known || progress.panels == 0) return std::nullopt;
  const Nanos late = now - named_at_ - name_pause_;
  const bool most_are_missing = 2 * progress.missing > progress.panels;
  if (progress.missing > 0 && late < (most_are_missing ? starved_interval : Limits::few_limit))
    return std::nullopt;
  if (progress.missing > 0) culprit_ = progress.slowest;
  const double times = late > Limits::usual_turn ? Limits::pause_growth : Limits::pause_shrink;
  const Nanos pause{static_cast<std::int64_t>(as_double(name_pause_) * times)};
  name_pause_ = std::clamp(pause, Limits::shortest_pause, Limits::longest_pause);
  if (late > Limits::slow_turn) quiet_since_ = now;
  if (const auto every_nth = leave_named(now, period)) return every_nth;
  return name_tick(now, period);
}

/// Goes back to every n-th tick, where pictures fit into longest_interval.
std::optional<DecimationStep> DecimationPolicy::leave_named(LocalInstant now, Nanos period) {
  if (now < quiet_since_ + quiet_needed_) return std::nullopt;
  const Nanos time = slowest(now, Limits::enough_pictures);
  const std::int64_t every = ticks_for(time, Limits::share_before_fall, period);
  if (time == Nanos(0) || (every > 1 && every * period > longest_interval)) return std::nullopt;
  named_ = 0;
  // Panels draw ahead again, all at the same time, so the first n is a careful one.
  const std::int64_t careful = most_ticks(longest_interval / 2, period);
  DecimationStep step = change(std::max(every, careful), now, period);
  step.pause = std::min(2 * slowest(now, 1), Limits::longest_pause);
  settled_at_ = settled_at_ + step.pause;
  quiet_since_ = fell_at_ = settled_at_;
  return step;
}

DecimationStep DecimationPolicy::change(std::int64_t every, LocalInstant now, Nanos period) {
  interval_ = every > 1 ? every * period : Nanos(0);
  settled_at_ = now + Limits::settle_time;
  quiet_since_ = settled_at_;
  bad_.clear();
  return {every, interval_};
}

}  // namespace tilewall::director
