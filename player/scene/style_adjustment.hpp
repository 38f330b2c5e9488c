// Small steps from one style of a volume to the next, as keys at the wall and `ctl adjust` make
// them. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "player/scene/volume_style.hpp"

namespace tilewall::scene {

enum class StyleAdjustment {
  transfer,  ///< By steps through the named transfer functions; the first follows the last
  mode,      ///< By steps through CastMode; the first follows the last
  opacity,   ///< By a factor
  window,    ///< By a factor of the width of the range of values
  level,     ///< By a share of the range's width, up
  iso,       ///< By a share of the range's width: the isosurface's value, up
  x_min,     ///< By a share of the volume's side, as all sides of the clip box
  x_max,
  y_min,
  y_max,
  z_min,
  z_max,
  lit,          ///< Switches lighting on or off
  annotations,  ///< Switches all annotations on, or off where all are on
  clip_box,     ///< Shows the whole volume again
  values,       ///< Resets opacity, window, level and isosurface
};

/// Texts for people: arguments of `ctl adjust`, and help.
struct StyleAdjustmentWords {
  std::string_view name;  ///< Name of the enumerator
  std::string_view by;    ///< Name of the amount in the help, such as "FACTOR"; "" if it takes none
  std::string_view help;
};
/// The texts in the order of StyleAdjustment.
[[nodiscard]] std::span<const StyleAdjustmentWords> style_adjustments() noexcept;

/// The name of the enumerator.
[[nodiscard]] std::string_view to_string(StyleAdjustment what) noexcept;
/// Throws InputError that lists the names when `text` is none of them.
[[nodiscard]] StyleAdjustment parse_style_adjustment(std::string_view text);

/// Whether the adjustment has an amount: a number of steps, a factor or a share.
[[nodiscard]] bool has_amount(StyleAdjustment what) noexcept;

/// The style changed by an amount, within its limits. Adjustments without an amount ignore `by`.
/// Throws InputError for a factor that is not above 0, and for steps that are not whole.
[[nodiscard]] VolumeStyle adjusted(VolumeStyle style, StyleAdjustment what, double by);

}  // namespace tilewall::scene
