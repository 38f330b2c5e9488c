#include "player/panel/blend.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace tilewall::panel {
namespace {

constexpr int full = 256;  // opacity in fixed point

/// Sets every byte below to mix(below, above). The loops are plain so that compilers vectorise
/// them.
template <typename Mix>
void for_bytes(const ImageView& below, const ImageView& above, Mix&& mix) noexcept {
  const int bytes = below.size_px.width * 4;
  for (int y = 0; y < below.size_px.height; ++y) {
    std::uint8_t* const to = below.row(y);
    const std::uint8_t* const from = above.row(y);
    for (int i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(mix(to[i], from[i]));
  }
}

int mixed(int below, int above, int share) {
  return (below * (full - share) + above * share + full / 2) / full;
}

}  // namespace

void blend_over(const ImageView& below, const ImageView& above, double opacity) noexcept {
  const int share = static_cast<int>(std::lround(opacity * full));
  for_bytes(below, above, [share](int to, int from) { return mixed(to, from, share); });
}

void blend_difference(const ImageView& below, const ImageView& above, double opacity,
                      double gain) noexcept {
  const int share = static_cast<int>(std::lround(opacity * full));
  // Gain in the fixed point of opacity.
  const int times = static_cast<int>(std::lround(gain * full));
  for_bytes(below, above, [share, times](int to, int from) {
    return mixed(to, std::min((std::abs(from - to) * times + full / 2) / full, 255), share);
  });
  // The fourth byte is no colour; every other picture has 255 there.
  for (int y = 0; y < below.size_px.height; ++y)
    for (int x = 0; x < below.size_px.width; ++x) below.pixel(x, y)[3] = 255;
}

}  // namespace tilewall::panel
