// Which part of a movie a region shows, as a function of global time: at rest, or gliding from one
// view to another.
#pragma once

#include "sync/global_time.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// From `from_px` to `to_px` of the movie between `start` and `start + duration`. While the size
/// changes, one point of the picture stays where it is, and each instant enlarges by the same
/// factor; else the view moves evenly.
struct ViewPath {
  RectF from_px;
  RectF to_px;
  GlobalInstant start;
  Nanos duration{0};  ///< 0: `to_px` all the time

  bool operator==(const ViewPath&) const = default;

  [[nodiscard]] static ViewPath at_rest(const RectF& view_px) { return {view_px, view_px, {}, {}}; }

  [[nodiscard]] GlobalInstant end() const { return start + duration; }
  [[nodiscard]] RectF at(GlobalInstant instant) const;
};

}  // namespace tilewall
