#include "player/panel/tick_scheduler.hpp"

#include <algorithm>

#include "player/panel/tick_picture.hpp"

namespace tilewall::panel {

void TickScheduler::begin(std::int64_t first) noexcept {
  next_ = first;
  is_behind_ = false;
  has_drawn_ = false;
}

void TickScheduler::join_late(const scene::Scene& scene, GlobalInstant done) {
  next_ = next_tick(scene, next_, done);
  is_behind_ = true;
}

std::int64_t TickScheduler::choose(const scene::Scene& scene, GlobalInstant done) {
  const std::int64_t tick = next_tick(scene, next_, done);
  is_behind_ = is_behind_ || (has_drawn_ && left_out(scene, tick) > 0);
  return tick;
}

std::int64_t TickScheduler::left_out(const scene::Scene& scene, std::int64_t tick) const {
  return scene.decimation.ticks.count(next_, tick);
}

void TickScheduler::finish(std::int64_t tick, TickPicture picture) noexcept {
  next_ = picture == TickPicture::interrupted ? tick : tick + 1;
}

void TickScheduler::note_drawn() noexcept {
  is_behind_ = false;
  has_drawn_ = true;
}

std::int64_t TickScheduler::next_tick(const scene::Scene& scene, std::int64_t wanted,
                                      GlobalInstant done) const {
  const sync::TickGrid& grid = scene.tick_grid;
  if (grid.count && wanted >= *grid.count) return wanted;
  if (!drops(grid)) return scene.next_shown(wanted);
  // Where the wall leaves out ticks together, a late picture is still the newest one on the wall.
  if (scene.decimation.ticks.every_at(scene.next_shown(wanted)) > 1)
    return still_shown_tick(scene, wanted, done);
  const auto behind = grid.tick_at(done - grid.period() / 2);  // the newest tick that is too late
  const std::int64_t in_time = behind ? std::max(wanted, *behind + 1) : wanted;
  return scene.next_shown(grid.count ? std::min(in_time, *grid.count - 1) : in_time);
}

bool TickScheduler::drops(const sync::TickGrid& grid) const noexcept {
  return late_ != scene::LatePolicy::slow && !grid.paused() && grid.start < scene::never;
}

bool TickScheduler::is_past(const sync::TickGrid& grid, std::int64_t tick) noexcept {
  return grid.paused() ? tick >= 1 : grid.count && tick >= *grid.count;
}

bool TickScheduler::is_far(const sync::TickGrid& grid, std::int64_t tick,
                           GlobalInstant now) noexcept {
  if (grid.paused() || grid.start >= scene::never) return false;
  return grid.due(tick) > now + scene::longest_drawn_ahead;
}

}  // namespace tilewall::panel
