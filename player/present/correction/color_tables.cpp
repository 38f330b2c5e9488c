#include "player/present/correction/color_tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace tilewall {

static_assert(std::endian::native == std::endian::little, "pixels are read as little-endian words");

std::uint8_t color_matched(std::uint8_t value, double gain, double gamma) noexcept {
  const double out = gain * std::pow(value / 255.0, gamma);
  return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(out, 0.0, 1.0)));
}

ColorTables::ColorTables(const ColorMatch& color) noexcept {
  for (std::size_t i = 0; i < 256; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    const auto channel = [&](std::size_t c) -> std::uint32_t {
      return color_matched(value, color.gain[c], color.gamma[c]);
    };
    red[i] = channel(0) << 16;
    green[i] = channel(1) << 8;
    blue[i] = channel(2);
  }
}

std::optional<ColorTables> color_tables_for(const ColorMatch& color) {
  if (color.identity()) return std::nullopt;
  return ColorTables(color);
}

}  // namespace tilewall
