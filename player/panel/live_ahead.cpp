#include "player/panel/live_ahead.hpp"

#include <algorithm>
#include <utility>

namespace tilewall::panel {
namespace {

bool is_pending(const scene::LiveStep& step) noexcept {
  return step.next != scene::no_timestep && step.from >= scene::never;
}

}  // namespace

bool LiveAhead::is_in(const scene::Scene& scene) noexcept {
  return std::ranges::any_of(scene.regions,
                             [](const scene::Region& region) { return region.source->live; });
}

void LiveAhead::begin_epoch() {
  drop();
  told_.clear();
  shown_.clear();
  shown_from_ = {Nanos::min()};
}

void LiveAhead::drop() {
  if (kept_) ring_.drop(std::exchange(kept_, std::nullopt)->picture.buffer);
}

void LiveAhead::drop_unwanted(const scene::Scene& scene) {
  const std::optional<Wanted> next = wanted(scene);
  if (kept_ && kept_->frames != (next ? next->frames : frames(scene, scene::never))) drop();
}

GlobalInstant LiveAhead::newest_instant() const noexcept {
  GlobalInstant newest{Nanos::min()};
  for (const scene::LiveStep& step : *steps_)
    newest = std::max(newest, step.from < scene::never ? step.from : step.since);
  return newest;
}

std::optional<LiveAhead::Wanted> LiveAhead::wanted(const scene::Scene& scene) const {
  if (!is_in(scene) || shown_.empty()) return std::nullopt;
  const GlobalInstant from = newest_instant();
  RegionFrames settled = frames(scene, from);
  if (settled != shown_) return Wanted{std::move(settled), from};
  RegionFrames ahead = frames(scene, scene::never);
  if (has(ahead) && told_ == *steps_) return std::nullopt;
  return Wanted{std::move(ahead), scene::never};
}

void LiveAhead::settle(const Wanted& wanted) {
  if (wanted.from >= scene::never) return tell_drawn();
  Kept shown = *std::exchange(kept_, std::nullopt);
  shown.picture.not_before = wanted.from;
  shown_ = shown.frames;
  shown_from_ = wanted.from;
  ring_.push(shown.picture);
}

void LiveAhead::tell_drawn() {
  if (told_ == *steps_) return;
  for (const scene::LiveStep& step : *steps_)
    if (is_pending(step) && std::ranges::find(told_, step) == told_.end())
      tell_drawn_({step.source, step.number});
  told_ = *steps_;
}

}  // namespace tilewall::panel
