#include "player/panel/warp_row.hpp"

#include <algorithm>
#include <cstddef>

namespace tilewall::panel {
namespace {

/// The place in 128ths of a pixel, clamped so that one more pixel lies beside it.
int clamped_place(float place, int side_px) noexcept {
  const auto last = static_cast<float>((side_px - 1) * 128 - 1);
  return static_cast<int>(std::min(std::max(place, 0.0F), last));
}

}  // namespace

void warp_run_scalar(const WarpRow& row, const ImageView& from, std::uint8_t* to, int first,
                     int end) noexcept {
  for (int i = first; i < end; ++i) {
    const auto step = static_cast<float>(i);
    const float w = row.w + step * row.dw;
    const int x = clamped_place((row.x + step * row.dx) / w, from.size_px.width);
    const int y = clamped_place((row.y + step * row.dy) / w, from.size_px.height);
    const int right = x & 127;
    const int low = y & 127;
    const std::uint8_t* upper = from.pixel(x >> 7, y >> 7);
    const std::uint8_t* lower = upper + from.stride_bytes;
    std::uint8_t* out = to + std::ptrdiff_t{4} * i;
    for (int channel = 0; channel < 4; ++channel) {
      const int here = upper[channel] * (128 - low) + lower[channel] * low;
      const int beside = upper[channel + 4] * (128 - low) + lower[channel + 4] * low;
      out[channel] =
          static_cast<std::uint8_t>((here * (128 - right) + beside * right + (1 << 13)) >> 14);
    }
  }
}

void warp_row_scalar(const WarpRow& row, const ImageView& from, std::uint8_t* to,
                     int length_px) noexcept {
  warp_run_scalar(row, from, to, 0, length_px);
}

WarpRowFn pick_warp_row() noexcept {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return warp_row_avx2;
#endif
  return warp_row_scalar;
}

}  // namespace tilewall::panel
