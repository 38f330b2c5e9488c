#include "player/panel/tick_picture.hpp"

#include <algorithm>

namespace tilewall::panel {
namespace {

// All panels of the host see a picture within this time after its stamp.
constexpr std::chrono::milliseconds seen_within{10};
constexpr std::int64_t longest_lag_ticks = 256;  // the oldest picture that is still shown late
constexpr std::int64_t most_ahead_ticks = 32;    // no decoder has more pictures ahead

/// The first tick at which all panels can show the picture, by its stamp.
std::int64_t first_tick_of(const picture::ReadyPicture& picture, const sync::TickGrid& grid,
                           const ClockMapping& mapping) {
  const GlobalInstant can_be_shown = mapping.to_global(picture.since) + late_picture_margin;
  const auto before = grid.tick_at(can_be_shown - Nanos(1));
  return before ? *before + 1 : 0;
}

bool any_contains(std::span<const picture::ReadyPicture> pictures, std::int64_t frame) {
  return std::any_of(pictures.begin(), pictures.end(), [&](const picture::ReadyPicture& picture) {
    return frame >= picture.first && frame < picture.end;
  });
}

/// Whether a tick after `tick` shows the frame of the earlier tick `of` again, and is nearer. In a
/// loop, a picture that was decoded ahead for that tick also fits the turn before, and is not late.
bool comes_sooner(const FrameOfTick& frame_of, std::int64_t tick, std::int64_t of) {
  const std::int64_t frame = frame_of(of);
  const std::int64_t end = tick + std::min(tick - of, most_ahead_ticks);
  for (std::int64_t next = tick + 1; next < end; ++next)
    if (frame_of(next) == frame) return true;
  return false;
}

}  // namespace

GlobalInstant decision_instant(const sync::TickGrid& grid, std::int64_t tick) noexcept {
  return grid.due(tick) - late_picture_margin + seen_within;
}

std::optional<std::int64_t> shown_tick(const sync::TickGrid& grid, const FrameOfTick& frame_of,
                                       std::int64_t tick, LastShown last,
                                       std::span<const picture::ReadyPicture> pictures,
                                       const ClockMapping& mapping) {
  std::vector<picture::ReadyPicture> in_time;
  std::vector<picture::ReadyPicture> new_at_tick;
  for (const picture::ReadyPicture& picture : pictures) {
    const std::int64_t first_tick = first_tick_of(picture, grid, mapping);
    if (first_tick <= tick) in_time.push_back(picture);
    if (first_tick > last.tick && first_tick <= tick) new_at_tick.push_back(picture);
  }
  if (any_contains(in_time, frame_of(tick))) return tick;
  const std::int64_t oldest =
      std::max({std::int64_t{0}, tick - longest_lag_ticks, last.of_tick + 1});
  if (new_at_tick.empty()) return std::nullopt;
  for (std::int64_t of = tick - 1; of >= oldest; --of)
    if (any_contains(new_at_tick, frame_of(of)) && !comes_sooner(frame_of, tick, of)) return of;
  return std::nullopt;
}

std::optional<std::int64_t> joining_tick(const FrameOfTick& frame_of,
                                         std::span<const std::int64_t> ticks,
                                         std::span<const picture::ReadyPicture> pictures) {
  std::optional<std::int64_t> first;
  bool follows = false;
  for (const std::int64_t tick : ticks) {
    const bool is_there = any_contains(pictures, frame_of(tick));
    if (is_there && !follows) first = tick;
    follows = is_there;
  }
  return first;
}

std::int64_t still_shown_tick(const scene::Scene& scene, std::int64_t wanted,
                              GlobalInstant done) noexcept {
  std::int64_t tick = scene.next_shown(wanted);
  for (;;) {
    const std::int64_t next = scene.next_shown(tick + 1);
    const bool is_last = scene.tick_grid.count && tick >= *scene.tick_grid.count - 1;
    if (is_last || scene.tick_grid.due(next) > done) return tick;
    tick = next;
  }
}

}  // namespace tilewall::panel
