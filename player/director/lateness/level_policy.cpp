#include "player/director/lateness/level_policy.hpp"

#include <algorithm>

namespace tilewall::director {
namespace {

constexpr std::chrono::seconds window{1};
constexpr std::uint64_t most_late = 3;  // late frames of a panel in the window
// A change takes effect after some 100 ms, and panels report five times a second.
constexpr std::chrono::milliseconds settle_time{600};
constexpr std::uint64_t enough_pictures = 4;
constexpr double margin = 0.7;      // share of the period that the finer level may take
constexpr double largest_cost = 8;  // a larger cost has other causes, which pass
constexpr double unknown_cost = 4;  // a level has four times the pixels of the one below
constexpr Nanos longest_quiet = std::chrono::seconds(60);
constexpr std::chrono::seconds proof_time{10};  // a climb that lasted so long has held
constexpr int most_levels = 8;
// While ticks are left out, a coarser level has to need less than this share of the time at the
// finer one. Otherwise other work delays the pictures, and less detail does not help.
constexpr double least_gain = 0.8;

}  // namespace

std::uint64_t LevelPolicy::PanelFigures::late_frames() const {
  std::uint64_t sum = 0;
  for (const LateReport& one : late) sum += one.frames;
  return sum;
}

void LevelPolicy::take(std::size_t panel, const LevelReport& report, LocalInstant now) {
  PanelFigures& figures = panels_.at(panel);
  figures.is_there = true;
  figures.pace = report.pace;
  figures.drawn_level = report.drawn_level;
  const bool settled = now >= changed_at_ + settle_time;  // earlier reports are of the old level
  if (settled && report.late_frames > 0) figures.late.push_back({now, report.late_frames});
}

void LevelPolicy::forget_old(LocalInstant now) {
  for (PanelFigures& panel : panels_)
    std::erase_if(panel.late, [&](const LateReport& one) { return one.at + window <= now; });
}

bool LevelPolicy::has_pace(const PanelFigures& panel) const {
  return panel.pace.coarser_by == level_ && panel.pace.pictures >= enough_pictures;
}

std::optional<Nanos> LevelPolicy::slowest() const {
  std::optional<Nanos> slowest;
  for (const PanelFigures& panel : panels_) {
    if (!panel.is_there) continue;
    if (!has_pace(panel)) return std::nullopt;
    slowest = std::max(slowest.value_or(Nanos(0)), Nanos(panel.pace.mean_ns));
  }
  return slowest;
}

std::optional<std::size_t> LevelPolicy::overtaxed(Nanos period, bool is_decimated) const {
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const PanelFigures& panel = panels_[i];
    const std::uint64_t late = panel.late_frames();
    const bool too_slow = has_pace(panel) && Nanos(panel.pace.mean_ns) > period;
    if (late > most_late || (too_slow && (late > 0 || is_decimated))) return i;
  }
  return std::nullopt;
}

bool LevelPolicy::drew_coarser() const {
  for (std::size_t i = 0; i < panels_.size(); ++i)
    if (panels_[i].drawn_level > drawn_before_[i]) return true;
  return false;
}

bool LevelPolicy::finer_fits(Nanos period) const {
  const auto mean = slowest();
  if (!mean) return false;
  const auto known = finer_cost_.find(level_);
  const double times = known != finer_cost_.end() ? known->second : unknown_cost;
  return times * static_cast<double>(mean->count()) <= margin * static_cast<double>(period.count());
}

LevelStep LevelPolicy::change(int level, LocalInstant now) {
  level_ = level;
  changed_at_ = now;
  quiet_since_ = now;
  for (PanelFigures& panel : panels_) panel.late.clear();
  return {level, std::nullopt, false};
}

std::optional<LevelStep> LevelPolicy::judge(Nanos mean, LocalInstant now, bool is_decimated) {
  untried_ = false;
  const bool is_no_help =
      is_decimated && slowest_before_ && as_double(mean) > least_gain * as_double(*slowest_before_);
  // Less detail that makes pictures hardly faster is of no use: other work delays them. The wall
  // goes back, and tries no coarser level for a minute.
  if (is_no_help) {
    no_deeper_until_ = now + longest_quiet;
    return change(level_ - 1, now);
  }
  // The ratio of the times at both levels is what the finer one will cost again (finer_fits).
  if (slowest_before_ && mean > Nanos(0))
    finer_cost_[level_] = std::min(as_double(*slowest_before_) / as_double(mean), largest_cost);
  // If no panel drew from a coarser level, the sources do not have one.
  if (drew_coarser()) return std::nullopt;
  deepest_ = level_ - 1;
  LevelStep back = change(level_ - 1, now);
  back.no_coarser = true;
  return back;
}

std::optional<LevelStep> LevelPolicy::go_down(std::size_t panel, LocalInstant now) {
  if (level_ >= deepest_.value_or(most_levels) || now < no_deeper_until_) return std::nullopt;
  // A climb that did not last doubles the quiet time before the next one. Otherwise the detail of a
  // wall at its limit would change every few seconds.
  const bool climb_failed = now < climbed_at_ + proof_time;
  quiet_needed_ = climb_failed ? std::min(quiet_needed_ * 2, longest_quiet) : shortest_quiet;
  slowest_before_ = slowest();
  drawn_before_.clear();
  for (const PanelFigures& one : panels_) drawn_before_.push_back(one.drawn_level);
  untried_ = true;
  LevelStep down = change(level_ + 1, now);
  down.panel = panel;
  return down;
}

std::optional<LevelStep> LevelPolicy::step(LocalInstant now, Nanos period, bool is_decimated) {
  forget_old(now);
  if (period <= Nanos(0) || now < changed_at_ + settle_time) return std::nullopt;
  if (untried_) {
    const auto mean = slowest();
    if (!mean) return std::nullopt;
    if (const auto back = judge(*mean, now, is_decimated)) return back;
  }
  if (const auto panel = overtaxed(period, is_decimated)) {
    quiet_since_ = now;
    return go_down(*panel, now);
  }
  // The quiet time counts only while the finer level would fit.
  if (level_ == 0 || is_decimated || !finer_fits(period)) quiet_since_ = now;
  if (now < quiet_since_ + quiet_needed_ || level_ == 0) return std::nullopt;
  climbed_at_ = now;
  return change(level_ - 1, now);
}

}  // namespace tilewall::director
