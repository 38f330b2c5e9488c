#include "player/director/show_ledger.hpp"

#include <algorithm>

namespace tilewall {
namespace {

constexpr std::size_t max_hashes_per_panel = 1'000'000;
constexpr std::size_t max_skews = 4'000'000;

}  // namespace

Percentiles percentiles(std::vector<std::int64_t>& values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto rank = [&](std::size_t percent) {
    const std::size_t index = (values.size() * percent + 99) / 100;
    return static_cast<double>(values[std::max<std::size_t>(index, 1) - 1]);
  };
  return {rank(50), rank(99), static_cast<double>(values.back())};
}

ShowLedger::ShowLedger(std::size_t panels, bool keep_hashes)
    : keep_hashes_(keep_hashes), panels_(panels), first_of_panel_ns_(panels) {}

void ShowLedger::open_schedule(std::uint64_t schedule, const Timeline& timeline) {
  schedules_[schedule].timeline = timeline;
  for (PanelCount& panel : panels_) panel.last_tick.reset();
}

void ShowLedger::close_schedule(std::uint64_t schedule, GlobalInstant at) {
  if (const auto found = schedules_.find(schedule); found != schedules_.end())
    found->second.closed_at = at;
}

void ShowLedger::delay(std::uint64_t schedule, const ReleasedTick& tick) {
  const auto found = schedules_.find(schedule);
  if (found == schedules_.end()) return;
  found->second.ticks[tick.tick].delay = Nanos(tick.delay_ns);
  found->second.known_ticks = std::max(found->second.known_ticks, tick.tick + 1);
}

void ShowLedger::add(std::size_t panel, std::uint64_t schedule, const ShownFrame& shown) {
  const auto found = schedules_.find(schedule);
  if (found == schedules_.end() || shown.tick < 0) return;
  Schedule& of = found->second;
  PanelCount& count = panels_.at(panel);
  count.last_frame = shown.frame;
  count.last_tick = shown.tick;
  if (keep_hashes_ && count.hashed.size() < max_hashes_per_panel) count.hashed.push_back(shown);
  if (of.timeline.paused()) return;

  TickRecord& record = of.ticks[shown.tick];
  of.known_ticks = std::max(of.known_ticks, shown.tick + 1);
  const GlobalInstant due = of.timeline.due(shown.tick) + record.delay;
  const bool on_time = Nanos(shown.stamp_ns) - due.since_epoch <= of.timeline.period() / 2;
  record.first_ns = record.shown == 0 ? shown.stamp_ns : std::min(record.first_ns, shown.stamp_ns);
  record.last_ns = record.shown == 0 ? shown.stamp_ns : std::max(record.last_ns, shown.stamp_ns);
  ++record.shown;
  ++count.frames_shown;
  if (on_time) ++record.on_time, ++count.frames_on_time;

  first_ns_ = std::min(first_ns_.value_or(shown.stamp_ns), shown.stamp_ns);
  last_ns_ = std::max(last_ns_.value_or(shown.stamp_ns), shown.stamp_ns);
  auto& first = first_of_panel_ns_.at(panel);
  first = std::min(first.value_or(shown.stamp_ns), shown.stamp_ns);
  if (record.shown < panels_.size()) return;
  settle(record);
  of.ticks.erase(shown.tick);
}

void ShowLedger::settle(const TickRecord& record) {
  ++shown_by_all_;
  if (record.on_time == panels_.size()) ++on_time_on_all_;
  if (skews_ns_.size() < max_skews) skews_ns_.push_back(record.last_ns - record.first_ns);
}

std::int64_t ShowLedger::scheduled(const Schedule& schedule) const {
  if (schedule.timeline.paused() || schedule.timeline.start >= never) return 0;
  const auto count = schedule.timeline.tick_count();
  if (!schedule.closed_at) return count.value_or(schedule.known_ticks);
  const auto last = schedule.timeline.tick_at(*schedule.closed_at - Nanos(1));
  const std::int64_t due = last ? *last + 1 : 0;
  return std::max(schedule.known_ticks, count ? std::min(due, *count) : due);
}

std::int64_t ShowLedger::scheduled() const {
  std::int64_t sum = 0;
  for (const auto& [number, schedule] : schedules_) sum += scheduled(schedule);
  return sum;
}

std::int64_t ShowLedger::frames_late(std::size_t panel) const {
  return scheduled() - panels_.at(panel).frames_on_time;
}

ShowTotals ShowLedger::totals() const {
  ShowTotals totals;
  std::vector<std::int64_t> skews = skews_ns_;
  totals.frames_scheduled = scheduled();
  totals.frames_shown = shown_by_all_;
  totals.frames_late = totals.frames_scheduled - on_time_on_all_;
  const Percentiles skew_ns = percentiles(skews);
  totals.skew_us = {skew_ns.p50 / 1e3, skew_ns.p99 / 1e3, skew_ns.max / 1e3};
  if (first_ns_) totals.duration_s = static_cast<double>(*last_ns_ - *first_ns_) / 1e9;
  if (shown_by_all_ > 1 && totals.duration_s > 0)
    totals.fps = static_cast<double>(shown_by_all_ - 1) / totals.duration_s;
  std::optional<std::int64_t> first_on_all = 0;
  for (const auto& first : first_of_panel_ns_)
    first_on_all =
        first && first_on_all ? std::optional(std::max(*first, *first_on_all)) : std::nullopt;
  if (first_on_all) totals.first_on_all = GlobalInstant{Nanos(*first_on_all)};
  return totals;
}

}  // namespace tilewall
