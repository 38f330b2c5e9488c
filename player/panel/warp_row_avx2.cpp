// Compiled with -mavx2. Inline functions of shared headers must not be used here: the linker could
// keep this file's copy with AVX2 instructions for the whole program.

#include "player/panel/warp_row.hpp"

#ifdef __x86_64__

#include <immintrin.h>

namespace tilewall::panel {
namespace {

/// Interpolates two pixels, one per 128-bit half. `upper` and `lower` hold the channels of a pixel
/// and of its right neighbour alternately, 16 bits each. The weights fill their half with one or
/// two alternating 16-bit values. Returns 32 bits per channel.
__m256i between_four(__m256i upper, __m256i lower, __m256i up, __m256i low, __m256i across) {
  const __m256i column = _mm256_add_epi16(_mm256_mullo_epi16(upper, up),
                                          _mm256_mullo_epi16(lower, low));  // at most 255 * 128
  const __m256i sum = _mm256_madd_epi16(column, across);
  return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(1 << 13)), 14);
}

/// The places of four pixels along one axis, clamped, in 128ths of a pixel.
__m128i places(float first, float step, __m128 index, __m128 w, int side_px) {
  const __m128 at =
      _mm_div_ps(_mm_add_ps(_mm_set1_ps(first), _mm_mul_ps(index, _mm_set1_ps(step))), w);
  const __m128 last = _mm_set1_ps(static_cast<float>((side_px - 1) * 128 - 1));
  return _mm_cvttps_epi32(_mm_min_ps(_mm_max_ps(at, _mm_setzero_ps()), last));
}

/// The weights of four pixels, two of 16 bits each, as the lower halves of four 64-bit lanes.
__m256i spread(__m128i weights) { return _mm256_cvtepu32_epi64(weights); }

__m128i twice(__m128i weights) { return _mm_or_si128(weights, _mm_slli_epi32(weights, 16)); }

}  // namespace

void warp_row_avx2(const WarpRow& row, const ImageView& from, std::uint8_t* to,
                   int length_px) noexcept {
  const auto* base = reinterpret_cast<const long long*>(from.pixels);
  const __m128i stride = _mm_set1_epi32(static_cast<int>(from.stride_bytes));
  const __m128i fraction = _mm_set1_epi32(127);
  const __m128i whole = _mm_set1_epi32(128);
  const __m256i zero = _mm256_setzero_si256();
  // B G R X b g r x -> B b G g R r X x
  const __m256i by_turns = _mm256_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15, 0,
                                            4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  int i = 0;
  for (; i + 4 <= length_px; i += 4) {
    const __m128 index =
        _mm_cvtepi32_ps(_mm_add_epi32(_mm_set1_epi32(i), _mm_setr_epi32(0, 1, 2, 3)));
    const __m128 w = _mm_add_ps(_mm_set1_ps(row.w), _mm_mul_ps(index, _mm_set1_ps(row.dw)));
    const __m128i x = places(row.x, row.dx, index, w, from.size_px.width);
    const __m128i y = places(row.y, row.dy, index, w, from.size_px.height);
    const __m128i offset = _mm_add_epi32(_mm_mullo_epi32(_mm_srai_epi32(y, 7), stride),
                                         _mm_slli_epi32(_mm_srai_epi32(x, 7), 2));
    const __m256i upper = _mm256_shuffle_epi8(_mm256_i32gather_epi64(base, offset, 1), by_turns);
    const __m256i lower = _mm256_shuffle_epi8(
        _mm256_i32gather_epi64(base, _mm_add_epi32(offset, stride), 1), by_turns);
    const __m128i right = _mm_and_si128(x, fraction);
    const __m128i down = _mm_and_si128(y, fraction);
    const __m256i low = spread(twice(down));
    const __m256i up = spread(twice(_mm_sub_epi32(whole, down)));
    const __m256i across =
        spread(_mm_or_si128(_mm_sub_epi32(whole, right), _mm_slli_epi32(right, 16)));
    // `even` has the first pixel of each half (0 and 2), `odd` the second (1 and 3).
    const __m256i even =
        between_four(_mm256_unpacklo_epi8(upper, zero), _mm256_unpacklo_epi8(lower, zero),
                     _mm256_shuffle_epi32(up, 0x00), _mm256_shuffle_epi32(low, 0x00),
                     _mm256_shuffle_epi32(across, 0x00));
    const __m256i odd =
        between_four(_mm256_unpackhi_epi8(upper, zero), _mm256_unpackhi_epi8(lower, zero),
                     _mm256_shuffle_epi32(up, 0xAA), _mm256_shuffle_epi32(low, 0xAA),
                     _mm256_shuffle_epi32(across, 0xAA));
    const __m256i words = _mm256_packs_epi32(even, odd);  // 0 1 | 2 3
    const __m128i bytes =
        _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 4 * static_cast<long>(i)), bytes);
  }
  warp_run_scalar(row, from, to, i, length_px);
}

}  // namespace tilewall::panel

#endif
