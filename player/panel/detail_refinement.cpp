#include "player/panel/detail_refinement.hpp"

#include <algorithm>
#include <utility>

namespace tilewall::panel {
void DetailRefinement::begin(const scene::Scene& scene, bool rejoins, GlobalInstant now) {
  joined_at_ = rejoins ? now : GlobalInstant{};
  joined_shown_ = rejoins && scene.detail_from && *scene.detail_from <= now;
  drop_deferred();
}

int DetailRefinement::stage_of(const scene::Scene& scene, std::int64_t tick) const {
  if (!scene.detail_from) return scene::whole_volumes.number;
  // A picture that stays is as old as its tick.
  return scene.volume_stage.at(std::max(scene.tick_grid.due(tick), joined_at_));
}

TickDetail DetailRefinement::detail_of(const scene::Scene& scene, std::int64_t tick,
                                       DrawPurpose purpose) const {
  const sync::TickGrid& tick_grid = scene.tick_grid;
  if (purpose == DrawPurpose::live) return {.awaits_best = true};
  const bool repairs = purpose == DrawPurpose::repair;
  // This waits even for a caster that rests after crashes: a still scene sends no other request.
  const int next_stage =
      scene.detail_from ? scene.volume_stage.next() : scene::whole_volumes.number;
  if (purpose == DrawPurpose::refine)
    return {.awaits_best = true, .refines = true, .most_stage = next_stage};
  // A wall without windows saves the final picture of each tick.
  const bool saves = saves_pictures_ && !tick_grid.paused();
  // Under late policy slow a tick waits for all panels, so each may take its time.
  if (!scene.detail_from || (saves && late_ == scene::LatePolicy::slow))
    return {.awaits_best = saves || repairs, .refines = repairs};
  const GlobalInstant from = *scene.detail_from;
  const bool is_shown = from < scene::never && (joined_shown_ || from <= tick_grid.due(tick));
  const int stage = stage_of(scene, tick);
  if (!is_shown) return {.refines = repairs, .defers = true, .most_stage = stage};
  return {.awaits_best = saves || nothing_follows(tick_grid, tick),
          .refines = repairs,
          .most_stage = stage};
}

bool DetailRefinement::note_drawn(const scene::Scene& scene, std::int64_t tick, DrawPurpose purpose,
                                  picture::DrawStatus status, bool better_comes) {
  const scene::DetailReport before = report();
  scene::DetailReport now{scene.epoch, scene::DetailState::none,
                          before.epoch == scene.epoch ? before.best_tick : 0};
  if (better_comes)
    now.best_tick = tick + 1;
  else if (purpose == DrawPurpose::refine)
    now.best_tick = tick;
  const bool is_finer_ready =
      purpose == DrawPurpose::refine ||
      (status == picture::DrawStatus::finer_available && !nothing_follows(scene.tick_grid, tick));
  if (scene.detail_from && is_finer_ready)
    now = {now.epoch, scene::DetailState::ready, now.best_tick,
           purpose == DrawPurpose::refine ? scene.volume_stage.next()
                                          : scene::VolumeStage{stage_of(scene, tick)}.next(),
           better_comes};
  else if (better_comes)
    now.state = scene::DetailState::coming;
  {
    const std::scoped_lock lock(mutex_);
    report_ = now;
  }
  const bool is_news = before.epoch != now.epoch || before.state != now.state ||
                       (now.state == scene::DetailState::ready && before.stage != now.stage);
  const bool ends_wait =
      now.state == scene::DetailState::ready ||
      (now.state == scene::DetailState::none && before.state == scene::DetailState::coming);
  return is_news && ends_wait;
}

void DetailRefinement::push(const scene::Scene& scene, const DecodedPicture& picture,
                            const RegionFrames& frames, DrawPurpose purpose) {
  if (purpose == DrawPurpose::refine && scene.detail_from)
    deferred_ = {picture, frames, scene.volume_stage.next()};
  else
    ring_.push(picture);
}

void DetailRefinement::push_deferred(const scene::Scene& scene, const RegionFrames& frames) {
  if (deferred_ && deferred_->frames != frames) drop_deferred();
  if (!deferred_ || *scene.detail_from >= scene::never) return;
  if (deferred_->stage > scene.volume_stage.number) return;
  DecodedPicture picture = std::exchange(deferred_, std::nullopt)->picture;
  picture.not_before = std::max({picture.not_before, *scene.detail_from, scene.volume_stage.from});
  ring_.push(picture);
}

void DetailRefinement::drop_deferred() {
  if (deferred_) ring_.drop(std::exchange(deferred_, std::nullopt)->picture.buffer);
}

}  // namespace tilewall::panel
