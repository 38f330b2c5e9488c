// In which style a region shows its volume, as a function of global time: at rest, or gliding from
// one style to another.
#pragma once

#include <memory>

#include "player/scene/volume_style.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

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

}  // namespace tilewall
