// A panel's colour match as one table per channel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "wallconfigs/wall.hpp"

namespace tilewall {

/// round(255 * gain * (value / 255)^gamma), held within [0, 255].
[[nodiscard]] std::uint8_t color_matched(std::uint8_t value, double gain, double gamma) noexcept;

/// For a pixel read as a little-endian word 0xXXRRGGBB: the matched pixel is
/// blue[B] | green[G] | red[R] | (pixel & 0xff000000).
struct ColorTables {
  std::array<std::uint32_t, 256> blue;
  std::array<std::uint32_t, 256> green;
  std::array<std::uint32_t, 256> red;

  explicit ColorTables(const ColorMatch& color) noexcept;

  [[nodiscard]] std::uint32_t matched(std::uint32_t pixel) const noexcept {
    return blue[pixel & 0xff] | green[pixel >> 8 & 0xff] | red[pixel >> 16 & 0xff] |
           (pixel & 0xff000000U);
  }
};

/// Empty where `color` changes nothing.
[[nodiscard]] std::optional<ColorTables> color_tables_for(const ColorMatch& color);

}  // namespace tilewall
