// From where a region shows its volume, as a function of global time: at rest, or gliding from one
// camera to another.
#pragma once

#include "render/volume/orbit.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

/// From `from` to `to` between `start` and `start + duration`, as between() goes.
struct CameraPath {
  VolumeCamera from;
  VolumeCamera to;
  GlobalInstant start;
  Nanos duration{0};  ///< 0: `to` all the time

  bool operator==(const CameraPath&) const = default;

  [[nodiscard]] static CameraPath at_rest(const VolumeCamera& camera) {
    return {camera, camera, {}, {}};
  }

  [[nodiscard]] GlobalInstant end() const { return start + duration; }
  [[nodiscard]] VolumeCamera at(GlobalInstant instant) const {
    if (instant >= end()) return to;
    if (instant <= start) return from;
    return between(
        from, to,
        static_cast<double>((instant - start).count()) / static_cast<double>(duration.count()));
  }
};

}  // namespace tilewall
