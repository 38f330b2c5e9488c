#include "sync/base/log_histogram.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

using namespace tilewall;

TEST_CASE("a histogram's percentiles are those of its values to within 3.1 percent", "[base]") {
  const unsigned seed = GENERATE(1u, 2u, 3u);
  CAPTURE(seed);
  std::minstd_rand random(seed);
  std::lognormal_distribution<double> durations(10, 3);
  LogHistogram histogram;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 5000; ++i) {
    values.push_back(static_cast<std::int64_t>(durations(random)));
    histogram.add(values.back());
  }
  const Percentiles exact = percentiles(values);
  const Percentiles binned = histogram.percentiles();
  CHECK(histogram.count() == 5000);
  CHECK(binned.p50 >= exact.p50);
  CHECK(binned.p50 <= exact.p50 * 1.032 + 1);
  CHECK(binned.p99 >= exact.p99);
  CHECK(binned.p99 <= exact.p99 * 1.032 + 1);
  CHECK(binned.max == exact.max);
}

TEST_CASE("a histogram of small values is exact, and of one value too", "[base]") {
  LogHistogram small;
  for (std::int64_t value = 0; value < 32; ++value) small.add(value);
  CHECK(small.percentiles().p50 == 15);
  CHECK(small.percentiles().max == 31);
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{31}, std::int64_t{32},
                                   std::int64_t{1'000'003}, (std::int64_t{1} << 40) - 1}) {
    LogHistogram one;
    one.add(value);
    CHECK(one.percentiles().p50 == static_cast<double>(value));
    CHECK(one.percentiles().max == static_cast<double>(value));
  }
}

TEST_CASE("a histogram takes values of any size", "[base]") {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  LogHistogram histogram;
  histogram.add(-5);
  histogram.add(huge);
  histogram.add(huge);
  CHECK(histogram.percentiles().p50 == static_cast<double>(huge));
  CHECK(LogHistogram().percentiles().p99 == 0);
}

TEST_CASE("recent values are those of the last ten seconds, and bounded", "[base]") {
  constexpr std::int64_t second = 1'000'000'000;
  RecentValues recent;
  recent.add(1 * second, 1000);
  recent.add(8 * second, 10);
  recent.add(9 * second, 20);
  CHECK(recent.percentiles(9 * second).max == 1000);
  CHECK(recent.percentiles(12 * second).max == 20);
  CHECK(recent.run(12 * second).count == 2);
  CHECK(recent.run(12 * second).first_ns == 8 * second);
  CHECK(recent.run(100 * second).count == 0);
  CHECK(recent.percentiles(100 * second).max == 0);
  for (int i = 0; i < 10'000; ++i) recent.add(10 * second + i, i);
  CHECK(recent.size() <= 2048);
  CHECK(recent.percentiles(10 * second).max == 9999);
}

TEST_CASE("a value of exactly ten seconds ago still counts, and none before it", "[base]") {
  constexpr std::int64_t second = 1'000'000'000;
  RecentValues recent;
  recent.add(5 * second - 1, 7000);
  recent.add(5 * second, 300);
  recent.add(6 * second, 20);
  CHECK(recent.percentiles(15 * second).max == 300);
  CHECK(recent.run(15 * second).count == 2);
  CHECK(recent.run(15 * second).first_ns == 5 * second);
  CHECK(recent.percentiles(15 * second + 1).max == 20);
  CHECK(recent.run(15 * second + 1).count == 1);
  recent.add(15 * second, 1);  // forgets what is older than the window
  CHECK(recent.size() == 3);
}
