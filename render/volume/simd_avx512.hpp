// Sixteen lanes for the kernels. For files compiled with -mavx512f and its companions only.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tilewall::render {
namespace {

struct Avx512 {
  static constexpr int lanes = 16;
  static constexpr int columns = 4;  ///< Pixels of a packet's row
  static constexpr int rows = 4;
  static constexpr bool has_bins = true;
  using F = __m512;
  using I = __m512i;
  using M = __mmask16;

  static F all(float v) { return _mm512_set1_ps(v); }
  static I all_i(int v) { return _mm512_set1_epi32(v); }
  static F column() { return _mm512_setr_ps(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3); }
  static F row() { return _mm512_setr_ps(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3); }
  static void store_i(std::int32_t* to, I v) { _mm512_store_si512(to, v); }

  static F add(F a, F b) { return _mm512_add_ps(a, b); }
  static F sub(F a, F b) { return _mm512_sub_ps(a, b); }
  static F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  static F div(F a, F b) { return _mm512_div_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static F min(F a, F b) { return _mm512_min_ps(a, b); }
  /// Returns b where a is not a number.
  static F max(F a, F b) { return _mm512_max_ps(a, b); }
  static float least(F a) { return _mm512_reduce_min_ps(a); }
  static float greatest(F a) { return _mm512_reduce_max_ps(a); }
  static F load(const float* from) { return _mm512_load_ps(from); }
  static F root(F a) { return _mm512_sqrt_ps(a); }
  /// 1 / sqrt(a), to 2^-14
  static F rough_inverse_root(F a) { return _mm512_rsqrt14_ps(a); }
  static F abs(F a) { return _mm512_abs_ps(a); }
  static F ceil(F a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
  static F floor(F a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
  static F to_f(I a) { return _mm512_cvtepi32_ps(a); }
  /// The same bits.
  static I bits_of(F a) { return _mm512_castps_si512(a); }
  static F of_bits(I a) { return _mm512_castsi512_ps(a); }
  static I truncated(F a) { return _mm512_cvttps_epi32(a); }
  static I nearest(F a) { return _mm512_cvtps_epi32(a); }

  static I add_i(I a, I b) { return _mm512_add_epi32(a, b); }
  static I sub_i(I a, I b) { return _mm512_sub_epi32(a, b); }
  static I mul_i(I a, I b) { return _mm512_mullo_epi32(a, b); }
  static I load_i(const std::int32_t* from) { return _mm512_load_si512(from); }
  /// Of each byte, a less b; 0 where b is greater.
  static I excess_bytes(I a, I b) { return _mm512_subs_epu8(a, b); }
  static I min_i(I a, I b) { return _mm512_min_epi32(a, b); }
  static I and_i(I a, I b) { return _mm512_and_si512(a, b); }
  static I or_i(I a, I b) { return _mm512_or_si512(a, b); }
  static I right_by_i(I a, I bits) { return _mm512_srlv_epi32(a, bits); }
  static M less_i(I a, I b) { return _mm512_cmplt_epi32_mask(a, b); }
  static M differ_i(I a, I b) { return _mm512_cmpneq_epi32_mask(a, b); }
  /// a, or 0 where m is not set.
  static I kept_i(M m, I a) { return _mm512_maskz_mov_epi32(m, a); }
  static I xor_i(I a, I b) { return _mm512_xor_si512(a, b); }
  static I select_equal_i(I a, I b, I yes, I no) {
    return _mm512_mask_blend_epi32(_mm512_cmpeq_epi32_mask(a, b), no, yes);
  }
  template <int bits>
  static I right_i(I a) {
    return _mm512_srli_epi32(a, bits);
  }
  /// The byte whose lowest bit is 24 - bits, sign-extended.
  template <int bits>
  static I signed_byte(I a) {
    return _mm512_srai_epi32(_mm512_slli_epi32(a, bits), 24);
  }

  static M none() { return 0; }
  static bool any(M m) { return m != 0; }
  static int count(M m) { return __builtin_popcount(m); }
  static M both(M a, M b) { return static_cast<M>(a & b); }
  static M either(M a, M b) { return static_cast<M>(a | b); }
  static M without(M a, M b) { return static_cast<M>(a & ~b); }
  static M differ(M a, M b) { return static_cast<M>(a ^ b); }
  static M less(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
  static M less_equal(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
  static M less_equal_i(I a, I b) { return _mm512_cmple_epi32_mask(a, b); }
  static M is_number(F a) { return _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q); }
  static F select(M m, F yes, F no) { return _mm512_mask_blend_ps(m, no, yes); }

  /// Lanes whose m is not set read nothing.
  static F gather(const float* from, I index, M m) {
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, index, from, 4);
  }
  /// Loads 32 bits, beginning `index` numbers of `bytes` bytes after `from`.
  template <int bytes>
  static I gather_bits(const void* from, I index, M m) {
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, index, from, bytes);
  }
  /// from[index] and from[index + 1].
  static void gather_pair(const float* from, I index, M m, F& here, F& next) {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i low = _mm512_mask_i32gather_epi64(zero, static_cast<__mmask8>(m),
                                                    _mm512_castsi512_si256(index), from, 4);
    const __m512i high = _mm512_mask_i32gather_epi64(zero, static_cast<__mmask8>(m >> 8),
                                                     _mm512_extracti64x4_epi64(index, 1), from, 4);
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    here = _mm512_castsi512_ps(_mm512_permutex2var_epi32(low, even, high));
    next = _mm512_castsi512_ps(_mm512_permutex2var_epi32(low, odd, high));
  }
  /// table[place], 0 <= place < 32.
  static F look_up(const float* table, I place) {
    return _mm512_permutex2var_ps(_mm512_load_ps(table), place, _mm512_load_ps(table + 16));
  }
};

}  // namespace
}  // namespace tilewall::render
