#include "player/director/changes/scene_change.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "player/scene/tick_grid_plan.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr int most_drawn_ahead = 12;  // shown ticks; more than a panel's ring holds
constexpr Nanos hint_time = std::chrono::milliseconds(1500);

}  // namespace

SceneChange::SceneChange(const scene::Scene& before, GlobalInstant at, Nanos delay)
    : draft_(before), at_(at), delay_(delay) {
  // Under late policy slow the wall is `delay` behind its timelines. Shifted by it they give the
  // frame on the wall at at_, from which a seek or a pause goes on.
  for (scene::Region& region : draft_.regions)
    region.timeline.start = region.timeline.start + delay_;
  if (draft_.hint && draft_.hint->until <= at_) draft_.hint.reset();
}

std::size_t SceneChange::index_of(const std::string& name) const {
  if (name.empty()) return 0;
  for (std::size_t i = 0; i < draft_.regions.size(); ++i)
    if (draft_.regions[i].name == name) return i;
  std::string names;
  for (const scene::Region& region : draft_.regions)
    names += (names.empty() ? "" : ", ") + region.name;
  throw InputError({"region"}, "", fmt::format("one of {}", names), '"' + name + '"');
}

const scene::Region& SceneChange::region(const std::string& name) const {
  return draft_.regions[index_of(name)];
}

scene::Region& SceneChange::edit(const std::string& name) {
  pictures_change_ = true;
  return draft_.regions[index_of(name)];
}

std::vector<scene::Region*> SceneChange::group_of(const std::string& name) {
  scene::Region& wanted = edit(name);
  std::vector<scene::Region*> group = {&wanted};
  for (scene::Region& region : draft_.regions)
    if (&region != &wanted && !wanted.group.empty() && region.group == wanted.group)
      group.push_back(&region);
  return group;
}

std::int64_t SceneChange::frame_of(const scene::Region& region) const {
  return region.timeline.frame_at(at_);
}

scene::SourcePtr SceneChange::shown_source(const scene::Region& region) const {
  return scene::resolve_frame(region.source, frame_of(region)).source;
}

void SceneChange::check_owner(const std::string& name, const std::string& who) const {
  const scene::Region& wanted = region(name);
  if (who != operator_name && who != wanted.owner)
    throw InputError({"region " + wanted.name}, "owner", wanted.owner, '"' + who + '"');
}

// --- flight paths

void SceneChange::order_keyframe(KeyframeOrder order) {
  if (!keeps_path_)
    throw InputError({"keyframe"}, "", "a show that keeps a flight path, as `view` does",
                     "another show");
  if (!shows_volume(""))
    throw InputError({"keyframe"}, "", "a volume on the wall", "another source");
  keyframe_orders_.push_back(order);
}

// --- the whole wall

void SceneChange::set_canvas(wall::BezelMode bezels, wall::ContentMode content, SizePx from_px,
                             SizePx to_px) {
  const double across = static_cast<double>(to_px.width) / from_px.width;
  const double down = static_cast<double>(to_px.height) / from_px.height;
  const auto scaled = [&](const RectF& rect) {
    return RectF{rect.x * across, rect.y * down, rect.width * across, rect.height * down};
  };
  for (scene::Region& region : draft_.regions) {
    region.canvas_px = scaled(region.canvas_px);
    if (region.clip_px) region.clip_px = scaled(*region.clip_px);
  }
  draft_.bezels = bezels;
  draft_.content = content;
  pictures_change_ = true;
}

void SceneChange::set_blank(bool blank) {
  pictures_change_ |= draft_.blank != blank;
  draft_.blank = blank;
}

void SceneChange::arm(std::string cue) {
  if (draft_.cue) draft_.cue->armed = std::move(cue);
}

void SceneChange::panic() {
  pictures_change_ |= !draft_.panic;
  draft_.panic = true;
}

void SceneChange::resume() {
  pictures_change_ |= draft_.panic || draft_.frozen_at;
  draft_.panic = false;
  draft_.frozen_at.reset();
}

