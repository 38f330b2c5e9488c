// A spiral galaxy's disc as a texture, seen from above: what shines, and what swallows light.
#pragma once

#include <cstddef>
#include <vector>

#include "render/demo/float4.hpp"

namespace tilewall::render {

/// Immutable. Looks the same after half a turn, so that half a turn is a seamless loop.
class Galaxy {
 public:
  /// `side` texels a side; about 0.3 us each, on all cores.
  explicit Galaxy(int side);

  /// Light (red, green, blue) and dust at disc coordinates, the rim being at radius 1; 0 outside.
  [[nodiscard]] Float4 at(float x, float y) const noexcept {
    const float u = (x + 1) * half_side_ - 0.5F;
    const float v = (y + 1) * half_side_ - 0.5F;
    if (!(u >= 0 && v >= 0 && u < last_ && v < last_)) return float4(0);
    const int column = static_cast<int>(u);
    const int row = static_cast<int>(v);
    const Float4 right = float4(u - static_cast<float>(column));
    const Float4 below = float4(v - static_cast<float>(row));
    const Float4* texel = texels_.data() + static_cast<std::ptrdiff_t>(row) * side_ + column;
    const Float4 top = texel[0] + (texel[1] - texel[0]) * right;
    const Float4 low = texel[side_] + (texel[side_ + 1] - texel[side_]) * right;
    return top + (low - top) * below;
  }

 private:
  /// Computes rows of the upper half, and what they are half a turn further.
  void compute_rows(int begin, int end);

  int side_;
  float half_side_;
  float last_;
  std::vector<Float4> texels_;
};

/// The spiral's phase at a place of the disc: 0 along the crest of both arms, pi between them.
[[nodiscard]] float spiral_phase(float x, float y) noexcept;

}  // namespace tilewall::render
