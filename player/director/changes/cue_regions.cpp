#include "player/director/changes/cue_regions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "player/director/changes/region_view.hpp"
#include "player/director/changes/scene_change.hpp"
#include "sync/saturating.hpp"

namespace tilewall::director {
namespace {

using cues::CueState;
using cues::RegionState;
using cues::Transition;

Nanos nanos_of(double seconds) { return sync::saturating_nanos(seconds * 1e9); }

RectF all_of(SizePx canvas_px) {
  return {0, 0, static_cast<double>(canvas_px.width), static_cast<double>(canvas_px.height)};
}

const RegionState* find_state(const std::optional<CueState>& state, const std::string& name) {
  if (!state) return nullptr;
  const auto found = std::ranges::find(state->regions, name, &RegionState::name);
  return found == state->regions.end() ? nullptr : &*found;
}

bool is_same(const scene::Region& region, const std::string& name, const scene::SourceSpec& of) {
  return region.name == name && !region.leaves_at && *region.source == of;
}

sync::Timeline timeline_of(const cues::PlayState& play, bool is_live, GlobalInstant start) {
  sync::Timeline line;
  line.start = start;
  line.rate_fps = play.hold || is_live ? Rational{0, 1} : play.fps * play.speed;
  line.first_frame = play.first;
  line.end_frame = play.end;
  line.start_frame = play.start;
  line.direction = play.backwards ? -1 : 1;
  line.loop = play.loop;
  if (play.loop == sync::LoopMode::once || play.rounds == 0) return line;
  const std::int64_t frames = play.end - play.first;
  const bool there_and_back = play.loop == sync::LoopMode::ping_pong && frames > 1;
  const std::int64_t round = there_and_back ? 2 * (frames - 1) : frames;
  const std::int64_t rounds = std::min(play.rounds, sync::Timeline::max_frames / round - 1);
  line.tick_limit = rounds * round + (there_and_back ? 1 : 0);  // ends where it began
  return line;
}

/// A black region over the whole wall.
scene::Region make_black(SizePx canvas_px) {
  scene::SourceSpec source;
  source.kind = scene::SourceKind::pattern;
  source.path = "black";
  scene::Region region;
  region.name = black_region;
  region.canvas_px = all_of(canvas_px);
  region.source = std::make_shared<const scene::SourceSpec>(std::move(source));
  region.timeline.rate_fps = {0, 1};
  region.fit = scene::FitMode::stretch;
  region.owner = operator_name;
  return region;
}

bool is_black(const scene::Region& region) {
  return region.source->kind == scene::SourceKind::pattern && region.source->path == "black";
}

/// Whether one of the regions hides this part of the canvas.
bool is_hidden(const RectF& canvas_px, const std::vector<scene::Region>& by) {
  return std::ranges::any_of(by, [&](const scene::Region& above) {
    return above.blend == scene::BlendMode::over && above.opacity.to >= 1 && !above.clip_px &&
           intersection(canvas_px, above.canvas_px) == canvas_px;
  });
}

/// A name for a region that leaves, which no other region has.
std::string leaving_name(const std::string& name, const std::vector<scene::Region>& regions) {
  std::size_t end = std::min<std::size_t>(name.size(), 48);  // leaves room for what is added
  const auto is_within_letter = [&] {
    return end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80;
  };
  while (is_within_letter()) --end;
  for (int n = 1;; ++n) {
    std::string other = name.substr(0, end) + " (leaving " + std::to_string(n) + ")";
    if (std::ranges::find(regions, other, &scene::Region::name) == regions.end()) return other;
  }
}

/// Makes the regions of one change.
class CueRegions {
 public:
  CueRegions(const scene::Scene& before, const CueChange& to, GlobalInstant at)
      : before_(before), to_(to), at_(at) {
    // Sources are opened anew in other modes of the wall, so nothing can fade.
    const bool same_modes = before.bezels == to.after.bezels && before.content == to.after.content;
    kind_ = same_modes ? to.transition.kind : Transition::Kind::cut;
    const bool through_black = kind_ == Transition::Kind::through_black;
    fade_ = nanos_of(to.transition.seconds) / (through_black ? 2 : 1);
    appears_at_ = through_black ? at + fade_ : at;
  }

