#include "sync/timeline/timeline.hpp"

#include <algorithm>

namespace tilewall::sync {

bool Timeline::well_formed() const noexcept {
  return TickGrid{start, rate_fps, tick_limit}.well_formed() && first_frame >= 0 &&
         end_frame > first_frame && end_frame <= max_frames && start_frame >= first_frame &&
         start_frame < end_frame && (direction == 1 || direction == -1);
}

std::optional<std::int64_t> Timeline::tick_count() const noexcept {
  if (paused()) return std::nullopt;
  if (loop != LoopMode::once) return tick_limit;
  const std::int64_t in_range =
      direction > 0 ? end_frame - start_frame : start_frame - first_frame + 1;
  return std::min(in_range, tick_limit.value_or(in_range));
}

Timeline::Place Timeline::place_of(std::int64_t tick) const noexcept {
  if (paused()) return {start_frame, direction};
  if (const auto count = tick_count()) tick = std::min(tick, *count - 1);
  if (loop == LoopMode::once) return {start_frame + direction * tick, direction};
  const std::int64_t length = end_frame - first_frame;
  const std::int64_t position = start_frame - first_frame;
  if (loop == LoopMode::loop) {
    const std::int64_t steps = tick % length;
    const std::int64_t moved =
        direction > 0 ? (position + steps) % length : (position - steps + length) % length;
    return {first_frame + moved, direction};
  }
  if (length == 1) return {first_frame, direction};
  // There and back is one way of 2 * (length - 1) steps, its second half backwards.
  const std::int64_t way = 2 * (length - 1);
  const std::int64_t begin = direction > 0 || position == 0 ? position : way - position;
  const std::int64_t on_way = (begin + tick % way) % way;
  return on_way < length - 1 ? Place{first_frame + on_way, 1}
                             : Place{first_frame + way - on_way, -1};
}

std::int64_t Timeline::frame_of(std::int64_t tick) const noexcept { return place_of(tick).frame; }

std::optional<std::int64_t> Timeline::first_tick_of(std::int64_t frame) const noexcept {
  if (frame < first_frame || frame >= end_frame) return std::nullopt;
  if (frame == start_frame) return 0;
  if (paused()) return std::nullopt;
  const std::int64_t last = end_frame - 1;
  std::int64_t tick = direction * (frame - start_frame);
  if (tick < 0) {  // the frame lies behind
    if (loop == LoopMode::once) return std::nullopt;
    const std::int64_t to_turn = direction > 0 ? last - start_frame : start_frame - first_frame;
    tick = loop == LoopMode::loop ? tick + (end_frame - first_frame) : 2 * to_turn - tick;
  }
  return tick < tick_count().value_or(tick + 1) ? std::optional(tick) : std::nullopt;
}

std::int64_t Timeline::frame_at(GlobalInstant at) const noexcept {
  return frame_of(tick_at(at).value_or(0));
}

Timeline Timeline::restarted(GlobalInstant at) const noexcept {
  Timeline line = *this;
  const auto tick = tick_at(at);
  const Place place = place_of(tick.value_or(0));
  line.start = at;
  line.start_frame = place.frame;
  line.direction = place.direction;
  if (tick_limit && !paused()) {
    // A tick that is due at `at` itself is the first one of the new schedule, not one before it.
    const std::int64_t before = tick ? *tick + (due(*tick) < at ? 1 : 0) : 0;
    line.tick_limit = std::max<std::int64_t>(*tick_limit - before, 1);
  }
  return line;
}

}  // namespace tilewall::sync
