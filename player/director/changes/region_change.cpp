// SceneChange's commands about regions: adding, removing, placing, growing movies, comparisons.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "player/director/changes/scene_change.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr std::size_t max_name_bytes = 64;
constexpr double farthest_edge_px = 1e6;

void check_rect(const RectF& rect, const char* field) {
  bool bounded = true;
  for (const double value : {rect.x, rect.y, rect.width, rect.height})
    bounded &= std::abs(value) <= farthest_edge_px;  // false for NaN
  if (!bounded || rect.width < 1 || rect.height < 1)
    throw InputError({"region"}, field, "X,Y,W,H in canvas pixels, at least 1x1",
                     fmt::format("{:g},{:g},{:g},{:g}", rect.x, rect.y, rect.width, rect.height));
}

void check_name(const std::string& name) {
  if (name.empty() || name.size() > max_name_bytes)
    throw InputError({"region"}, "name", "1 to 64 bytes", std::to_string(name.size()));
}

/// The number of frames of the first region in which both movies have a picture.
std::int64_t shared_frames(const scene::Region& first, const scene::Region& second) {
  const double ratio = first.base_fps.value() / second.base_fps.value();
  const double frames = static_cast<double>(second.source->frames) * ratio;
  return std::clamp<std::int64_t>(std::llround(frames), 1, first.source->frames);
}

scene::Region playing(const std::string& name, scene::SourcePtr source) {
  scene::Region region;
  region.name = name;
  region.base_fps = source->fps;
  region.timeline.rate_fps = source->fps;
  region.timeline.end_frame = source->frames;
  region.timeline.loop = sync::LoopMode::loop;
  region.owner = operator_name;
  region.source = std::move(source);
  return region;
}

}  // namespace

void SceneChange::add_region(scene::Region region) {
  check_name(region.name);
  check_rect(region.canvas_px, "canvas_px");
  if (region.clip_px) check_rect(*region.clip_px, "clip_px");
  const auto same = [&](const scene::Region& other) { return other.name == region.name; };
  if (std::any_of(draft_.regions.begin(), draft_.regions.end(), same))
    throw InputError({"region"}, "name", "one that is not taken", '"' + region.name + '"');
  if (draft_.regions.size() >= scene::max_regions)
    throw InputError({"region"}, "", fmt::format("{} at most", scene::max_regions), "more");
  region.timeline.start = at_;
  if (region.source->live) set_rate(region, false);
  draft_.regions.push_back(std::move(region));
  pictures_change_ = true;
}

void SceneChange::remove_region(const std::string& name) {
  const std::size_t index = index_of(name);
  if (draft_.regions.size() == 1)
    throw InputError({"region " + draft_.regions[index].name}, "", "another one beside it", "none");
  draft_.regions.erase(draft_.regions.begin() + static_cast<std::ptrdiff_t>(index));
  pictures_change_ = true;
}

void SceneChange::set_source(const std::string& name, scene::SourcePtr source) {
  scene::Region& region = edit(name);
  const bool paused = region.timeline.paused();
  region.timeline = sync::Timeline{at_, {0, 1}, 0, source->frames, 0, 1, region.timeline.loop, {}};
  region.base_fps = source->fps;
  region.source = std::move(source);
  region.slate.clear();
  region.view.reset();
  region.look.reset();
  set_rate(region, !paused);
}

bool plays_into_growth(const scene::Region& region) noexcept {
  const sync::Timeline& line = region.timeline;
  const bool is_limited = line.tick_limit && line.tick_count() == line.tick_limit;
  return region.source->growing && line.end_frame == region.source->frames && line.direction > 0 &&
         line.loop == sync::LoopMode::once && !line.paused() && !is_limited;
}

/// Continues a loop whose end has moved: from its present frame, with its ticks at the same
/// instants.
void go_on_longer(sync::Timeline& line, const sync::Timeline& before, GlobalInstant at) {
  const auto tick = before.tick_at(at);
  const sync::Timeline there = before.restarted(tick ? before.due(*tick) : at);
  line.start = there.start;
  line.start_frame = std::clamp(there.start_frame, line.first_frame, line.end_frame - 1);
  line.direction = there.direction;
  if (tick && line.tick_limit)
    line.tick_limit = std::max<std::int64_t>(*line.tick_limit - *tick, 1);
}