  std::vector<scene::Region> make() {
    for (const RegionState& state : to_.after.regions) add(state);
    if (to_.after.compare) compare(*to_.after.compare);
    if (to_.after.black) add_black();
    std::vector<scene::Region> all;
    std::vector<scene::Region> above;
    for (scene::Region& region : leaving()) (is_black(region) ? above : all).push_back(region);
    all.insert(all.end(), regions_.begin(), regions_.end());
    all.insert(all.end(), above.begin(), above.end());
    for (const scene::Region& region : before_.regions)
      if (region.owner != operator_name && all.size() < scene::max_regions) all.push_back(region);
    return all;
  }

 private:
  [[nodiscard]] const scene::Region* shown(const std::string& name,
                                           const scene::SourceSpec& source) const {
    const auto found = std::ranges::find_if(before_.regions, [&](const scene::Region& region) {
      return is_same(region, name, source);
    });
    return found == before_.regions.end() ? nullptr : &*found;
  }

  void add(const RegionState& state) {
    const scene::Region* const is_there = shown(state.name, *state.source);
    const RegionState* const known = find_state(to_.before, state.name);
    if (is_there != nullptr && known != nullptr && known->begun_by == state.begun_by)
      return regions_.push_back(gone_on(*is_there, state));
    // A region that begins anew with the same source does so in its place, because a decoder should
    // not be at two places of one movie.
    scene::Region& region = regions_.emplace_back(begun(state, is_there ? at_ : appears_at_));
    if (is_there != nullptr)
      region.source = is_there->source;
    else
      appear(region);
  }

  void add_black() {
    scene::Region black = make_black(to_.canvas_px);
    if (const scene::Region* const is_there = shown(black.name, *black.source))
      black = *is_there;
    else
      appear(black);
    black.timeline.start = at_;
    regions_.push_back(std::move(black));
  }

  void appear(scene::Region& region) const {
    if (kind_ != Transition::Kind::cut) region.opacity = {0, region.opacity.to, appears_at_, fade_};
  }

  void set_as_in(scene::Region& region, const RegionState& state) const {
    region.canvas_px = state.canvas_px.empty() ? all_of(to_.canvas_px) : state.canvas_px;
    region.clip_px.reset();
    region.fit = state.fit;
    region.opacity = scene::OpacityPath::at_rest(state.opacity);
    region.blend = state.blend;
    region.difference_gain = state.difference_gain;
    region.slate = state.slate;
    region.group = state.group;
    region.owner = operator_name;
  }

  [[nodiscard]] scene::Region begun(const RegionState& state, GlobalInstant start) const {
    scene::Region region;
    region.name = state.name;
    region.source = state.source;
    region.timeline = timeline_of(state.play, state.source->live, start);
    region.base_fps = state.play.fps;
    region.speed = state.play.speed;
    if (state.view_px) region.view = scene::ViewPath::at_rest(*state.view_px);
    region.look = state.look;
    set_as_in(region, state);
    return region;
  }

  /// The region that is on the wall, on its way to what the cue sets.
  [[nodiscard]] scene::Region gone_on(const scene::Region& before, const RegionState& state) const {
    scene::Region region = before;
    set_as_in(region, state);
    const Nanos glide = nanos_of(state.glide_s);
    const double opacity = before.opacity.at(at_);
    if (const Nanos fade = std::max(glide, fade_time());
        opacity != state.opacity && fade > Nanos(0))
      region.opacity = {opacity, state.opacity, at_, fade};
    if (before.source->kind == scene::SourceKind::volume)
      move_look(region, state, glide);
    else
      move_view(region, state, glide);
    return region;
  }

  [[nodiscard]] Nanos fade_time() const {
    return kind_ == Transition::Kind::cut ? Nanos(0) : fade_;
  }

  void move_look(scene::Region& region, const RegionState& state, Nanos glide) const {
    const scene::VolumeLook usual = scene::usual_look(*region.source, region.canvas_px);
    const scene::VolumeLook from = region.look.value_or(usual);
    const scene::VolumeLook to = state.look.value_or(usual);
    region.look =
        scene::VolumeLook{scene::CameraPath{from.camera.at(at_), to.camera.to, at_, glide},
                          scene::StylePath{from.style.at(at_), to.style.to, at_, glide}};
  }

