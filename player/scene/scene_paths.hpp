// How a region's view, camera and style move, as functions of global time: at rest, or gliding
// from one to another.
#pragma once

#include <memory>

#include "player/scene/volume_style.hpp"
#include "render/volume/orbit.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {

// Which part of a movie a region shows, as a function of global time: at rest, or gliding from one
// view to another.

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

// From where a region shows its volume, as a function of global time: at rest, or gliding from one
// camera to another.

/// From `from` to `to` between `start` and `start + duration`, as between() goes.
struct CameraPath {
  render::VolumeCamera from;
  render::VolumeCamera to;
  GlobalInstant start;
  Nanos duration{0};  ///< 0: `to` all the time

  bool operator==(const CameraPath&) const = default;

  [[nodiscard]] static CameraPath at_rest(const render::VolumeCamera& camera) {
    return {camera, camera, {}, {}};
  }

  [[nodiscard]] GlobalInstant end() const { return start + duration; }
  [[nodiscard]] render::VolumeCamera at(GlobalInstant instant) const {
    if (instant >= end()) return to;
    if (instant <= start) return from;
    return render::between(
        from, to,
        static_cast<double>((instant - start).count()) / static_cast<double>(duration.count()));
  }
};

// In which style a region shows its volume, as a function of global time: at rest, or gliding from
// one style to another.

/// What the styles differ in by numbers, `share` of the way: opacity and window by equal factors in
/// equal times, light (none is but ambient), level, isosurface, range, clip box, background
/// and, where both have points in the same terms, the transfer function at every value evenly. All
/// else is `to`'s. 0 < share < 1.
[[nodiscard]] VolumeStyle blended(const VolumeStyle& from, const VolumeStyle& to, double share);

/// From `from` to `to` between `start` and `start + duration`.
struct StylePath {
  std::shared_ptr<const VolumeStyle> from;  ///< never null
  std::shared_ptr<const VolumeStyle> to;    ///< never null
  GlobalInstant start;
  Nanos duration{0};  ///< 0: `to` all the time

  [[nodiscard]] static StylePath at_rest(std::shared_ptr<const VolumeStyle> style) {
    return {style, style, {}, {}};
  }

  [[nodiscard]] GlobalInstant end() const { return start + duration; }
  /// The same pointer for as long as it rests.
  [[nodiscard]] std::shared_ptr<const VolumeStyle> at(GlobalInstant instant) const;
};

}  // namespace tilewall::scene
