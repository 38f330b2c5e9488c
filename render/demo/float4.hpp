// Four floats that add and multiply together: a colour and something more, such as opacity.
#pragma once

namespace tilewall::render {

/// A vector type of GCC and Clang: one register on every machine with 128-bit SIMD, plain code
/// elsewhere.
using Float4 = float __attribute__((vector_size(16)));

[[nodiscard]] inline Float4 float4(float all) noexcept { return Float4{all, all, all, all}; }

}  // namespace tilewall::render