  void move_view(scene::Region& region, const RegionState& state, Nanos glide) const {
    const RectF movie = movie_px(region.source->size_px, region);
    if (glide <= Nanos(0)) {
      region.view.reset();
      if (state.view_px) region.view = scene::ViewPath::at_rest(*state.view_px);
      return;
    }
    const RectF from = region_shaped(region, region.view ? region.view->at(at_) : movie);
    region.view =
        scene::ViewPath{from, region_shaped(region, state.view_px.value_or(movie)), at_, glide};
  }

  /// Puts a second movie beside the first region, in step with it.
  void compare(const cues::CompareSetting& setting) {
    if (!setting.mode || !setting.source || regions_.empty()) return;
    scene::Region first = regions_.front();
    scene::Region second = first;
    const std::string name(scene::compare_region);
    second.name = name;
    second.source = setting.source;
    second.base_fps = setting.source->fps;
    second.view.reset();
    second.look.reset();
    if (const scene::Region* const is_there = shown(name, *setting.source)) {
      second = *is_there;
    } else {
      sync::Timeline& line = second.timeline;
      const double ratio = second.base_fps.value() / first.base_fps.value();
      const auto scaled = [&](std::int64_t frame) -> std::int64_t {
        return std::llround(static_cast<double>(frame) * ratio);
      };
      line = first.timeline.restarted(std::max(at_, first.timeline.start));
      line.end_frame = std::clamp<std::int64_t>(scaled(line.end_frame), 1, second.source->frames);
      line.first_frame = std::min(scaled(line.first_frame), line.end_frame - 1);
      line.start_frame = std::clamp(scaled(line.start_frame), line.first_frame, line.end_frame - 1);
      if (!line.paused()) line.rate_fps = second.base_fps * first.speed;
    }
    scene::lay_out_comparison(first, second, *setting.mode, to_.canvas_px, setting.line);
    second.difference_gain = setting.gain;
    regions_.front() = std::move(first);
    regions_.insert(regions_.begin() + 1, std::move(second));
  }

  /// The regions that leave the wall with the transition.
  [[nodiscard]] std::vector<scene::Region> leaving() const {
    std::vector<scene::Region> leaving;
    if (kind_ == Transition::Kind::cut) return leaving;
    for (const scene::Region& before : before_.regions) {
      const bool stays = std::ranges::any_of(regions_, [&](const scene::Region& region) {
        return is_same(before, region.name, *region.source);
      });
      const bool is_full = leaving.size() + regions_.size() >= scene::max_regions;
      if (stays || before.owner != operator_name || !before.is_there(at_) || is_full) continue;
      if (before.leaves_at) {
        leaving.push_back(before);  // it is on its way already
        continue;
      }
      scene::Region gone = before;
      gone.name = leaving_name(before.name, leaving);
      gone.group.clear();
      gone.leaves_at = at_ + fade_;
      const bool hides = kind_ == Transition::Kind::fade && !is_black(before) &&
                         is_hidden(before.canvas_px, regions_);
      if (!hides) gone.opacity = {before.opacity.at(at_), 0, at_, fade_};
      leaving.push_back(std::move(gone));
    }
    return leaving;
  }

  const scene::Scene& before_;
  const CueChange& to_;
  const GlobalInstant at_;
  Transition::Kind kind_ = Transition::Kind::cut;
  Nanos fade_{0};             // how long regions take to appear or to leave
  GlobalInstant appears_at_;  // when new regions begin
  std::vector<scene::Region> regions_;
};

}  // namespace

std::vector<scene::Region> cue_regions(const scene::Scene& before, const CueChange& change,
                                       GlobalInstant at) {
  return CueRegions(before, change, at).make();
}

std::optional<GlobalInstant> movies_end(const std::vector<scene::Region>& regions) {
  std::optional<GlobalInstant> end;
  for (const scene::Region& region : regions) {
    const auto ticks = region.timeline.tick_count();
    if (region.leaves_at || !ticks || region.source->frames == 1) continue;
    const GlobalInstant last = region.timeline.due(*ticks);  // the last frame has its whole time
    end = std::max(end.value_or(last), last);
  }
  return end;
}

}  // namespace tilewall::director
