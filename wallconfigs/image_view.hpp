// A picture in memory, as all modules pass it to each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// Pixels as rows of B, G, R, X bytes (X = 255); not owned.
struct ImageView {
  std::uint8_t* pixels = nullptr;
  SizePx size_px;
  std::size_t stride_bytes = 0;
  [[nodiscard]] std::uint8_t* row(int y) const noexcept {
    return pixels + static_cast<std::size_t>(y) * stride_bytes;
  }
  [[nodiscard]] std::uint8_t* pixel(int x, int y) const noexcept {
    return row(y) + static_cast<std::ptrdiff_t>(x) * 4;
  }
};

}  // namespace tilewall
