// The loops of ValueKernels, for the compiler to vectorise. Each file that includes this has its
// own copy, compiled for its own instruction set; no inline function of another header is used,
// because the linker could keep one that other processors cannot run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "net/source/value_kernels.hpp"

namespace tilewall::net {
namespace {

template <typename Value>
void copy_whole(const std::byte* __restrict from, std::size_t values, std::byte* __restrict to,
                KeyRange& range) noexcept {
  std::int32_t least = range.least;
  std::int32_t greatest = range.greatest;
  for (std::size_t i = 0; i < values; ++i) {
    Value value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    std::memcpy(to + i * sizeof value, &value, sizeof value);
    const std::int32_t key = value;
    least = key < least ? key : least;
    greatest = key > greatest ? key : greatest;
  }
  range.least = least;
  range.greatest = greatest;
}

// Integers and masks, because compilers vectorise neither the least of floats nor its conditions.
void copy_float(const std::byte* __restrict from, std::size_t values, std::byte* __restrict to,
                KeyRange& range) noexcept {
  std::int32_t least = range.least;
  std::int32_t greatest = range.greatest;
  std::int32_t hidden = 0;
  for (std::size_t i = 0; i < values; ++i) {
    std::int32_t bits;
    std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
    std::memcpy(to + i * sizeof bits, &bits, sizeof bits);
    const std::int32_t shown = ((bits & 0x7fffffff) - 0x7f800000) >> 31;  // all ones, or 0
    const std::int32_t key = bits ^ ((bits >> 31) & 0x7fffffff);
    const std::int32_t low = (key & shown) | (INT32_MAX & ~shown);
    const std::int32_t high = (key & shown) | (INT32_MIN & ~shown);
    least = low < least ? low : least;
    greatest = high > greatest ? high : greatest;
    hidden += 1 + shown;
  }
  range.least = least;
  range.greatest = greatest;
  range.not_shown += static_cast<std::uint32_t>(hidden);
}

void quantise_float(const std::byte* __restrict from, std::size_t values, float low, float scale,
                    std::byte* __restrict to, KeyRange& range) noexcept {
  std::int32_t least = range.least;
  std::int32_t greatest = range.greatest;
  std::int32_t hidden = 0;
  for (std::size_t i = 0; i < values; ++i) {
    std::int32_t bits;
    float value;
    std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    const std::int32_t shown = ((bits & 0x7fffffff) - 0x7f800000) >> 31;  // all ones, or 0
    const std::int32_t key = bits ^ ((bits >> 31) & 0x7fffffff);
    const std::int32_t least_here = (key & shown) | (INT32_MAX & ~shown);
    const std::int32_t greatest_here = (key & shown) | (INT32_MIN & ~shown);
    least = least_here < least ? least_here : least;
    greatest = greatest_here > greatest ? greatest_here : greatest;
    hidden += 1 + shown;
    float scaled = (value - low) * scale + 0.5F;
    scaled = scaled > 0.0F ? scaled : 0.0F;  // also of no number
    scaled = scaled < 255.0F ? scaled : 255.0F;
    to[i] = static_cast<std::byte>(static_cast<std::int32_t>(scaled));
  }
  range.least = least;
  range.greatest = greatest;
  range.not_shown += static_cast<std::uint32_t>(hidden);
}

constexpr ValueKernels kernels_here = {copy_whole<std::uint8_t>, copy_whole<std::uint16_t>,
                                       copy_float, quantise_float};

}  // namespace
}  // namespace tilewall::net
