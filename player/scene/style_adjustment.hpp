// Small steps from one style to the next: what a key at the wall, and `ctl adjust`, does to the
// style of a volume. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "player/scene/volume_style.hpp"

namespace tilewall::scene {

enum class StyleAdjustment {
  transfer,  ///< so many named transfer functions on, or back; after the last comes the first
  mode,      ///< so many of CastMode's on, or back, likewise
  opacity,   ///< times so much
  window,    ///< times as wide a range of values
  level,     ///< that range up, by this share of itself
  iso,       ///< the isosurface's value up, by this share of the range
  x_min,     ///< the clip box's side up, by this share of the volume's
  x_max,     ///< likewise, as the next ones
  y_min,
  y_max,
  z_min,
  z_max,
  lit,          ///< on, or off
  annotations,  ///< all of them on, or off where all are on
  clip_box,     ///< the whole volume again
  values,       ///< opacity, window, level and isosurface as the transfer function and range say
};

/// For people: what `ctl adjust` takes, and help lists.
struct StyleAdjustmentWords {
  std::string_view name;  ///< the enumerator's own
  std::string_view by;    ///< what it is by: "FACTOR"; "" where it takes nothing
  std::string_view help;
};
/// In the order of StyleAdjustment.
[[nodiscard]] std::span<const StyleAdjustmentWords> style_adjustments() noexcept;

/// The enumerator's own name.
[[nodiscard]] std::string_view to_string(StyleAdjustment what) noexcept;
/// Throws InputError that lists the names for what is none of them.
[[nodiscard]] StyleAdjustment parse_style_adjustment(std::string_view text);

/// Whether it is by something: a number of steps, a factor or a share. The others take none.
[[nodiscard]] bool has_amount(StyleAdjustment what) noexcept;

/// The style, so much farther; its limits hold it. `by` means nothing to those that have no amount.
/// Throws InputError for a factor that is not above 0 and for steps that are not whole.
[[nodiscard]] VolumeStyle adjusted(VolumeStyle style, StyleAdjustment what, double by);

}  // namespace tilewall::scene
