// Kernels over runs of a field's values: copies with their range, and quantising. Any alignment.
//
// Threads: free functions without state.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewall::net {

/// The range of a run of values, in keys that are ordered as the values are.
struct KeyRange {
  std::int32_t least = INT32_MAX;
  std::int32_t greatest = INT32_MIN;
  std::uint32_t not_shown = 0;  ///< values without a key: no number, or infinite
};

/// The key of an f32 with these bits: signed integers in the order of the values. It is its own
/// inverse.
[[nodiscard]] constexpr std::int32_t ordered_key(std::int32_t bits) noexcept {
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

/// Kernels of one instruction set. `from` and `to` do not overlap; `values` is at most 2^20.
struct ValueKernels {
  /// Copies values, and adds them to `range`.
  using Copy = void (*)(const std::byte* from, std::size_t values, std::byte* to,
                        KeyRange& range) noexcept;
  Copy copy_u8;
  Copy copy_u16;
  Copy copy_f32;
  /// to[i] = (from[i] - low) * scale, at least 0, at most 255, rounded; 0 of no number. Adds
  /// from[i] to `range`.
  void (*quantise)(const std::byte* from, std::size_t values, float low, float scale, std::byte* to,
                   KeyRange& range) noexcept;
};

/// Kernels for this processor; the plain ones are for any, and the reference in tests.
[[nodiscard]] const ValueKernels& pick_value_kernels() noexcept;
[[nodiscard]] const ValueKernels& plain_value_kernels() noexcept;
/// Null where the processor has no AVX2.
[[nodiscard]] const ValueKernels* avx2_value_kernels() noexcept;

}  // namespace tilewall::net
