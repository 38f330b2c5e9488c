#include "player/director/statistics/show_ledger.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "player/scene/live_messages.hpp"

namespace tilewall::director {
namespace {

constexpr std::size_t max_hashes_per_panel = 1'000'000;
// The most ticks that wait for a panel which is there but shows nothing. Older ones are settled
// without it.
constexpr std::size_t max_open_ticks = 4096;
// The last reports of an epoch arrive well before so many further epochs.
constexpr std::size_t max_epochs = 16;

}  // namespace

ShowLedger::ShowLedger(std::size_t panels, bool keep_hashes)
    : keep_hashes_(keep_hashes),
      panels_(panels),
      present_(panels, false),
      joined_(panels, false),
      first_of_panel_ns_(panels) {}

void ShowLedger::open_epoch(std::uint64_t epoch, const sync::FrameTicks& ticks) {
  if (!epochs_.empty() && !epochs_.contains(epoch)) pass_epoch(epochs_.rbegin()->second);
  note_played(ticks.grid);
  epochs_[epoch].due = ticks;
  for (PanelCount& panel : panels_) panel.last_tick.reset();
  joined_.assign(panels_.size(), false);
  forget_old_epochs();
}

bool ShowLedger::has_ended() const {
  if (epochs_.empty()) return false;
  const Epoch& current = epochs_.rbegin()->second;
  const auto& count = current.due.grid.count;
  return !current.due.grid.paused() && count && current.known_ticks >= *count;
}

void ShowLedger::note_played(const sync::TickGrid& grid) {
  if (grid.start >= scene::never) return;
  if (has_ended() && last_ns_) played_.stand(*last_ns_);
  const std::int64_t start_ns = grid.start.since_epoch.count();
  grid.paused() ? played_.stand(start_ns) : played_.play(start_ns);
}

void ShowLedger::pass_epoch(const Epoch& epoch) {
  const std::int64_t passed = scheduled(epoch);
  passed_before_ += passed;
  for (PanelCount& panel : panels_) {
    panel.late_so_far += std::max<std::int64_t>(passed - panel.passed_end, 0);
    panel.passed_end = 0;
  }
}

void ShowLedger::forget_old_epochs() {
  for (; epochs_.size() > max_epochs; epochs_.erase(epochs_.begin())) {
    const std::int64_t ticks = scheduled(epochs_.begin()->second);
    forgotten_scheduled_ += ticks;
    if (observer_ != nullptr) observer_->forgotten(epochs_.begin()->first, ticks);
  }
}

void ShowLedger::close_epoch(std::uint64_t epoch, GlobalInstant at) {
  if (const auto found = epochs_.find(epoch); found != epochs_.end()) found->second.closed_at = at;
}

void ShowLedger::set_shown_ticks(std::uint64_t epoch, const sync::ShownTicks& shown_ticks) {
  const auto found = epochs_.find(epoch);
  if (found != epochs_.end()) found->second.shown_ticks = shown_ticks;
}

void ShowLedger::delay(std::uint64_t epoch, const scene::ReleasedTick& tick) {
  const auto found = epochs_.find(epoch);
  if (found == epochs_.end()) return;
  found->second.ticks[tick.tick].delay = Nanos(tick.delay_ns);
  found->second.known_ticks = std::max(found->second.known_ticks, tick.tick + 1);
}

void ShowLedger::add(std::size_t panel, std::uint64_t epoch, scene::ShownFrame shown) {
  const auto found = epochs_.find(epoch);
  if (found == epochs_.end() || shown.tick < 0) return;
  shown.frame = scene::timestep_of(shown.frame);  // only live sources' frames change by that
  Epoch& of = found->second;
  PanelCount& count = panels_.at(panel);
  count.last_frame = shown.frame;
  const bool current = epoch == epochs_.rbegin()->first;
  if (current) count.last_tick = shown.tick;
  count.last_stamp_ns = std::max(count.last_stamp_ns, shown.stamp_ns);
  if (keep_hashes_ && count.hashed.size() < max_hashes_per_panel) {
    const sync::TickGrid& grid = of.due.grid;
    const GlobalInstant tick_due = grid.paused() ? grid.start : grid.due(shown.tick);
    count.hashed.push_back({shown, tick_due.since_epoch.count()});
    if (hash_memory_ != nullptr) hash_memory_->add({panel, shown, count.hashed.back().due_ns});
  }
  count.shown_any = true;
  count.shown_a_frame |= shown.damage != scene::FrameDamage::black;
  if (of.due.grid.paused()) {
    note_damage(of.paused_damage, shown.damage);
    return note_still(epoch, of, {panel, shown.stamp_ns});
  }

  // A report may come for a tick that was settled without this panel. A second record for it would
  // count the tick and its damage twice, so only damage that is worse than the known one counts.
  const auto settled = of.settled.find(shown.tick);
  const bool is_settled = settled != of.settled.end();
  TickRecord forgotten;
  TickRecord& record = is_settled ? forgotten : of.ticks[shown.tick];
  note_damage(is_settled ? settled->second : record.damage, shown.damage);
  of.known_ticks = std::max(of.known_ticks, shown.tick + 1);
  const GlobalInstant due = of.due.grid.due(shown.tick) + record.delay;
  // A tick is late after half the time between shown ticks, by the rule that panels use as well.
  // With half a period of the grid, ledger and panels disagreed while ticks were left out.
  const bool on_time = shown.frame == of.due.frame_of(shown.tick) &&
                       Nanos(shown.stamp_ns) - due.since_epoch <=
                           of.due.grid.period() * of.shown_ticks.every_at(shown.tick) / 2;
  record.stamps.push_back({panel, shown.stamp_ns});
  note_offset(count, shown.stamp_ns, Nanos(shown.stamp_ns) - due.since_epoch);
  ++count.frames_shown;
  if (on_time) ++record.on_time, ++count.frames_on_time;
  // pass_epoch() has counted the ticks that were not reported by the end of their epoch as late.
  if (!current && on_time && shown.tick < scheduled(of)) --count.late_so_far;
  if (current && shown.tick >= count.passed_end) {
    count.late_so_far += shown.tick - count.passed_end + (on_time ? 0 : 1);
    count.passed_end = shown.tick + 1;
  }

  first_ns_ = std::min(first_ns_.value_or(shown.stamp_ns), shown.stamp_ns);
  last_ns_ = std::max(last_ns_.value_or(shown.stamp_ns), shown.stamp_ns);
  auto& first = first_of_panel_ns_.at(panel);
  first = std::min(first.value_or(shown.stamp_ns), shown.stamp_ns);
  if (is_settled) return;
  const bool complete = record.stamps.size() >= panels_.size();
  if (!complete && of.ticks.size() <= max_open_ticks) return;
  settle_and_forget(epoch, of, complete ? of.ticks.find(shown.tick) : of.ticks.begin());
}

void ShowLedger::add_again(std::size_t panel, std::uint64_t epoch,
                           const std::vector<scene::ShownFrame>& frames) {
  for (const scene::ShownFrame& shown : frames)
    if (shown.stamp_ns > panels_.at(panel).last_stamp_ns) add(panel, epoch, shown);
}

std::map<std::int64_t, ShowLedger::TickRecord>::iterator ShowLedger::settle_and_forget(
    std::uint64_t number, Epoch& epoch, std::map<std::int64_t, TickRecord>::iterator tick) {
  settle(number, tick->second);
  epoch.settled[tick->first] = tick->second.damage;
  if (epoch.settled.size() > max_open_ticks) epoch.settled.erase(epoch.settled.begin());
  return epoch.ticks.erase(tick);
}

bool ShowLedger::is_mixed(const Epoch& epoch) {
  const auto [first, last] = std::ranges::minmax_element(epoch.still, {}, &StampOf::stamp_ns);
  return first != epoch.still.end() && last->stamp_ns - first->stamp_ns > still_limit.count();
}

void ShowLedger::count_still(const Epoch& epoch, std::int64_t sign) {
  if (!is_mixed(epoch)) return;
  const std::int64_t first_ns =
      std::ranges::min_element(epoch.still, {}, &StampOf::stamp_ns)->stamp_ns;
  for (const StampOf& one : epoch.still) {
    const bool is_behind = one.stamp_ns - first_ns > still_limit.count();
    (is_behind ? panels_[one.panel].late_so_far : panels_[one.panel].frames_on_time) += sign;
  }
}

void ShowLedger::note_still(std::uint64_t number, Epoch& epoch, const StampOf& one) {
  // A panel that came back shows the picture as soon as it can, and the others have it already.
  const bool current = number == epochs_.rbegin()->first;
  if (current && joined_[one.panel]) return;
  if (std::ranges::find(epoch.still, one.panel, &StampOf::panel) != epoch.still.end()) return;
  const bool was_mixed = is_mixed(epoch);
  count_still(epoch, -1);
  epoch.still.push_back(one);
  count_still(epoch, 1);
  if (was_mixed || !is_mixed(epoch)) return;
  if (!current) ++passed_before_;  // pass_epoch() did not know that the picture counts
  if (current)
    for (PanelCount& panel : panels_) panel.passed_end = 1;
}

void ShowLedger::note_damage(scene::FrameDamage& known, scene::FrameDamage damage) noexcept {
  if (damage <= known) return;
  if (known != scene::FrameDamage::none) --damaged_[static_cast<std::size_t>(known)];
  ++damaged_[static_cast<std::size_t>(damage)];
  known = damage;
}

std::int64_t ShowLedger::panels_black(bool all_reported) const {
  const bool any = std::ranges::any_of(panels_, &PanelCount::shown_any);
  if (!any || (!all_reported && progress().frames_due == 0)) return 0;
  return std::ranges::count_if(panels_,
                               [](const PanelCount& panel) { return !panel.shown_a_frame; });
}

void ShowLedger::note_offset(PanelCount& count, std::int64_t stamp_ns, Nanos offset) {
  const std::int64_t distance_ns = std::abs(offset.count());
  count.swap_offset_ns.add(distance_ns);
  count.recent_swap_offset_ns.add(stamp_ns, distance_ns);
}

void ShowLedger::settle(std::uint64_t epoch, const TickRecord& record) {
  if (record.stamps.empty()) return;
  ++shown_by_any_;
  const TickObserver::SettledTick tick = settled(record);
  if (observer_ != nullptr) observer_->settled(epoch, tick);
}

TickObserver::SettledTick ShowLedger::settled(const TickRecord& record) {
  // On a wall of several panels, one stamp alone has no skew.
  if (record.stamps.size() < std::min<std::size_t>(panels_.size(), 2)) return {};
  const auto by_stamp = [](const StampOf& a, const StampOf& b) { return a.stamp_ns < b.stamp_ns; };
  const auto [first, last] =
      std::minmax_element(record.stamps.begin(), record.stamps.end(), by_stamp);
  for (const StampOf& one : record.stamps) {
    const std::int64_t behind_ns = one.stamp_ns - first->stamp_ns;
    panels_[one.panel].skew_ns.add(behind_ns);
    panels_[one.panel].recent_skew_ns.add(one.stamp_ns, behind_ns);
  }
  if (record.stamps.size() < panels_.size()) return {};
  ++shown_by_all_;
  const bool is_on_time = record.on_time == panels_.size();
  if (is_on_time) ++on_time_on_all_;
  const Nanos skew(last->stamp_ns - first->stamp_ns);
  skew_ns_.add(skew.count());
  recent_skew_ns_.add(last->stamp_ns, skew.count());
  return {skew, is_on_time};
}

void ShowLedger::join(std::size_t panel) {
  present_.at(panel) = true;
  joined_.at(panel) = true;
  panels_.at(panel).last_tick.reset();
}

std::int64_t ShowLedger::first_awaited() const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < panels_.size(); ++i)
    if (present_[i]) first = std::min(first, panels_[i].last_tick.value_or(-1) + 1);
  return first;
}

