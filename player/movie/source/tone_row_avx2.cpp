// The AVX2 version of tone_row_scalar(), eight samples at a time. Each operation rounds as the
// scalar one does, so both give the same bytes.
//
// This file is compiled with -mavx2. It must not use inline functions of headers that other files
// use too: the linker might keep this file's copy, which fails on processors without AVX2.

#include "player/movie/source/tone_table.hpp"

#ifdef __x86_64__

#include <immintrin.h>

namespace tilewall::movie {
namespace {

/// Interpolates along axis a: gathers two neighbouring values by one 32-bit load, and weights them
/// by the two 16-bit halves of `weights`.
__m256i edge(const std::uint16_t* values, __m256i index, __m256i weights) {
  const __m256i pair = _mm256_i32gather_epi32(reinterpret_cast<const int*>(values), index, 2);
  const __m256i sum = _mm256_madd_epi16(pair, weights);  // values are at most 255 * 128
  return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(128)), 8);
}

__m256i between(__m256i first, __m256i second, __m256i along) {
  // Adds the share `along` / 256 of the difference, rounded.
  const __m256i product = _mm256_mullo_epi32(_mm256_sub_epi32(second, first), along);
  return _mm256_add_epi32(first,
                          _mm256_srai_epi32(_mm256_add_epi32(product, _mm256_set1_epi32(128)), 8));
}

__m256i eight_codes(const std::uint16_t* from) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

}  // namespace

void tone_row_avx2(const ToneGrid& grid, const std::uint16_t* a, const std::uint16_t* b,
                   const std::uint16_t* c, std::uint8_t* out, int count) noexcept {
  const __m128i a_shift = _mm_cvtsi32_si128(grid.a_shift);
  const __m128i b_shift = _mm_cvtsi32_si128(grid.b_shift);
  const __m256i share = _mm256_set1_epi32(255);
  const __m256i whole = _mm256_set1_epi32(256);
  const __m256i a_nodes = _mm256_set1_epi32(grid.a_nodes);
  const __m256i b_nodes = _mm256_set1_epi32(grid.b_nodes);
  const std::uint16_t* const along_b_from = grid.values + grid.a_nodes;
  const std::uint16_t* const along_c_from = grid.values + grid.a_nodes * grid.b_nodes;
  const std::uint16_t* const far_from = along_c_from + grid.a_nodes;
  int i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i code_a = eight_codes(a + i);
    const __m256i code_b = eight_codes(b + i);
    const __m256i code_c = eight_codes(c + i);
    const __m256i plane =
        _mm256_add_epi32(_mm256_mullo_epi32(_mm256_srl_epi32(code_c, b_shift), b_nodes),
                         _mm256_srl_epi32(code_b, b_shift));
    const __m256i index =
        _mm256_add_epi32(_mm256_mullo_epi32(plane, a_nodes), _mm256_srl_epi32(code_a, a_shift));
    const __m256i along_a =
        _mm256_and_si256(_mm256_srl_epi32(_mm256_slli_epi32(code_a, 8), a_shift), share);
    const __m256i along_b =
        _mm256_and_si256(_mm256_srl_epi32(_mm256_slli_epi32(code_b, 8), b_shift), share);
    const __m256i along_c =
        _mm256_and_si256(_mm256_srl_epi32(_mm256_slli_epi32(code_c, 8), b_shift), share);
    const __m256i weights =
        _mm256_or_si256(_mm256_sub_epi32(whole, along_a), _mm256_slli_epi32(along_a, 16));
    const __m256i lower =
        between(edge(grid.values, index, weights), edge(along_b_from, index, weights), along_b);
    const __m256i upper =
        between(edge(along_c_from, index, weights), edge(far_from, index, weights), along_b);
    const __m256i value = _mm256_srai_epi32(
        _mm256_add_epi32(between(lower, upper, along_c), _mm256_set1_epi32(64)), 7);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + i), _mm_packus_epi16(words, words));
  }
  tone_row_scalar(grid, a + i, b + i, c + i, out + i, count - i);
}

}  // namespace tilewall::movie

#endif
