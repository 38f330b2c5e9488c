#include "player/director/cues/cue_revision.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/changes/cue_regions.hpp"
#include "player/director/changes/region_view.hpp"
#include "player/director/changes/scene_change.hpp"
#include "player/scene/compare.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

using cues::CompareSetting;
using cues::PlayState;
using cues::RegionEntry;
using cues::RegionSetting;
using cues::RegionState;

/// One change of a region, twice.
struct RegionRevision {
  RegionEntry entry;
  RegionSetting setting;
  bool changes = false;
};

RectF whole_canvas(SizePx canvas_px) {
  return {0, 0, static_cast<double>(canvas_px.width), static_cast<double>(canvas_px.height)};
}

/// Whether the region belongs to cues. A comparison and black are no regions of theirs.
bool is_of_cues(const scene::Region& region) {
  return region.owner == operator_name && !region.leaves_at && region.name != black_region &&
         region.name != scene::compare_region;
}

cues::Looping looping_of(sync::LoopMode mode) {
  switch (mode) {
    case sync::LoopMode::once:
      return cues::Looping::once;
    case sync::LoopMode::loop:
      return cues::Looping::loop;
    case sync::LoopMode::ping_pong:
      return cues::Looping::ping_pong;
  }
  return cues::Looping::once;
}

/// How a region's timeline runs now. `known` has what a timeline does not tell.
PlayState play_of(const scene::Region& region, const PlayState& known, GlobalInstant now) {
  const sync::Timeline& line = region.timeline;
  PlayState play = known;
  play.first = line.first_frame;
  play.end = line.end_frame;
  play.loop = line.loop;
  if (play.loop != known.loop) play.rounds = 0;
  play.fps = region.base_fps;
  play.speed = region.speed;
  if (line.loop != sync::LoopMode::ping_pong) play.backwards = line.direction < 0;
  play.hold = line.paused() && !region.source->live;
  const bool differs = play != known;
  // A range that begins anew starts where it was started, if that is within it.
  if (play.hold)
    play.start = line.frame_at(now);
  else if (differs)
    play.start = std::clamp(known.start, play.first, play.end - 1);
  return play;
}

bool has_timeline(const scene::Region& region) {
  return region.source->frames > 1 && region.source->kind != scene::SourceKind::pattern;
}

struct Look {
  render::VolumeCamera camera;
  scene::VolumeStyle style;
  bool operator==(const Look&) const = default;
};

std::optional<Look> look_at_rest(const std::optional<scene::VolumeLook>& look) {
  if (!look) return std::nullopt;
  return Look{look->camera.to, *look->style.to};
}

/// Collects what differs between a region of the wall and of the cue.
class RegionDifference {
 public:
  RegionDifference(const scene::Region& region, const RegionState& state, SizePx canvas_px)
      : region_(region), state_(state), canvas_px_(canvas_px) {
    made_.entry.name = made_.setting.name = region.name;
  }

  RegionRevision take(GlobalInstant now) {
    compare_place();
    compare_mixing();
    if (region_.source->kind == scene::SourceKind::volume)
      compare_look();
    else
      compare_view();
    if (has_timeline(region_)) compare_play(now);
    return std::move(made_);
  }

  /// The same for a region, or a source, that the cue does not have.
  RegionRevision take_all(GlobalInstant now) {
    const scene::SourceSpec& source = *region_.source;
    if (source.named.inputs.empty())
      throw InputError({"cue update"}, "region " + region_.name,
                       "a source that a show file can name", "one whose input is not known");
    made_.entry.inputs = source.named.inputs;
    made_.entry.volume = source.named.options;
    made_.setting.source = region_.source;
    set_place();
    set_all_mixing();
    set_play(play_of(region_, PlayState{}, now));
    if (source.kind == scene::SourceKind::volume)
      compare_look();
    else
      compare_view();
    return std::move(made_);
  }

 private:
  void compare_place() {
    const RectF place = state_.canvas_px.empty() ? whole_canvas(canvas_px_) : state_.canvas_px;
    if (region_.canvas_px != place) set_place();
  }

  void set_place() {
    cues::Place place;
    place.rect = region_.canvas_px;
    made_.entry.place = place;
    made_.setting.canvas_px = region_.canvas_px;
    made_.changes = true;
  }

  void compare_mixing() {
    const bool is_same = region_.fit == state_.fit && region_.opacity.to == state_.opacity &&
                         region_.blend == state_.blend &&
                         region_.difference_gain == state_.difference_gain &&
                         region_.group == state_.group;
    if (!is_same) set_mixing();
  }

