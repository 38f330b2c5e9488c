#include "player/director/show_control.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall {

ShowControl::ShowControl(Scene scene)
    : scene_(std::move(scene)), playing_rate_(timeline().rate_fps) {}

void ShowControl::start(GlobalInstant at) {
  ++scene_.version;
  scene_.regions.front().timeline.start = at;
}

std::int64_t ShowControl::frame_at(GlobalInstant at, Nanos delay) const {
  const Timeline& now = timeline();
  return now.frame_of(now.tick_at(at - delay).value_or(0));
}

Timeline& ShowControl::restart(std::int64_t frame, GlobalInstant at, Nanos delay) {
  Timeline& line = scene_.regions.front().timeline;
  if (line.tick_limit && !line.paused()) {
    const std::int64_t passed = line.tick_at(at - delay).value_or(-1) + 1;
    line.tick_limit = std::max<std::int64_t>(*line.tick_limit - passed, 1);
  }
  ++scene_.version;
  ++scene_.schedule;
  line.start = at;
  line.start_frame = std::clamp(frame, line.first_frame, line.end_frame - 1);
  return line;
}

void ShowControl::toggle_pause(GlobalInstant at, Nanos delay) {
  const bool was_paused = timeline().paused();
  restart(frame_at(at, delay), at, delay).rate_fps = was_paused ? playing_rate_ : Rational{0, 1};
}

void ShowControl::seek_to(std::int64_t frame, GlobalInstant at, Nanos delay) {
  restart(frame, at, delay);
}

void ShowControl::seek_by(std::int64_t frames, GlobalInstant at, Nanos delay) {
  restart(frame_at(at, delay) + frames, at, delay);
}

void ShowControl::seek_by_seconds(int seconds, GlobalInstant at, Nanos delay) {
  seek_by(std::llround(seconds * playing_rate_.value()), at, delay);
}

void ShowControl::step_by(std::int64_t frames, GlobalInstant at, Nanos delay) {
  restart(frame_at(at, delay) + frames, at, delay).rate_fps = {0, 1};
}

bool ShowControl::stands_still(GlobalInstant at, Nanos delay) const {
  if (timeline().paused()) return true;
  const auto count = timeline().tick_count();
  return count && timeline().tick_at(at - delay).value_or(-1) >= *count - 1;
}

void ShowControl::toggle_overlay(GlobalInstant at, Nanos delay) {
  if (stands_still(at, delay))
    restart(frame_at(at, delay), at, delay);
  else
    ++scene_.version;
  scene_.overlay = {!scene_.overlay.shown, at};
}

void ShowControl::toggle_loop(GlobalInstant at, Nanos delay) {
  Timeline& line = restart(frame_at(at, delay), at, delay);
  line.loop = line.loop == LoopMode::loop ? LoopMode::once : LoopMode::loop;
}

}  // namespace tilewall
