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

// The range is of the values' own type, so that a vector holds as many of them as it copies.
template <typename Value>
void copy_whole(const std::byte* __restrict from, std::size_t values, std::byte* __restrict to,
                KeyRange& range) noexcept {
  if (values == 0) return;
  Value least = static_cast<Value>(-1);
  Value greatest = 0;
  for (std::size_t i = 0; i < values; ++i) {
    Value value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    std::memcpy(to + i * sizeof value, &value, sizeof value);
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  range.least = least < range.least ? least : range.least;
  range.greatest = greatest > range.greatest ? greatest : range.greatest;
}

// Compilers vectorise neither the least of floats nor its conditions, so ranges are of integer keys
// in the order of the values. Their distances from the least and the greatest finite value are
// unsigned: those of values beyond, infinite or no number, wrap to more than any finite one's.
constexpr std::int32_t largest_finite_key = 0x7f7fffff;
constexpr std::int32_t smallest_finite_key = -0x7f800000;
constexpr std::uint32_t longest_distance = 0xfeffffffU;  // from the one to the other

struct FloatDistances {
  std::uint32_t from_smallest = UINT32_MAX;
  std::uint32_t from_largest = UINT32_MAX;
  std::uint32_t hidden = 0;
};

void add_to(KeyRange& range, const FloatDistances& run) noexcept {
  range.not_shown += run.hidden;
  if (run.from_smallest > longest_distance) return;  // none is finite
  const auto least = static_cast<std::int32_t>(static_cast<std::uint32_t>(smallest_finite_key) +
                                               run.from_smallest);
  const auto greatest =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(largest_finite_key) - run.from_largest);
  range.least = least < range.least ? least : range.least;
  range.greatest = greatest > range.greatest ? greatest : range.greatest;
}

void copy_float(const std::byte* __restrict from, std::size_t values, std::byte* __restrict to,
                KeyRange& range) noexcept {
  std::uint32_t low = UINT32_MAX;
  std::uint32_t high = UINT32_MAX;
  std::int32_t hidden = 0;
  for (std::size_t i = 0; i < values; ++i) {
    std::int32_t bits = 0;
    std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
    std::memcpy(to + i * sizeof bits, &bits, sizeof bits);
    const auto key = static_cast<std::uint32_t>(bits ^ ((bits >> 31) & 0x7fffffff));
    const std::uint32_t above = key - static_cast<std::uint32_t>(smallest_finite_key);
    const std::uint32_t below = static_cast<std::uint32_t>(largest_finite_key) - key;
    low = above < low ? above : low;
    high = below < high ? below : high;
    hidden += (bits & 0x7fffffff) > largest_finite_key ? 1 : 0;
  }
  add_to(range, {low, high, static_cast<std::uint32_t>(hidden)});
}

void quantise_float(const std::byte* __restrict from, std::size_t values, float low, float scale,
                    std::byte* __restrict to, KeyRange& range) noexcept {
  std::uint32_t nearest_above = UINT32_MAX;
  std::uint32_t nearest_below = UINT32_MAX;
  std::int32_t hidden = 0;
  for (std::size_t i = 0; i < values; ++i) {
    std::int32_t bits = 0;
    float value = 0;
    std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    const auto key = static_cast<std::uint32_t>(bits ^ ((bits >> 31) & 0x7fffffff));
    const std::uint32_t above = key - static_cast<std::uint32_t>(smallest_finite_key);
    const std::uint32_t below = static_cast<std::uint32_t>(largest_finite_key) - key;
    nearest_above = above < nearest_above ? above : nearest_above;
    nearest_below = below < nearest_below ? below : nearest_below;
    hidden += (bits & 0x7fffffff) > largest_finite_key ? 1 : 0;
    float scaled = (value - low) * scale + 0.5F;
    scaled = scaled > 0.0F ? scaled : 0.0F;  // also of no number
    scaled = scaled < 255.0F ? scaled : 255.0F;
    to[i] = static_cast<std::byte>(static_cast<std::int32_t>(scaled));
  }
  add_to(range, {nearest_above, nearest_below, static_cast<std::uint32_t>(hidden)});
}

constexpr ValueKernels kernels_here = {copy_whole<std::uint8_t>, copy_whole<std::uint16_t>,
                                       copy_float, quantise_float};

}  // namespace
}  // namespace tilewall::net