  void set_mixing() {
    made_.changes = true;
    if (region_.fit != state_.fit) {
      made_.entry.fit = scene::to_string(region_.fit);
      made_.setting.fit = region_.fit;
    }
    if (region_.opacity.to != state_.opacity)
      made_.entry.opacity = made_.setting.opacity = region_.opacity.to;
    if (region_.blend != state_.blend) {
      made_.entry.blend = scene::to_string(region_.blend);
      made_.setting.blend = region_.blend;
    }
    if (region_.difference_gain != state_.difference_gain)
      made_.entry.difference_gain = made_.setting.difference_gain = region_.difference_gain;
    if (region_.group != state_.group) made_.entry.group = made_.setting.group = region_.group;
  }

  /// The mixing of the cue's region of that name stays where an input changes, so all of it is set.
  void set_all_mixing() {
    made_.entry.fit = scene::to_string(region_.fit);
    made_.setting.fit = region_.fit;
    made_.entry.opacity = made_.setting.opacity = region_.opacity.to;
    made_.entry.blend = scene::to_string(region_.blend);
    made_.setting.blend = region_.blend;
    made_.entry.difference_gain = made_.setting.difference_gain = region_.difference_gain;
    made_.entry.group = made_.setting.group = region_.group;
  }

  void compare_view() {
    const RectF whole = movie_px(region_.source->size_px, region_);
    const RectF view = region_.view ? region_.view->to_px : whole;
    const RectF known = state_.view_px.value_or(whole);
    // A view that has glided has the region's shape.
    if (view == known || view == region_shaped(region_, known)) return;
    made_.entry.view_px = made_.setting.view_px = view;
    made_.changes = true;
  }

  void compare_look() {
    const auto look = look_at_rest(region_.look);
    if (!look || look == look_at_rest(state_.look)) return;
    made_.setting.look = scene::VolumeLook{scene::CameraPath::at_rest(look->camera),
                                           scene::StylePath::at_rest(region_.look->style.to)};
    const nlohmann::json json = {{"camera", scene::to_json(look->camera)},
                                 {"style", scene::to_json(look->style)}};
    made_.entry.volume["look"] = json.dump();
    made_.changes = true;
  }

  void compare_play(GlobalInstant now) {
    PlayState play = play_of(region_, state_.play, now);
    // A movie that is being written, and has grown, is played to its end as before.
    if (play.end == region_.source->frames && state_.play.end == state_.source->frames)
      play.end = state_.play.end;
    if (play != state_.play) set_play(play);
  }

  void set_play(const PlayState& play) {
    made_.setting.play = play;
    made_.changes = true;
    if (!has_timeline(region_)) return;
    RegionEntry& entry = made_.entry;
    entry.start = play.start;
    entry.in = play.first;
    entry.out = play.end - 1;
    entry.loop = looping_of(play.loop);
    if (play.rounds > 0) entry.rounds = play.rounds;
    entry.fps = play.fps;
    entry.speed = Rational{play.backwards ? -play.speed.num : play.speed.num, play.speed.den};
    entry.hold = play.hold;
  }

  const scene::Region& region_;
  const RegionState& state_;
  const SizePx canvas_px_;
  RegionRevision made_;
};

/// Whether both are the same input. A movie that is being written grows.
bool is_same_input(const scene::SourceSpec& a, const scene::SourceSpec& b) {
  scene::SourceSpec grown = a;
  grown.frames = b.frames;
  grown.growing = b.growing;
  grown.audio = b.audio;
  return grown == b;
}

const RegionState* state_named(const cues::CueState& state, const std::string& name) {
  const auto found = std::ranges::find(state.regions, name, &RegionState::name);
  return found == state.regions.end() ? nullptr : &*found;
}

/// The comparison on the wall, as a cue would set it.
std::optional<CompareSetting> comparison_on(const scene::Scene& wall, SizePx canvas_px) {
  const auto second = std::ranges::find(wall.regions, scene::compare_region, &scene::Region::name);
  if (second == wall.regions.end() || second->leaves_at) return std::nullopt;
  CompareSetting setting;
  setting.source = second->source;
  setting.mode = scene::CompareMode::side_by_side;
  if (second->blend == scene::BlendMode::difference) {
    setting.mode = scene::CompareMode::difference;
    setting.gain = second->difference_gain;
  } else if (const auto line = scene::swipe_line_px(wall)) {
    setting.mode = scene::CompareMode::swipe;
    setting.line = *line / canvas_px.width;
  }
  return setting;
}

