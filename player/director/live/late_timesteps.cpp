#include "player/director/live/late_timesteps.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilewall::director {
namespace {

// Panels report several times a second, so that older timesteps than these are known of all panels.
constexpr std::size_t max_timesteps = 32;

}  // namespace

bool LateTimesteps::Timestep::has(std::size_t panel) const {
  return std::ranges::find(marks, panel, &PanelMark::panel) != marks.end();
}

bool LateTimesteps::Timestep::was_shown_by(std::size_t panel) const {
  const auto mark = std::ranges::find(marks, panel, &PanelMark::panel);
  return mark != marks.end() && mark->mark != Mark::left_out;
}

bool LateTimesteps::Timestep::is_shown() const {
  return std::ranges::find(marks, Mark::shown, &PanelMark::mark) != marks.end();
}

bool LateTimesteps::Timestep::is_late(const PanelMark& mark) const {
  return mark.mark == Mark::left_out ||
         (mark.mark == Mark::shown && mark.stamp_ns - first_ns > late_limit.count());
}

void LateTimesteps::add(std::size_t panel, std::int64_t frame, std::int64_t stamp_ns) {
  Panel& reports = panels_.at(panel);
  if (std::exchange(reports.frame, frame) == frame) return;
  const bool is_first = !reports.from_ns;
  Position timestep = find(panel, frame, is_first);
  const bool is_new = timestep == timesteps_.end();
  const bool is_forgotten = is_new && forgotten_until_ns_ && stamp_ns <= *forgotten_until_ns_;
  if (is_new && !is_forgotten) timestep = insert(frame, stamp_ns);
  if (is_first) reports.from_ns = is_forgotten ? stamp_ns : timestep->first_ns;
  if (is_forgotten) return;
  if (timestep->was_shown_by(panel)) return;  // a panel that came back shows what it showed before
  mark(*timestep, {panel, is_first ? Mark::not_judged : Mark::shown, stamp_ns});
  for (Position before = timesteps_.begin(); before != timestep; ++before)
    mark_left_out(*before, panel);
  if (is_new)
    for (Position after = std::next(timestep); after != timesteps_.end(); ++after)
      for (const PanelMark& other : after->marks) mark_left_out(*timestep, other.panel);
  if (timesteps_.size() <= max_timesteps) return;
  forgotten_until_ns_ = timesteps_.front().first_ns;
  timesteps_.pop_front();
}

LateTimesteps::Position LateTimesteps::find(std::size_t panel, std::int64_t frame, bool is_first) {
  const auto last = std::find_if(timesteps_.rbegin(), timesteps_.rend(), [&](const Timestep& one) {
    return !is_first && one.was_shown_by(panel);
  });
  const Position after = std::ranges::find(last.base(), timesteps_.end(), frame, &Timestep::frame);
  if (!is_first && after != timesteps_.end()) return after;
  const auto newest =
      std::find_if(timesteps_.rbegin(), timesteps_.rend(), [&](const Timestep& one) {
        return one.frame == frame && (is_first || !one.was_shown_by(panel));
      });
  return newest == timesteps_.rend() ? timesteps_.end() : std::prev(newest.base());
}

LateTimesteps::Position LateTimesteps::insert(std::int64_t frame, std::int64_t stamp_ns) {
  const auto behind = std::ranges::upper_bound(timesteps_, stamp_ns, {}, &Timestep::first_ns);
  return timesteps_.insert(behind, {frame, stamp_ns, {}});
}

void LateTimesteps::mark(Timestep& timestep, const PanelMark& mark) {
  count(timestep, -1);
  std::erase_if(timestep.marks, [&](const PanelMark& one) { return one.panel == mark.panel; });
  if (mark.mark == Mark::shown)
    timestep.first_ns =
        timestep.is_shown() ? std::min(timestep.first_ns, mark.stamp_ns) : mark.stamp_ns;
  timestep.marks.push_back(mark);
  count(timestep, 1);
}

void LateTimesteps::mark_left_out(Timestep& timestep, std::size_t panel) {
  const auto& from_ns = panels_.at(panel).from_ns;
  const bool was_there = from_ns && *from_ns < timestep.first_ns;
  if (was_there && timestep.is_shown() && !timestep.has(panel))
    mark(timestep, {panel, Mark::left_out, 0});
}

void LateTimesteps::count(const Timestep& timestep, std::int64_t sign) {
  bool is_late = false;
  for (const PanelMark& one : timestep.marks) {
    if (!timestep.is_late(one)) continue;
    is_late = true;
    by_panel_[one.panel] += sign;
  }
  if (is_late) count_ += sign;
}

}  // namespace tilewall::director