void ShowLedger::settle_passed() {
  if (epochs_.empty()) return;
  const std::uint64_t number = epochs_.rbegin()->first;
  Epoch& newest = epochs_.rbegin()->second;  // the epoch of PanelCount::last_tick
  const auto end = newest.ticks.lower_bound(first_awaited());
  for (auto tick = newest.ticks.begin(); tick != end;)
    tick = settle_and_forget(number, newest, tick);
}

ShowLedger::Progress ShowLedger::progress() const {
  std::optional<std::int64_t> by_present;
  std::int64_t furthest = 0;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const std::int64_t end = panels_[i].passed_end;
    furthest = std::max(furthest, end);
    if (present_[i]) by_present = std::min(by_present.value_or(end), end);
  }
  // A wall whose panels are all gone has passed what its panels had passed.
  const std::int64_t passed = by_present.value_or(furthest) + passed_before_;
  return {passed, std::max<std::int64_t>(passed - on_time_on_all_, 0)};
}

std::optional<GlobalInstant> ShowLedger::first_shown(std::size_t panel) const {
  const auto& stamp_ns = first_of_panel_ns_.at(panel);
  return stamp_ns ? std::optional(GlobalInstant{Nanos(*stamp_ns)}) : std::nullopt;
}

std::int64_t ShowLedger::frames_late_so_far(std::size_t panel) const {
  const PanelCount& count = panels_.at(panel);
  const std::int64_t passed = progress().frames_due - passed_before_;
  return count.late_so_far + std::max<std::int64_t>(passed - count.passed_end, 0);
}

