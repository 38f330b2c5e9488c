// The frames of a timeline on a grid of ticks: what is shown where pictures are shown at instants
// that need not be the timeline's own.
#pragma once

#include "sync/timeline/timeline.hpp"

namespace tilewall {

struct FrameTicks {
  TickGrid grid;
  Timeline frames;

  /// @pre tick >= 0
  [[nodiscard]] std::int64_t frame_of(std::int64_t tick) const noexcept {
    return frames.frame_at(grid.due(tick));
  }
};

/// A timeline on its own ticks.
[[nodiscard]] inline FrameTicks own_ticks(const Timeline& timeline) noexcept {
  return {timeline.ticks(), timeline};
}

}  // namespace tilewall