bool is_same(const CompareSetting& a, const CompareSetting& b, SizePx canvas_px) {
  if (a.mode != b.mode || !is_same_input(*a.source, *b.source)) return false;
  if (a.mode == scene::CompareMode::difference) return a.gain == b.gain;
  return a.mode != scene::CompareMode::swipe || std::abs(a.line - b.line) * canvas_px.width < 1;
}

void compare_comparisons(const cues::CueState& state, const scene::Scene& wall, SizePx canvas_px,
                         cues::Revision& revision) {
  const auto shown = comparison_on(wall, canvas_px);
  if (!shown && !state.compare) return;
  if (shown && state.compare && is_same(*shown, *state.compare, canvas_px)) return;
  cues::CompareEntry entry;
  entry.mode = "off";
  if (shown) {
    entry.mode = scene::compare_mode_names[static_cast<std::size_t>(*shown->mode)];
    if (shown->source->named.inputs.size() != 1)
      throw InputError({"cue update"}, "compare", "a movie that a show file can name",
                       "one whose input is not known");
    entry.input = shown->source->named.inputs.front();
    if (shown->mode == scene::CompareMode::swipe) entry.line = shown->line;
    if (shown->mode == scene::CompareMode::difference) entry.gain = shown->gain;
  }
  revision.entry.compare = entry;
  revision.cue.compare = shown.value_or(CompareSetting{});
}

}  // namespace

std::optional<cues::Revision> revision_of(const ResolvedCue& cue, const scene::Scene& wall,
                                          SizePx canvas_px, GlobalInstant now) {
  cues::Revision revision;
  revision.entry.name = revision.cue.name = cue.name;
  const cues::CueState& state = cue.state;
  const auto set = [](auto& entry, auto& setting, const auto& now_it_is, const auto& was) {
    if (now_it_is != was) entry = setting = now_it_is;
  };
  const bool has_black =
      std::ranges::find(wall.regions, black_region, &scene::Region::name) != wall.regions.end();
  set(revision.entry.black, revision.cue.black, wall.blank || (state.black && has_black),
      state.black);
  set(revision.entry.volume, revision.cue.volume, wall.audio_gain, state.volume);
  set(revision.entry.mute, revision.cue.mute, wall.muted, state.muted);
  if (wall.bezels != state.bezels) {
    revision.entry.bezels = wall.bezels == wall::BezelMode::hide ? "hide" : "show";
    revision.cue.bezels = wall.bezels;
  }
  if (wall.content != state.content) {
    revision.entry.content = std::string(wall::to_string(wall.content));
    revision.cue.content = wall.content;
  }
  compare_comparisons(state, wall, canvas_px, revision);
  const auto add = [&](RegionRevision made) {
    if (!made.changes) return;
    revision.entry.regions.push_back(std::move(made.entry));
    revision.cue.regions.push_back(std::move(made.setting));
  };
  const bool is_compared = comparison_on(wall, canvas_px).has_value();
  const auto first = std::ranges::find_if(wall.regions, is_of_cues);  // the compared one
  for (const scene::Region& region : wall.regions) {
    if (!is_of_cues(region)) continue;
    const RegionState* const known = state_named(state, region.name);
    const RegionState plain;
    if (known == nullptr || !is_same_input(*known->source, *region.source)) {
      add(RegionDifference(region, plain, canvas_px).take_all(now));
      continue;
    }
    RegionState as_shown = *known;
    if (is_compared && &region == &*first) {
      // A comparison has laid the region out in its own way.
      as_shown.canvas_px = region.canvas_px;
      as_shown.fit = region.fit;
      as_shown.group = region.group;
    }
    add(RegionDifference(region, as_shown, canvas_px).take(now));
  }
  for (const RegionState& known : state.regions) {
    const auto region = std::ranges::find(wall.regions, known.name, &scene::Region::name);
    if (region != wall.regions.end() && is_of_cues(*region)) continue;
    RegionRevision gone;
    gone.entry.name = gone.setting.name = known.name;
    gone.entry.remove = gone.setting.removed = gone.changes = true;
    add(std::move(gone));
  }
  cues::CueEntry unchanged;
  unchanged.name = cue.name;
  return revision.entry == unchanged ? std::nullopt : std::optional(std::move(revision));
}

}  // namespace tilewall::director