Percentiles ShowLedger::recent_skew_ns(GlobalInstant now) const {
  return recent_skew_ns_.percentiles(now.since_epoch.count());
}

double ShowLedger::recent_fps(GlobalInstant now) const {
  // Reports come a few times a second, so the newest frames are not known yet.
  constexpr std::int64_t report_lag_ns = 500'000'000;
  const std::int64_t last_ns = last_ns_.value_or(0);
  const std::int64_t now_ns = std::max(now.since_epoch.count() - report_lag_ns, last_ns);
  const RecentValues::Run run = recent_skew_ns_.run(now_ns);
  if (run.count < 2) return 0;
  const std::int64_t played_ns = played_.played_ns(run.first_ns, has_ended() ? last_ns : now_ns);
  return played_ns > 0 ? static_cast<double>(run.count - 1) * 1e9 / static_cast<double>(played_ns)
                       : 0;
}

std::int64_t ShowLedger::scheduled(const Epoch& epoch) const {
  if (epoch.due.grid.start >= scene::never) return 0;
  if (epoch.due.grid.paused()) return is_mixed(epoch) ? 1 : 0;
  const auto count = epoch.due.grid.count;
  if (!epoch.closed_at) return count.value_or(epoch.known_ticks);
  const auto last = epoch.due.grid.tick_at(*epoch.closed_at - Nanos(1));
  const std::int64_t due = last ? *last + 1 : 0;
  return std::max(epoch.known_ticks, count ? std::min(due, *count) : due);
}

