#include "player/movie/source/movie_rate.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall {
namespace {

constexpr Rational standard_rates[] = {{24000, 1001}, {24, 1}, {25, 1}, {30000, 1001},
                                       {30, 1},       {48, 1}, {50, 1}, {60000, 1001},
                                       {60, 1},       {120, 1}};

// 90000/3749 is 24 in whole ticks; 23.976 and 24 lie 0.001 apart.
constexpr double rounding_share = 0.0004;

bool usable(Rational rate) {
  return rate.num > 0 && rate.den > 0 && rate.value() <= 240.0 && rate.value() >= 1.0 / 60;
}

bool near(Rational a, Rational b, double share) {
  return std::abs(a.value() / b.value() - 1) < share;
}

// 29.6 pictures a second on average are meant as 30; 12.34 as nothing in particular.
Rational nearest_standard(Rational average) {
  const auto* best = std::min_element(
      std::begin(standard_rates), std::end(standard_rates), [&](Rational a, Rational b) {
        return std::abs(a.value() - average.value()) < std::abs(b.value() - average.value());
      });
  return near(*best, average, 0.03) ? *best : average;
}

Rational with_small_parts(Rational rate) {
  if (rate.num <= 1'000'000 && rate.den <= 1'000'000) return rate;
  return reduced(std::llround(rate.value() * 1000), 1000);
}

}  // namespace

Rational constant_rate(Rational average, Rational lowest) noexcept {
  const bool have_average = usable(average);
  if (usable(lowest)) {
    // A lowest rate within twice the average is a steady rhythm with some pictures left out.
    if (!have_average ||
        (lowest.value() <= 2.1 * average.value() && lowest.value() >= 0.97 * average.value()))
      return near(nearest_standard(lowest), lowest, rounding_share) ? nearest_standard(lowest)
                                                                    : lowest;
  }
  return have_average ? with_small_parts(nearest_standard(average)) : Rational{25, 1};
}

}  // namespace tilewall
