// A region's view, opacity, camera and style as functions of global time: at rest, or gliding from
// one to another.
#pragma once

#include <memory>

#include "player/scene/volume_style.hpp"
#include "render/volume/orbit.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {

// The part of a movie that a region shows, as a function of global time: at rest, or gliding from
// one view to another.

/// Glides from `from_px` to `to_px` of the movie between `start` and `start + duration`. While the
/// size changes, one point of the picture stays where it is, and equal times enlarge by equal
/// factors; otherwise the view moves evenly.
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

// The opacity of a region as a function of global time: at rest, or fading from one to another.

/// Fades evenly from `from` to `to`, both 0..1, between `start` and `start + duration`.
struct OpacityPath {
  double from = 1;
  double to = 1;
  GlobalInstant start;
  Nanos duration{0};  ///< 0: `to` all the time

  bool operator==(const OpacityPath&) const = default;

  [[nodiscard]] static OpacityPath at_rest(double opacity) { return {opacity, opacity, {}, {}}; }

  [[nodiscard]] GlobalInstant end() const { return start + duration; }
  [[nodiscard]] double at(GlobalInstant instant) const;
};

// The camera of a region's volume as a function of global time: at rest, or gliding from one camera
// to another.

/// Glides from `from` to `to` between `start` and `start + duration`, on the path of between().
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

// The style of a region's volume as a function of global time: at rest, or gliding from one style
// to another.

/// A style between two others, `share` of the way. Opacity and window change by equal factors in
/// equal times. Light (none counts as ambient only), level, isosurface, range, clip box and
/// background change evenly, as does the transfer function at every value, where both have points
/// in the same terms. Everything else is that of `to`. @pre 0 < share < 1
[[nodiscard]] VolumeStyle blended(const VolumeStyle& from, const VolumeStyle& to, double share);

/// Glides from `from` to `to` between `start` and `start + duration`.
struct StylePath {
  std::shared_ptr<const VolumeStyle> from;  ///< never null
  std::shared_ptr<const VolumeStyle> to;    ///< never null
  GlobalInstant start;
  Nanos duration{0};  ///< 0: `to` all the time

  [[nodiscard]] static StylePath at_rest(std::shared_ptr<const VolumeStyle> style) {
    return {style, style, {}, {}};
  }

  [[nodiscard]] GlobalInstant end() const { return start + duration; }
  /// The style at an instant. The pointer stays the same while the style rests.
  [[nodiscard]] std::shared_ptr<const VolumeStyle> at(GlobalInstant instant) const;
};

}  // namespace tilewall::scene