std::int64_t ShowLedger::scheduled() const {
  std::int64_t sum = forgotten_scheduled_;
  for (const auto& [number, epoch] : epochs_) sum += scheduled(epoch);
  return sum;
}

std::int64_t ShowLedger::sum_between(
    std::uint64_t first, std::uint64_t end,
    const std::function<std::int64_t(const Epoch& epoch)>& number) const {
  std::int64_t sum = 0;
  for (auto epoch = epochs_.lower_bound(first); epoch != epochs_.end() && epoch->first < end;
       ++epoch)
    sum += number(epoch->second);
  return sum;
}

std::int64_t ShowLedger::scheduled_between(std::uint64_t first, std::uint64_t end) const {
  return sum_between(first, end, [this](const Epoch& epoch) { return scheduled(epoch); });
}

std::int64_t ShowLedger::unsettled_between(std::uint64_t first, std::uint64_t end) const {
  return sum_between(first, end, [](const Epoch& epoch) {
    return std::ranges::count_if(epoch.ticks,
                                 [](const auto& tick) { return !tick.second.stamps.empty(); });
  });
}

std::int64_t ShowLedger::frames_late(std::size_t panel) const {
  return scheduled() - panels_.at(panel).frames_on_time;
}

ShowTotals ShowLedger::totals() const {
  ShowTotals totals;
  totals.frames_scheduled = scheduled();
  totals.frames_shown = shown_by_all_;
  totals.frames_shown_by_any = shown_by_any_;
  totals.frames_shown_by_any += unsettled_between(0, std::numeric_limits<std::uint64_t>::max());
  totals.frames_late = totals.frames_scheduled - on_time_on_all_;
  totals.skew_us = skew_ns_.percentiles() / 1e3;
  if (first_ns_) totals.duration_s = static_cast<double>(*last_ns_ - *first_ns_) / 1e9;
  const std::int64_t played_ns = first_ns_ ? played_.played_ns(*first_ns_, *last_ns_) : 0;
  if (shown_by_all_ > 1 && played_ns > 0)
    totals.fps = static_cast<double>(shown_by_all_ - 1) * 1e9 / static_cast<double>(played_ns);
  std::optional<std::int64_t> first_on_all = 0;
  for (const auto& first : first_of_panel_ns_)
    first_on_all =
        first && first_on_all ? std::optional(std::max(*first, *first_on_all)) : std::nullopt;
  if (first_on_all) totals.first_on_all = GlobalInstant{Nanos(*first_on_all)};
  return totals;
}

}  // namespace tilewall::director