void SceneChange::set_frozen(bool frozen) {
  if (frozen == draft_.frozen_at.has_value()) return;
  pictures_change_ = true;
  draft_.frozen_at.reset();
  if (frozen) draft_.frozen_at = at_;
}

void SceneChange::go_to(const CueChange& change) {
  draft_.regions = cue_regions(draft_, change, at_);
  draft_.bezels = change.after.bezels;
  draft_.content = change.after.content;
  draft_.audio_gain = change.after.volume;
  draft_.muted = change.after.muted;
  draft_.frozen_at.reset();
  draft_.cue = change.position;
  draft_.cue->since = at_;
  for (const scene::Region& region : draft_.regions)
    if (const auto settles = region.look ? region.look->glides_until() : std::nullopt)
      note_look(*settles);
  pictures_change_ = true;
}

void SceneChange::set_coarser_by(int levels) {
  pictures_change_ |= draft_.coarser_by != levels;
  draft_.coarser_by = levels;
}

void SceneChange::show_details() {
  const sync::TickGrid& tick_grid = draft_.tick_grid;
  const bool ended = tick_grid.count && tick_grid.tick_at(at_).value_or(-1) >= *tick_grid.count - 1;
  GlobalInstant& from = draft_.volume_stage.from;
  draft_.volume_stage = {draft_.volume_stage.next(), at_};
  const auto settle = [&] {
    if (draft_.detail_from == scene::never) draft_.detail_from = from;
  };
  if (tick_grid.paused() || ended) return settle();
  std::int64_t tick = draft_.next_shown(tick_grid.first_tick_from(at_));
  for (int i = 0; i < most_drawn_ahead && tick_grid.due(tick) <= at_ + scene::longest_drawn_ahead;
       ++i)
    tick = draft_.next_shown(tick + 1);
  from = tick_grid.due(tick);
  settle();
}

/// The epoch stays while pictures change. A scene that stands still is shown anew.
void SceneChange::toggle_overlay() {
  draft_.overlay = {!draft_.overlay.shown, at_};
  pictures_change_ |= stands_still();
}

void SceneChange::set_hints(bool on) {
  // Panels keep no copy of a picture while hints are off, so a still picture is drawn again.
  pictures_change_ |= on && !draft_.hints && stands_still();
  draft_.hints = on;
  if (!on) draft_.hint.reset();
  if (!on) draft_.progress = {};
}

/// Panels lay the hint over the present picture, so the epoch stays.
void SceneChange::show_hint(std::string text) {
  if (!text.empty() && !draft_.is_black())
    draft_.hint = scene::Hint{std::move(text), at_, at_ + hint_time};
}

void SceneChange::show_again() { pictures_change_ |= stands_still(); }

/// Whether no tick comes after at_, or none has come before it.
bool SceneChange::stands_still() const {
  const auto tick = draft_.tick_grid.tick_at(at_);
  return !tick || draft_.tick_grid.paused() ||
         (draft_.tick_grid.count && *tick >= *draft_.tick_grid.count - 1);
}

void SceneChange::set_audio_gain(double gain) {
  if (!(gain >= 0 && gain <= max_audio_gain))
    throw InputError({"volume"}, "", "0 to 2", fmt::format("{}", gain));
  draft_.audio_gain = gain;
}

void SceneChange::set_muted(bool muted) { draft_.muted = muted; }

scene::Scene SceneChange::finish() const {
  scene::Scene scene = draft_;
  ++scene.version;
  // Without new pictures the epoch goes on, and so does its delay: the shift is taken back.
  if (!pictures_change_) {
    for (scene::Region& region : scene.regions)
      region.timeline.start = region.timeline.start - delay_;
    return scene;
  }
  ++scene.epoch;
  scene.since = at_;
  scene.tick_grid = scene.frozen_at ? sync::TickGrid{at_, {0, 1}, std::nullopt}
                                    : scene::plan_tick_grid(scene.regions, at_);
  return scene;
}

}  // namespace tilewall::director
