// SceneChange's commands about playing: pause, seek, speed, loops, ranges, groups, playlist items.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "player/director/changes/scene_change.hpp"
#include "sync/base/error.hpp"

namespace tilewall::director {
namespace {

constexpr double restart_item_s = 2;  // later in an item, "previous" goes to its own beginning

/// The frame of `to` at the same media time as `frame` of `from`.
std::int64_t same_time(std::int64_t frame, const scene::Region& from, const scene::Region& to) {
  if (from.base_fps == to.base_fps) return frame;
  return std::llround(static_cast<double>(frame) * to.base_fps.value() / from.base_fps.value());
}

/// The number of whole frames of `to` in the time of `frames` frames of `from`.
std::int64_t frames_until(std::int64_t frames, const scene::Region& from, const scene::Region& to) {
  if (from.base_fps == to.base_fps) return frames;
  const Rational ratio = to.base_fps * Rational{from.base_fps.den, from.base_fps.num};
  const __int128 passed = static_cast<__int128>(frames) * ratio.num / ratio.den;
  return static_cast<std::int64_t>(std::min<__int128>(passed, sync::Timeline::max_frames));
}

bool has_ended(const sync::Timeline& line, GlobalInstant at) {
  const auto count = line.tick_count();
  return count && line.tick_at(at).value_or(-1) >= *count - 1;
}

Rational within(Rational speed) {
  if (speed.value() < slowest_speed.value()) return slowest_speed;
  if (speed.value() > fastest_speed.value()) return fastest_speed;
  return speed;
}

std::int64_t frames_in(double seconds, Rational fps) {
  constexpr double longest = 1e15;  // frames; up to here a double holds every whole number
  const double frames = seconds * fps.value();
  if (!std::isfinite(frames))
    throw InputError({"seek"}, "seconds", "a number", fmt::format("{}", seconds));
  return std::llround(std::clamp(frames, -longest, longest));
}

void check_playlist(const scene::Region& region) {
  if (region.source->kind != scene::SourceKind::playlist)
    throw InputError({"region " + region.name}, "source", "a playlist", "a single movie");
}

}  // namespace

void SceneChange::restart_at(scene::Region& region, std::int64_t frame) const {
  region.timeline = region.timeline.restarted(at_);
  region.timeline.start_frame =
      std::clamp(frame, region.timeline.first_frame, region.timeline.end_frame - 1);
}

void SceneChange::set_rate(scene::Region& region, bool playing) const {
  // The timesteps of a live source follow from no clock.
  const bool ticks = playing && !region.source->live;
  region.timeline.rate_fps = ticks ? region.base_fps * region.speed : Rational{0, 1};
}

void SceneChange::play(const std::string& name) {
  for (scene::Region* one : group_of(name)) {
    scene::Region& region = *one;
    const bool ended = has_ended(region.timeline, at_);
    const std::int64_t first =
        region.timeline.direction > 0 ? region.timeline.first_frame : region.timeline.end_frame - 1;
    if (ended) region.timeline.tick_limit.reset();
    if (ended || region.timeline.paused()) restart_at(region, ended ? first : frame_of(region));
    set_rate(region, true);
  }
}

void SceneChange::pause(const std::string& name) {
  for (scene::Region* one : group_of(name)) {
    scene::Region& region = *one;
    restart_at(region, frame_of(region));
    set_rate(region, false);
  }
}

void SceneChange::toggle_pause(const std::string& name) {
  const sync::Timeline& line = region(name).timeline;
  line.paused() || has_ended(line, at_) ? play(name) : pause(name);
}

void SceneChange::seek_to(const std::string& name, std::int64_t frame) {
  const scene::Region wanted = region(name);
  const sync::Timeline& line = wanted.timeline;
  if (frame < line.first_frame || frame >= line.end_frame)
    throw InputError({"seek"}, "frame",
                     fmt::format("{} to {}", line.first_frame, line.end_frame - 1),
                     std::to_string(frame));
  for (scene::Region* region : group_of(name))
    restart_at(*region, same_time(frame, wanted, *region));
  sought_ = true;
}

void SceneChange::seek_by(const std::string& name, std::int64_t frames) {
  const scene::Region& wanted = region(name);
  const std::int64_t now = frame_of(wanted);
  const std::int64_t last = wanted.timeline.end_frame - 1;
  const std::int64_t first = wanted.timeline.first_frame;
  frames = std::clamp(frames, first - now, last - now);
  seek_to(name, now + frames);
}

void SceneChange::seek_to_seconds(const std::string& name, double seconds) {
  seek_to(name, frames_in(seconds, region(name).base_fps));
}

void SceneChange::seek_by_seconds(const std::string& name, double seconds) {
  seek_by(name, frames_in(seconds, region(name).base_fps));
}

void SceneChange::step_by(const std::string& name, std::int64_t frames) {
  const bool sought = sought_;
  pause(name);
  seek_by(name, frames);
  sought_ = sought;  // steps are no scrubbing: each is shown in full detail
}

void SceneChange::set_speed(const std::string& name, Rational speed) {
  const Rational size{std::abs(speed.num), speed.den};
  if (size.num == 0 || size.value() < slowest_speed.value() || size.value() > fastest_speed.value())
    throw InputError({"speed"}, "", "1/8 to 16, or -16 to -1/8", to_string(speed));
  for (scene::Region* one : group_of(name)) {
    scene::Region& region = *one;
    restart_at(region, frame_of(region));
    region.speed = size;
    region.timeline.direction = speed.num < 0 ? -1 : 1;
    if (!region.timeline.paused()) set_rate(region, true);
  }
}

void SceneChange::multiply_speed(const std::string& name, Rational by) {
  const scene::Region& wanted = region(name);
  const Rational speed = within(wanted.speed * by);
  set_speed(name, {speed.num * wanted.timeline.restarted(at_).direction, speed.den});
}

void SceneChange::reverse(const std::string& name) {
  for (scene::Region* one : group_of(name)) {
    scene::Region& region = *one;
    restart_at(region, frame_of(region));
    region.timeline.direction = -region.timeline.direction;
  }
}

void SceneChange::set_loop(const std::string& name, sync::LoopMode loop) {
  for (scene::Region* one : group_of(name)) {
    scene::Region& region = *one;
    restart_at(region, frame_of(region));
    region.timeline.loop = loop;
  }
}

void SceneChange::set_range(const std::string& name, std::optional<std::int64_t> first,
                            std::optional<std::int64_t> end) {
  const scene::Region wanted = region(name);
  const std::int64_t begin = first.value_or(0);
  const std::int64_t stop = end.value_or(wanted.source->frames);
  if (begin < 0 || begin >= stop || stop > wanted.source->frames)
    throw InputError({"range"}, "",
                     fmt::format("frames of 0 to {}, at least one", wanted.source->frames - 1),
                     fmt::format("{} to {}", begin, stop - 1));
  for (scene::Region* one : group_of(name)) {
    scene::Region& region = *one;
    const std::int64_t now = frame_of(region);
    const std::int64_t last = region.source->frames;
    region.timeline = region.timeline.restarted(at_);
    region.timeline.first_frame = std::min(same_time(begin, wanted, region), last - 1);
    region.timeline.end_frame =
        end ? std::clamp(same_time(stop, wanted, region), region.timeline.first_frame + 1, last)
            : last;
    region.timeline.start_frame =
        std::clamp(now, region.timeline.first_frame, region.timeline.end_frame - 1);
  }
}

void SceneChange::join_group(const std::string& name, const std::string& group) {
  constexpr std::size_t max_name_bytes = 64;
  if (group.size() > max_name_bytes)
    throw InputError({"region"}, "group", "64 bytes at most", std::to_string(group.size()));
  scene::Region& joined = edit(name);
  joined.group = group;
  if (group.empty()) return;
  for (const scene::Region& other : draft_.regions) {
    if (&other == &joined || other.group != group) continue;
    const std::int64_t last = joined.source->frames;
    const auto same = [&](std::int64_t frame) { return same_time(frame, other, joined); };
    joined.speed = other.speed;
    joined.timeline = other.timeline;
    // The joined region ends with the last tick that is due up to the other's last one.
    if (const auto limit = other.timeline.tick_limit)
      joined.timeline.tick_limit = frames_until(*limit - 1, other, joined) + 1;
    joined.timeline.first_frame = std::min(same(other.timeline.first_frame), last - 1);
    joined.timeline.end_frame =
        std::clamp(same(other.timeline.end_frame), joined.timeline.first_frame + 1, last);
    joined.timeline.start_frame =
        std::clamp(same(other.timeline.start_frame), joined.timeline.first_frame,
                   joined.timeline.end_frame - 1);
    set_rate(joined, !other.timeline.paused());
    return;
  }
}

void SceneChange::go_to_item(const std::string& name, std::int64_t item) {
  const scene::Region& wanted = region(name);
  check_playlist(wanted);
  const auto& items = wanted.source->items;
  if (item < 0 || static_cast<std::size_t>(item) >= items.size())
    throw InputError({"goto"}, "item", fmt::format("0 to {}", items.size() - 1),
                     std::to_string(item));
  seek_to(name, items[static_cast<std::size_t>(item)].start);
}

void SceneChange::go_to_item_named(const std::string& name, std::string_view item_name) {
  const scene::Region& wanted = region(name);
  check_playlist(wanted);
  go_to_item(name, static_cast<std::int64_t>(scene::item_named(*wanted.source, item_name)));
}

void SceneChange::skip_items(const std::string& name, int by) {
  const scene::Region& wanted = region(name);
  check_playlist(wanted);
  const std::int64_t frame = frame_of(wanted);
  const auto& items = wanted.source->items;
  auto item = static_cast<std::int64_t>(scene::item_at(*wanted.source, frame));
  const std::int64_t into = frame - items[static_cast<std::size_t>(item)].start;
  const bool to_its_start =
      by < 0 && static_cast<double>(into) > restart_item_s * wanted.base_fps.value();
  item += to_its_start ? 0 : by;
  go_to_item(name, std::clamp<std::int64_t>(item, 0, static_cast<std::int64_t>(items.size()) - 1));
}

}  // namespace tilewall::director