void SceneChange::grow(const scene::SourcePtr& before, const scene::SourcePtr& now) {
  for (scene::Region& region : draft_.regions) {
    if (region.source != before) continue;
    pictures_change_ = true;
    const sync::Timeline line = region.timeline;
    const bool goes_on = plays_into_growth(region);
    region.source = now;
    if (line.end_frame != before->frames && line.end_frame <= now->frames) continue;
    region.timeline.end_frame = now->frames;
    region.timeline.first_frame = std::min(line.first_frame, now->frames - 1);
    if (line.loop != sync::LoopMode::once && !line.paused()) {
      go_on_longer(region.timeline, line, at_);
    } else if (!goes_on || now->frames < before->frames) {
      restart_at(region, line.frame_at(at_));
    } else if (const auto last = *line.tick_count() - 1; line.due(last) <= at_) {
      // The region waits at its old last frame. It goes on with the first new one.
      restart_at(region, line.end_frame);
      region.timeline.start = std::max(at_, line.due(last) + line.period());
    }
  }
}

void SceneChange::place(const std::string& name, const RectF& canvas_px) {
  check_rect(canvas_px, "canvas_px");
  edit(name).canvas_px = canvas_px;
}

void SceneChange::clip(const std::string& name, std::optional<RectF> canvas_px) {
  if (canvas_px) check_rect(*canvas_px, "clip_px");
  edit(name).clip_px = canvas_px;
}

void SceneChange::set_opacity(const std::string& name, double opacity) {
  if (!(opacity >= 0 && opacity <= 1))
    throw InputError({"region"}, "opacity", "0 to 1", fmt::format("{}", opacity));
  edit(name).opacity = scene::OpacityPath::at_rest(opacity);
}

void SceneChange::set_blend(const std::string& name, scene::BlendMode blend) {
  edit(name).blend = blend;
}

void SceneChange::set_difference_gain(const std::string& name, double gain) {
  if (!(gain >= 1 && gain <= scene::max_difference_gain))
    throw InputError({"region"}, "gain", fmt::format("1 to {:g}", scene::max_difference_gain),
                     fmt::format("{:g}", gain));
  edit(name).difference_gain = gain;
}

void SceneChange::set_owner(const std::string& name, const std::string& owner) {
  if (owner.empty() || owner.size() > max_name_bytes)
    throw InputError({"region"}, "owner", fmt::format("1 to {} bytes", max_name_bytes),
                     std::to_string(owner.size()));
  draft_.regions[index_of(name)].owner = owner;  // no picture changes
}

void SceneChange::restack(const std::string& name, std::size_t place) {
  const std::size_t from = index_of(name);
  if (place >= draft_.regions.size())
    throw InputError({"region"}, "place", fmt::format("0 to {}", draft_.regions.size() - 1),
                     std::to_string(place));
  scene::Region moved = std::move(draft_.regions[from]);
  draft_.regions.erase(draft_.regions.begin() + static_cast<std::ptrdiff_t>(from));
  draft_.regions.insert(draft_.regions.begin() + static_cast<std::ptrdiff_t>(place),
                        std::move(moved));
  pictures_change_ = true;
}

void SceneChange::compare(scene::CompareMode mode, scene::SourcePtr source, SizePx canvas_px,
                          double line) {
  const std::string name(scene::compare_region);
  const auto is_second = [&](const scene::Region& region) { return region.name == name; };
  const bool there = std::any_of(draft_.regions.begin(), draft_.regions.end(), is_second);
  if (!there && !source) throw InputError({"compare"}, "source", "a second movie", "none");
  if (source && there) remove_region(name);
  const bool is_new = source != nullptr;
  if (is_new) {
    scene::Region second = playing(name, std::move(source));
    second.canvas_px = draft_.regions.front().canvas_px;
    add_region(std::move(second));
  }
  scene::lay_out_comparison(draft_.regions.front(), edit(name), mode, canvas_px, line);
  if (!is_new) return;
  set_range("", std::nullopt, shared_frames(draft_.regions.front(), edit(name)));
  join_group(name, name);
}

void SceneChange::move_swipe_line(double x_px) {
  if (!scene::swipe_line_px(draft_))
    throw InputError({"compare"}, "mode", "swipe", "another or none");
  scene::set_swipe_line(edit(std::string(scene::compare_region)), x_px);
}

void SceneChange::end_compare(SizePx canvas_px) {
  remove_region(std::string(scene::compare_region));
  scene::end_comparison(draft_.regions.front(), canvas_px);
  set_range("", std::nullopt, std::nullopt);
}

}  // namespace tilewall::director
