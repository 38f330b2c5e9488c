#include "player/director/lateness/release_plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilewall::director {

ReleasePlan::ReleasePlan(std::size_t panels) : members_(panels) {}

void ReleasePlan::start(std::uint64_t epoch, const sync::TickGrid& grid) {
  grid_ = grid;
  if (epoch == epoch_) return;  // the same scene, now with its start instant
  epoch_ = epoch;
  released_end_ = 0;
  again_from_ = no_tick;
  delay_ = Nanos(0);
  for (Member& member : members_) member.ready_end = 0;
}

void ReleasePlan::ready(std::size_t panel, std::uint64_t epoch, std::int64_t tick) {
  if (epoch != epoch_) return;
  Member& member = members_.at(panel);
  member.ready_end = std::max(member.ready_end, tick + 1);
  member.present |= member.ready_end >= released_end_;  // a stalled panel has caught up
}

void ReleasePlan::leave(std::size_t panel) { members_.at(panel) = {}; }

std::int64_t ReleasePlan::join(std::size_t panel) {
  members_.at(panel) = {true, released_end_};
  return released_end_;
}

std::int64_t ReleasePlan::rejoin(std::size_t panel, const scene::PanelStanding& standing) {
  if (standing.epoch != epoch_) return join(panel);
  const std::int64_t before = released_end_;
  released_end_ = std::max(before, standing.released_end);
  delay_ = std::max(delay_, Nanos(standing.delay_ns));
  members_.at(panel) = {true, standing.ready_end};
  const std::int64_t behind = std::min(before, standing.released_end);
  if (before > 0 && behind < released_end_) again_from_ = std::min(again_from_, behind);
  return 0;
}

std::optional<scene::Release> ReleasePlan::release(GlobalInstant now, Nanos lead) {
  std::int64_t ready_end = std::numeric_limits<std::int64_t>::max();
  bool anyone = false;
  for (const Member& member : members_) {
    if (!member.present) continue;
    anyone = true;
    ready_end = std::min(ready_end, member.ready_end);
  }
  if (!anyone || grid_.start >= scene::never) return std::nullopt;
  scene::Release release{epoch_, {}};
  for (std::int64_t tick = std::exchange(again_from_, no_tick); tick < released_end_; ++tick)
    release.ticks.push_back({tick, delay_.count()});
  if (ready_end <= released_end_)
    return release.ticks.empty() ? std::nullopt : std::optional(std::move(release));
  for (; released_end_ < ready_end; ++released_end_) {
    // A release takes `lead` to reach the panels. A tick that it would miss moves later, and all
    // later ones with it, so the wall slows down and skips nothing.
    const GlobalInstant due = grid_.due(released_end_) + delay_;
    if (due < now + lead) delay_ += (now + lead) - due;
    release.ticks.push_back({released_end_, delay_.count()});
  }
  return release;
}

bool ReleasePlan::overdue(GlobalInstant now) const {
  const auto count = grid_.count;
  return !grid_.paused() && (!count || released_end_ < *count) &&
         now - delay_ >= grid_.due(released_end_);
}

std::optional<std::size_t> ReleasePlan::slowest(GlobalInstant now) const {
  if (!overdue(now)) return std::nullopt;
  std::optional<std::size_t> slowest;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].present && members_[i].ready_end <= released_end_ &&
        (!slowest || members_[i].ready_end < members_[*slowest].ready_end))
      slowest = i;
  return slowest;
}

}  // namespace tilewall::director
