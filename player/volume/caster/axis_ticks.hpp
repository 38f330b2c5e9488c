// Round numbers along a colour bar or an edge, and their texts. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/volume/value_curve.hpp"

namespace tilewall::volume {

inline constexpr std::string_view axis_names[] = {"x", "y", "z"};

struct AxisTick {
  double value = 0;
  std::string text;
};

struct AxisTicks {
  std::vector<AxisTick> ticks;  ///< Their values rise
  std::string factor;  ///< What the texts are to be multiplied by, such as "10⁻⁵"; "" = 1
};

/// About `most` ticks at most from `least` to `greatest`, at 1, 2 or 5 times a power of ten: evenly
/// on a linear scale and a root's, at powers of ten on a logarithm's. A single value has one tick.
[[nodiscard]] AxisTicks bar_ticks(const render::ValueCurve& curve, double least, double greatest,
                                  double most);

/// The greatest of 1, 2 and 5 times a power of ten that is not above `value`; 0 for none.
[[nodiscard]] double round_below(double value);

/// A unit as people write it: "kg m-3", "m^2" and "s**-1" with superscripts, "degrees_east" as
/// "°E".
[[nodiscard]] std::string unit_text(const std::string& unit);

/// "[10⁻⁵ kg m⁻³]"; "" where both are.
[[nodiscard]] std::string bracketed(const std::string& factor, const std::string& unit);

}  // namespace tilewall::volume
