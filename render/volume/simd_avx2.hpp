// Eight lanes for the kernels. For files compiled with -mavx2 -mfma only.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tilewall::render {
namespace {

struct Avx2 {
  static constexpr int lanes = 8;
  static constexpr int columns = 4;  ///< Pixels of a packet's row
  static constexpr int rows = 2;
  static constexpr bool has_bins = false;  // a table of 32 takes too many permutations
  using F = __m256;
  using I = __m256i;
  using M = __m256;  ///< all bits of a lane

  static F all(float v) { return _mm256_set1_ps(v); }
  static I all_i(int v) { return _mm256_set1_epi32(v); }
  static F column() { return _mm256_setr_ps(0, 1, 2, 3, 0, 1, 2, 3); }
  static F row() { return _mm256_setr_ps(0, 0, 0, 0, 1, 1, 1, 1); }
  static void store_i(std::int32_t* to, I v) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), v);
  }

  static F add(F a, F b) { return _mm256_add_ps(a, b); }
  static F sub(F a, F b) { return _mm256_sub_ps(a, b); }
  static F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  static F div(F a, F b) { return _mm256_div_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static F min(F a, F b) { return _mm256_min_ps(a, b); }
  /// Returns b where a is not a number.
  static F max(F a, F b) { return _mm256_max_ps(a, b); }
  static float least(F a) {
    const __m128 four = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
  }
  static float greatest(F a) { return -least(sub(all(0), a)); }
  static F load(const float* from) { return _mm256_load_ps(from); }
  static F root(F a) { return _mm256_sqrt_ps(a); }
  /// 1 / sqrt(a). The processor's 12 bits would be visible in a highlight, so one Newton step
  /// refines them.
  static F rough_inverse_root(F a) {
    const F rough = _mm256_rsqrt_ps(a);
    const F half = mul(mul(a, all(0.5F)), mul(rough, rough));
    return mul(rough, sub(all(1.5F), half));
  }
  static F abs(F a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a); }
  static F ceil(F a) { return _mm256_ceil_ps(a); }
  static F floor(F a) { return _mm256_floor_ps(a); }
  static F to_f(I a) { return _mm256_cvtepi32_ps(a); }
  /// The same bits.
  static I bits_of(F a) { return _mm256_castps_si256(a); }
  static F of_bits(I a) { return _mm256_castsi256_ps(a); }
  static I truncated(F a) { return _mm256_cvttps_epi32(a); }
  static I nearest(F a) { return _mm256_cvtps_epi32(a); }

  static I add_i(I a, I b) { return _mm256_add_epi32(a, b); }
  static I sub_i(I a, I b) { return _mm256_sub_epi32(a, b); }
  static I mul_i(I a, I b) { return _mm256_mullo_epi32(a, b); }
  static I load_i(const std::int32_t* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  }
  /// Of each byte, a less b; 0 where b is greater.
  static I excess_bytes(I a, I b) { return _mm256_subs_epu8(a, b); }
  static I min_i(I a, I b) { return _mm256_min_epi32(a, b); }
  static I and_i(I a, I b) { return _mm256_and_si256(a, b); }
  static I or_i(I a, I b) { return _mm256_or_si256(a, b); }
  static I right_by_i(I a, I bits) { return _mm256_srlv_epi32(a, bits); }
  static M less_i(I a, I b) { return _mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)); }
  static M differ_i(I a, I b) {
    return _mm256_castsi256_ps(_mm256_xor_si256(_mm256_cmpeq_epi32(a, b), _mm256_set1_epi32(-1)));
  }
  /// a, or 0 where m is not set.
  static I kept_i(M m, I a) { return _mm256_and_si256(_mm256_castps_si256(m), a); }
  static I xor_i(I a, I b) { return _mm256_xor_si256(a, b); }
  static I select_equal_i(I a, I b, I yes, I no) {
    return _mm256_blendv_epi8(no, yes, _mm256_cmpeq_epi32(a, b));
  }
  template <int bits>
  static I right_i(I a) {
    return _mm256_srli_epi32(a, bits);
  }
  /// The byte whose lowest bit is 24 - bits, sign-extended.
  template <int bits>
  static I signed_byte(I a) {
    return _mm256_srai_epi32(_mm256_slli_epi32(a, bits), 24);
  }

  static M none() { return _mm256_setzero_ps(); }
  static bool any(M m) { return _mm256_movemask_ps(m) != 0; }
  static int count(M m) { return __builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(m))); }
  static M both(M a, M b) { return _mm256_and_ps(a, b); }
  static M either(M a, M b) { return _mm256_or_ps(a, b); }
  static M without(M a, M b) { return _mm256_andnot_ps(b, a); }
  static M differ(M a, M b) { return _mm256_xor_ps(a, b); }
  static M less(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
  static M less_equal(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
  static M less_equal_i(I a, I b) {
    return _mm256_castsi256_ps(_mm256_xor_si256(_mm256_cmpgt_epi32(a, b), _mm256_set1_epi32(-1)));
  }
  static M is_number(F a) { return _mm256_cmp_ps(a, a, _CMP_ORD_Q); }
  static F select(M m, F yes, F no) { return _mm256_blendv_ps(no, yes, m); }

  /// Lanes whose m is not set read nothing.
  static F gather(const float* from, I index, M m) {
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), from, index, m, 4);
  }
  /// Loads 32 bits, beginning `index` numbers of `bytes` bytes after `from`.
  template <int bytes>
  static I gather_bits(const void* from, I index, M m) {
    return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), static_cast<const int*>(from), index,
                                       _mm256_castps_si256(m), bytes);
  }
  /// from[index] and from[index + 1].
  static void gather_pair(const float* from, I index, M m, F& here, F& next) {
    here = gather(from, index, m);
    next = gather(from + 1, index, m);
  }
  static F look_up(const float*, I) { return _mm256_setzero_ps(); }
};

}  // namespace
}  // namespace tilewall::render
