// A simulation's array: what is refused, and the copy of its values.

#include "net/source/put_array.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "net/source/value_kernels.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

constexpr std::array<std::uint32_t, 3> grid = {64, 48, 32};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

std::string fault_of(const ArrayShape& shape, const void* data = &grid) {
  try {
    static_cast<void>(check_array(shape, PutType::f32, data, grid));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

ArrayShape box(std::array<std::int64_t, 3> begin, std::array<std::int64_t, 3> end) {
  return {begin, end, {}, {}, {}};
}

template <typename To>
std::vector<To> copy_of(const PutArray& array, const Quantising& quantise, ValueRange& range) {
  std::vector<To> values(array.box.voxels());
  ArrayCopy copy(array, quantise);
  // In two parts, as pieces are.
  const std::uint32_t half = array.box.side(2) / 2;
  const std::size_t plane = std::size_t{array.box.side(0)} * array.box.side(1);
  const auto bytes = std::as_writable_bytes(std::span(values));
  copy.planes(0, half, 0, array.box.side(1), bytes.first(half * plane * sizeof(To)));
  copy.planes(half, array.box.side(2), 0, array.box.side(1),
              bytes.subspan(half * plane * sizeof(To)));
  range = copy.take_range();
  return values;
}

/// A value that tells its place.
template <typename Value>
Value at(std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<Value>((x + 7 * y + 31 * z) % 251);
}

/// Puts the box [3, 2, 1] to [3 + nx, ...] out of an array with these ghosts and strides, and
/// compares each value.
template <typename Value, typename Sent>
void check_copy(PutType type, std::array<std::int64_t, 3> sides, std::array<std::int64_t, 3> before,
                std::array<std::int64_t, 3> after, std::array<std::size_t, 3> order,
                std::array<bool, 3> reversed, std::int64_t padding) {
  CAPTURE(put_type_names[static_cast<std::size_t>(type)], sides, before, after, order, reversed);
  std::array<std::int64_t, 3> whole{};
  std::array<std::int64_t, 3> strides{};
  for (std::size_t i = 0; i < 3; ++i) whole[i] = sides[i] + before[i] + after[i];
  std::int64_t elements = 1 + padding;
  for (const std::size_t axis : order) {
    strides[axis] = elements * static_cast<std::int64_t>(sizeof(Value));
    elements *= whole[axis];
  }
  std::vector<Value> memory(static_cast<std::size_t>(elements) + 1);
  auto* const begin = reinterpret_cast<std::byte*>(memory.data());
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (reversed[i]) {
      offset += (whole[i] - 1) * strides[i];
      strides[i] = -strides[i];
    }
  const std::byte* const first = begin + offset;
  for (std::int64_t z = 0; z < whole[2]; ++z)
    for (std::int64_t y = 0; y < whole[1]; ++y)
      for (std::int64_t x = 0; x < whole[0]; ++x) {
        const auto value = at<Value>(x - before[0], y - before[1], z - before[2]);
        std::memcpy(
            const_cast<std::byte*>(first) + x * strides[0] + y * strides[1] + z * strides[2],
            &value, sizeof value);
      }
  const ArrayShape shape{
      {3, 2, 1}, {3 + sides[0], 2 + sides[1], 1 + sides[2]}, before, after, strides};
  ValueRange range;
  const auto values = copy_of<Sent>(check_array(shape, type, first, grid), {}, range);
  std::size_t i = 0;
  std::size_t wrong = 0;
  float least = infinity;
  float greatest = -infinity;
  for (std::int64_t z = 0; z < sides[2]; ++z)
    for (std::int64_t y = 0; y < sides[1]; ++y)
      for (std::int64_t x = 0; x < sides[0]; ++x) {
        const auto expected = static_cast<Sent>(at<Value>(x, y, z));
        if (values[i++] != expected) ++wrong;
        least = std::min(least, static_cast<float>(expected));
        greatest = std::max(greatest, static_cast<float>(expected));
      }
  CHECK(wrong == 0);
  CHECK(range.least == least);
  CHECK(range.greatest == greatest);
  CHECK(range.not_shown == 0);
}

template <typename Value, typename Sent = Value>
void check_layouts(PutType type) {
  check_copy<Value, Sent>(type, {5, 4, 3}, {}, {}, {0, 1, 2}, {}, 0);
  check_copy<Value, Sent>(type, {1, 1, 1}, {}, {}, {0, 1, 2}, {}, 0);
  check_copy<Value, Sent>(type, {5, 4, 3}, {1, 2, 0}, {0, 3, 1}, {0, 1, 2}, {}, 0);
  check_copy<Value, Sent>(type, {5, 4, 3}, {1, 1, 1}, {1, 1, 1}, {2, 1, 0}, {}, 0);  // C order
  check_copy<Value, Sent>(type, {5, 4, 6}, {1, 1, 1}, {1, 1, 1}, {1, 0, 2}, {true, false, true}, 0);
  check_copy<Value, Sent>(type, {60, 40, 4}, {1, 1, 1}, {1, 1, 1}, {0, 1, 2}, {}, 1);
  check_copy<Value, Sent>(type, {61, 45, 31}, {}, {}, {0, 1, 2}, {false, true, false}, 0);
  check_copy<Value, Sent>(type, {61, 45, 31}, {}, {}, {0, 1, 2}, {}, 0);
}

}  // namespace

TEST_CASE("boxes outside the grid, negative ghosts and wild strides are refused", "[source]") {
  CHECK(fault_of(box({0, 0, 0}, {64, 48, 32})).empty());
  CHECK_THAT(fault_of(box({0, 0, 0}, {65, 48, 32})),
             Catch::Contains("within the grid of 64 x 48 x 32, found [0, 0, 0] to [65, 48, 32]"));
  CHECK_THAT(fault_of(box({-1, 0, 0}, {4, 4, 4})), Catch::Contains("box"));
  CHECK_THAT(fault_of(box({4, 0, 0}, {4, 4, 4})), Catch::Contains("box"));
  CHECK_THAT(fault_of(box({4, 0, 0}, {2, 4, 4})), Catch::Contains("box"));
  CHECK_THAT(fault_of(box({INT64_MIN, 0, 0}, {INT64_MAX, 4, 4})), Catch::Contains("box"));
  CHECK_THAT(fault_of(box({0, 0, 0}, {4, 4, 4}), nullptr), Catch::Contains("data"));
  ArrayShape shape = box({0, 0, 0}, {4, 4, 4});
  shape.ghosts_after = {0, -1, 0};
  CHECK_THAT(fault_of(shape), Catch::Contains("ghosts: expected 0 to 8192 layers, found 0, -1, 0"));
  shape = box({0, 0, 0}, {4, 4, 4});
  shape.strides = {4, INT64_MIN, 4};
  CHECK_THAT(fault_of(shape), Catch::Contains("strides"));
}

TEST_CASE("values of every type are copied out of ghosts and strides", "[source]") {
  check_layouts<std::uint8_t>(PutType::u8);
  check_layouts<std::uint16_t>(PutType::u16);
  check_layouts<float>(PutType::f32);
  check_layouts<double, float>(PutType::f64);
}

TEST_CASE("values that cannot be shown are counted, and kept as they are", "[source]") {
  const std::vector<float> values = {no_number, -2.5F, infinity, 0, -infinity, 4, -0.0F, 1e-40F};
  ArrayShape shape = box({0, 0, 0}, {8, 1, 1});
  ValueRange range;
  const auto copy =
      copy_of<float>(check_array(shape, PutType::f32, values.data(), grid), {}, range);
  CHECK(std::memcmp(copy.data(), values.data(), sizeof(float) * values.size()) == 0);
  CHECK(range.not_shown == 3);
  CHECK(range.least == -2.5F);
  CHECK(range.greatest == 4);

  const std::vector<double> wide = {1e300, -1e300, 1, 3e38, std::nan(""), 0.1, 2, 2};
  const auto narrow =
      copy_of<float>(check_array(shape, PutType::f64, wide.data(), grid), {}, range);
  CHECK(narrow[0] == infinity);
  CHECK(narrow[5] == 0.1F);
  CHECK(range.not_shown == 3);
  CHECK(range.least == 0.1F);
  CHECK(range.greatest == 3e38F);

  const std::vector<float> none(8, no_number);
  static_cast<void>(copy_of<float>(check_array(shape, PutType::f32, none.data(), grid), {}, range));
  CHECK(range.not_shown == 8);
  CHECK(range.least == 0);
  CHECK(range.greatest == 0);

  const std::vector<float> constant(8, -3);
  static_cast<void>(
      copy_of<float>(check_array(shape, PutType::f32, constant.data(), grid), {}, range));
  CHECK(range.least == -3);
  CHECK(range.greatest == -3);
}

TEST_CASE("f32 and f64 become u8 of a range at the source", "[source]") {
  const std::vector<float> values = {-9, -1, -0.996F, 0, 0.5F, 1, infinity, no_number};
  const std::vector<std::uint8_t> expected = {0, 0, 1, 128, 191, 255, 255, 0};
  const std::vector<double> wide(values.begin(), values.end());
  const Quantising quantise = {{-1, 1}};
  const ArrayShape shape = box({0, 0, 0}, {8, 1, 1});
  ValueRange range;
  CHECK(copy_of<std::uint8_t>(check_array(shape, PutType::f32, values.data(), grid), quantise,
                              range) == expected);
  CHECK(range.least == -9);
  CHECK(range.greatest == 1);
  CHECK(range.not_shown == 2);
  CHECK(copy_of<std::uint8_t>(check_array(shape, PutType::f64, wide.data(), grid), quantise,
                              range) == expected);
}

TEST_CASE("the range has the finite values of f32 and no others, up to the largest", "[source]") {
  constexpr std::uint32_t negative = 0x80000000U;
  std::vector<std::uint32_t> edges;
  for (const std::uint32_t bits : {0U, 1U, 0x3f800000U, 0x7f7ffffeU, 0x7f7fffffU, 0x7f800000U,
                                   0x7f800001U, 0x7fc00000U, 0x7fffffffU}) {
    edges.push_back(bits);
    edges.push_back(bits | negative);
  }
  for (const ValueKernels* const kernels : {&plain_value_kernels(), avx2_value_kernels()}) {
    if (kernels == nullptr) continue;
    for (const std::uint32_t one : edges)
      for (const std::uint32_t other : edges) {
        CAPTURE(one, other);
        const std::array<std::uint32_t, 2> words = {one, other};
        std::array<float, 2> values{};
        std::memcpy(values.data(), words.data(), sizeof words);
        std::array<std::byte, sizeof words> to{};
        KeyRange range;
        kernels->copy_f32(std::as_bytes(std::span(words)).data(), 2, to.data(), range);
        KeyRange quantised;
        kernels->quantise(std::as_bytes(std::span(words)).data(), 2, 0, 1, to.data(), quantised);
        KeyRange expected;
        for (const float value : values) {
          if (!std::isfinite(value)) {
            ++expected.not_shown;
            continue;
          }
          const std::int32_t key = ordered_key(std::bit_cast<std::int32_t>(value));
          expected.least = std::min(expected.least, key);
          expected.greatest = std::max(expected.greatest, key);
        }
        for (const KeyRange& found : {range, quantised}) {
          CHECK(found.least == expected.least);
          CHECK(found.greatest == expected.greatest);
          CHECK(found.not_shown == expected.not_shown);
        }
      }
  }
}

TEST_CASE("kernels for this processor give what the plain ones do", "[source]") {
  const ValueKernels* const fast = avx2_value_kernels();
  if (fast == nullptr) return;
  const ValueKernels& plain = plain_value_kernels();
  std::vector<std::uint32_t> words(300);
  std::uint32_t seed = 1;
  for (std::uint32_t& word : words) {
    seed = seed * 1664525 + 1013904223;
    word = seed % 7 == 0 ? 0x7f800000U | (seed & 0x80000000U) : seed;
  }
  const auto bytes = std::as_bytes(std::span(words));
  for (std::size_t offset = 0; offset < 5; ++offset)
    for (std::size_t count = 0; count <= 130; ++count) {
      CAPTURE(offset, count);
      for (const auto copy :
           {&ValueKernels::copy_u8, &ValueKernels::copy_u16, &ValueKernels::copy_f32}) {
        KeyRange one;
        KeyRange other;
        std::vector<std::byte> plain_copy(count * 4 + 8, std::byte{77});
        std::vector<std::byte> fast_copy(count * 4 + 8, std::byte{77});
        (plain.*copy)(bytes.data() + offset, count, plain_copy.data(), one);
        (fast->*copy)(bytes.data() + offset, count, fast_copy.data(), other);
        CHECK((one.least == other.least && one.greatest == other.greatest &&
               one.not_shown == other.not_shown));
        CHECK(plain_copy == fast_copy);
        CHECK(fast_copy[count * 4] == std::byte{77});
      }
      std::vector<std::byte> one(count + 8, std::byte{77});
      std::vector<std::byte> other(count + 8, std::byte{77});
      KeyRange range;
      KeyRange fast_range;
      plain.quantise(bytes.data() + offset, count, -1e9F, 1e-7F, one.data(), range);
      fast->quantise(bytes.data() + offset, count, -1e9F, 1e-7F, other.data(), fast_range);
      CHECK(one == other);
      CHECK(range.least == fast_range.least);
      CHECK(range.not_shown == fast_range.not_shown);
      CHECK(one[count] == std::byte{77});
    }
}
