// Quantiles of all values of a series, and the values that a scale leaves out.
#include "player/volume/caster/value_quantiles.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "player/volume/caster/low_values.hpp"

namespace tilewall {

using namespace render;
using namespace volume;
namespace {

constexpr ValueCurve log_scale{CurveKind::log, 1};

/// Counts all values, in as many passes as the question needs, two timesteps each.
std::optional<ValueRange> asked(ValueQuantiles& quantiles, const QuantileQuestion& question,
                                const std::vector<float>& values) {
  const std::size_t half = values.size() / 2;
  for (int passes = 0; quantiles.needed_pass(question); ++passes) {
    REQUIRE(passes < 2);
    quantiles.begin_pass(question);
    quantiles.add(std::as_bytes(std::span(values).first(half)), VoxelType::f32, {});
    quantiles.add(std::as_bytes(std::span(values).subspan(half)), VoxelType::f32, {});
    quantiles.end_pass();
  }
  return quantiles.range_of(question);
}

/// Share of the values below `value`, in percent.
double percent_below(const std::vector<float>& values, float value) {
  const auto below =
      std::count_if(values.begin(), values.end(), [&](float v) { return v < value; });
  return 100 * static_cast<double>(below) / static_cast<double>(values.size());
}

TEST_CASE("quantiles are exact to a thousandth, of narrow and of wide values", "[view]") {
  std::mt19937 random(7);
  std::vector<float> narrow(60'000);
  std::vector<float> wide(60'000);
  std::normal_distribution<float> about(101325, 3);  // pressures, all in one coarse bin
  std::normal_distribution<float> exponent(-2, 3);
  for (float& value : narrow) value = about(random);
  for (float& value : wide) value = std::pow(10.0F, exponent(random));
  for (const std::vector<float>* values : {&narrow, &wide}) {
    ValueQuantiles quantiles;
    for (const std::array<double, 2> percent :
         {std::array{1.0, 99.0}, std::array{0.1, 50.0}, std::array{0.0, 100.0}}) {
      const auto range = asked(quantiles, {percent, {}}, *values);
      REQUIRE(range);
      CHECK(percent_below(*values, range->min) == Approx(percent[0]).margin(0.1));
      CHECK(percent_below(*values, range->max) == Approx(percent[1]).margin(0.1));
    }
  }
}

TEST_CASE("quantiles do not count what is empty, or empty on a scale", "[view]") {
  std::vector<float> values = {std::nanf(""), std::numeric_limits<float>::infinity(), -3, 0, 0};
  for (int i = 1; i <= 100; ++i) values.push_back(static_cast<float>(i));
  ValueQuantiles quantiles;
  CHECK(asked(quantiles, {{0, 100}, {}}, values) == ValueRange{-3, 100});
  CHECK(asked(quantiles, {{0, 50}, log_scale}, values)->min == 1);
  CHECK(asked(quantiles, {{0, 100}, {CurveKind::sqrt, 1}}, values)->min == 0);
  ValueQuantiles none;
  CHECK_FALSE(asked(none, {{0, 100}, log_scale}, {-1, -2, 0, -7}));
}

TEST_CASE("what a scale leaves out is counted, and the least value above 0 found", "[view]") {
  for (const VoxelType type : {VoxelType::u8, VoxelType::u16, VoxelType::f32}) {
    VoxelArray voxels(type, {4, 4, 4});
    for (std::size_t i = 0; i < 64; ++i) {
      if (type == VoxelType::u8) voxels.voxels<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
      if (type == VoxelType::u16) voxels.voxels<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
      if (type == VoxelType::f32) voxels.voxels<float>()[i] = static_cast<float>(i);
    }
    if (type == VoxelType::f32) voxels.voxels<float>()[63] = std::nanf("");
    const Volume volume(std::move(voxels), {}, {0.5, -4});  // -4, -3.5, ..., 0, 0.5, ...
    const LowValues low = find_low_values(volume, 2);
    CHECK(low.least_above_zero == 0.5F);
    CHECK(low.zeros == 1);
    CHECK(low.below_zero == 8);
    CHECK(low.values == (type == VoxelType::f32 ? 63U : 64U));
    CHECK(low.left_out(log_scale) == 9);
    CHECK(low.left_out({CurveKind::sqrt, 1}) == 8);
    CHECK(low.left_out({}) == 0);
  }
  LowValues low;
  low.zeros = 1;
  low.below_zero = 1;
  low.values = 8;
  CHECK(left_out_line("a.npy", low, log_scale) ==
        "a.npy: 2 of 8 values (25 %) are 0 or less and empty on the scale log");
  CHECK(left_out_line("a.npy", low, {}).empty());
}

}  // namespace
}  // namespace tilewall
