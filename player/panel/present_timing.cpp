#include "player/panel/present_timing.hpp"

#include <algorithm>

#include "sync/pacing/commit_pacer.hpp"

namespace tilewall::panel {
namespace {

// A presenting thread stays awake for 2 % of a core at most. Up to 66 pictures a second that is all
// of AwakeTime::longest.
constexpr int awake_divisor = 50;

}  // namespace

std::optional<GlobalInstant> PresentTiming::due_of(const DecodedPicture& picture,
                                                   const scene::Scene& scene) {
  const bool newest = picture.epoch == scene.epoch;
  const sync::TickGrid& tick_grid = (newest || !shown_scene_ ? scene : *shown_scene_).tick_grid;
  const GlobalInstant due = tick_grid.due(picture.tick);
  if (late_ != scene::LatePolicy::slow || tick_grid.paused())
    return std::max(due, picture.not_before);
  const auto delay = gate_.delay_of(picture.epoch, picture.tick);
  return delay ? std::optional(std::max(due + *delay, picture.not_before)) : std::nullopt;
}

bool PresentTiming::is_outdated(const DecodedPicture& picture, const scene::Scene& scene) {
  // All panels leave out the same ticks of the current scene.
  if (picture.epoch >= scene.epoch)
    return picture.epoch == scene.epoch && !scene.shows(picture.tick);
  // Pictures of the scene before are shown until the new one takes effect.
  if (!shown_scene_ || shown_scene_->epoch != picture.epoch) return true;
  const auto due = due_of(picture, *shown_scene_);
  return !due || *due >= scene.since;
}

bool PresentTiming::is_overtaken(const DecodedPicture& picture,
                                 const std::optional<DecodedPicture>& following,
                                 const scene::Scene& scene, GlobalInstant now) {
  if (picture.epoch < scene.epoch || late_ == scene::LatePolicy::slow) return false;
  if (!following || following->epoch != picture.epoch) return false;
  const auto due = due_of(*following, scene);
  return due && *due <= now;
}

bool PresentTiming::is_late(std::int64_t tick, Nanos lateness) const {
  return !shown_scene_->tick_grid.paused() && lateness > shown_scene_->shown_period(tick) / 2;
}

Nanos PresentTiming::most_awake() const {
  const sync::TickGrid& tick_grid = shown_scene_->tick_grid;
  return tick_grid.paused() ? sync::AwakeTime::longest : tick_grid.period() / awake_divisor;
}

scene::LateCause late_cause(const DecodedPicture& picture, LocalInstant due) noexcept {
  if (picture.is_stale) return scene::LateCause::decoder;
  return picture.ready_at > due ? scene::LateCause::decode : scene::LateCause::swap;
}

}  // namespace tilewall::panel
