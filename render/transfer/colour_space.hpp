// Interpolation between two colours, in the spaces that colour maps name.
#pragma once

#include <cstdint>

#include "render/volume/transfer_function.hpp"

namespace tilewall::render {

enum class ColourSpace {
  rgb,          ///< straight lines of the channels, as they are stored (sRGB)
  hsv,          ///< hues from number to number, never through 0
  hsv_wrapped,  ///< hues the shorter way round
  lab,          ///< straight lines of CIE L*a*b* (1976), D65
  diverging,    ///< Moreland's Msh: through white where both ends are saturated and differ
};

/// The colour at `part` in [0, 1] between two colours, with every channel within [0, 1] and opacity
/// 1.
[[nodiscard]] Rgba mixed(ColourSpace space, const Rgba& from, const Rgba& to, double part) noexcept;

/// 0xrrggbb, opaque.
[[nodiscard]] constexpr Rgba colour_of(std::uint32_t rgb) noexcept {
  return {static_cast<float>(rgb >> 16 & 0xffU) / 255.0F,
          static_cast<float>(rgb >> 8 & 0xffU) / 255.0F, static_cast<float>(rgb & 0xffU) / 255.0F,
          1};
}

}  // namespace tilewall::render
