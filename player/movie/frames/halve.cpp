#include <algorithm>

#include "player/movie/frames/scaler.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tilewall::movie {
namespace {

std::uint8_t mean_of_4(const std::uint8_t* upper, const std::uint8_t* lower, int left,
                       int right) noexcept {
  return static_cast<std::uint8_t>((upper[left] + upper[right] + lower[left] + lower[right] + 2) /
                                   4);
}

void halve_rows_from(int x, const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                     int src_width) noexcept {
  for (; 2 * x + 1 < src_width; ++x) dst[x] = mean_of_4(upper, lower, 2 * x, 2 * x + 1);
  if (2 * x < src_width) dst[x] = mean_of_4(upper, lower, 2 * x, 2 * x);
}

#ifdef __SSE2__
// Rounded means of 2x2 bytes of both rows: 8 words from 16 columns.
__m128i means_of_8(const std::uint8_t* upper, const std::uint8_t* lower) noexcept {
  const __m128i low_bytes = _mm_set1_epi16(0x00ff);
  const __m128i u = _mm_loadu_si128(reinterpret_cast<const __m128i*>(upper));
  const __m128i l = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lower));
  const __m128i even = _mm_add_epi16(_mm_and_si128(u, low_bytes), _mm_and_si128(l, low_bytes));
  const __m128i odd = _mm_add_epi16(_mm_srli_epi16(u, 8), _mm_srli_epi16(l, 8));
  const __m128i sum = _mm_add_epi16(_mm_add_epi16(even, odd), _mm_set1_epi16(2));
  return _mm_srli_epi16(sum, 2);
}
#endif

}  // namespace

void halve_rows(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                int src_width) noexcept {
  int x = 0;
#ifdef __SSE2__
  for (; 2 * x + 32 <= src_width; x += 16) {
    const __m128i first = means_of_8(upper + 2 * x, lower + 2 * x);
    const __m128i second = means_of_8(upper + 2 * x + 16, lower + 2 * x + 16);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + x), _mm_packus_epi16(first, second));
  }
#endif
  halve_rows_from(x, upper, lower, dst, src_width);
}

void halve_rows_reference(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                          int src_width) noexcept {
  halve_rows_from(0, upper, lower, dst, src_width);
}

void halve_picture_rows(const PlanarPicture& src, int rows, PlanarPicture& dst,
                        int dst_y) noexcept {
  for (int p = 0; p < plane_count(src.chroma); ++p) {
    const Plane& from = src.planes[static_cast<std::size_t>(p)];
    Plane& to = dst.planes[static_cast<std::size_t>(p)];
    const bool half_height = src.chroma == Chroma::yuv420 && p > 0;
    const int src_rows = half_height ? (rows + 1) / 2 : rows;
    const int first = half_height ? dst_y / 2 : dst_y;
    for (int y = 0; y < src_rows; y += 2)
      halve_rows(from.row(y), from.row(std::min(y + 1, src_rows - 1)), to.row(first + y / 2),
                 from.size_px.width);
  }
}

PlanarPicture halved(const PlanarPicture& picture) {
  PlanarPicture half({(picture.size_px.width + 1) / 2, (picture.size_px.height + 1) / 2},
                     picture.chroma);
  halve_picture_rows(picture, picture.size_px.height, half, 0);
  return half;
}

}  // namespace tilewall::movie
