// Token buckets: how often something may happen, for each of many keys.

#include "player/console/access/rate_limit.hpp"

#include <catch2/catch.hpp>

using namespace tilewall::console;
using std::chrono::milliseconds;

namespace {

const TokenBucket::Time bucket_start{std::chrono::hours(1)};

template <typename Take>
int taken(int tries, const Take& take) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += take() ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a bucket gives its burst at once, and its rate in the long run", "[console]") {
  TokenBucket bucket({10, 5}, bucket_start);
  const auto take_at = [&](milliseconds after) {
    return taken(100, [&] { return bucket.take(bucket_start + after); });
  };
  CHECK(take_at(milliseconds(0)) == 5);
  CHECK(take_at(milliseconds(99)) == 0);
  CHECK(take_at(milliseconds(101)) == 1);
  CHECK(take_at(milliseconds(50)) == 0);   // a clock that went back gives nothing
  CHECK(take_at(milliseconds(151)) == 0);  // nor does the same time once more
  CHECK_FALSE(bucket.is_full(bucket_start + milliseconds(500)));
  CHECK(bucket.is_full(bucket_start + milliseconds(1000)));
  CHECK(take_at(std::chrono::hours(5)) == 5);
}

TEST_CASE("each key has a bucket of its own, and keys are forgotten", "[console]") {
  RateLimit limit({1, 2});
  CHECK(taken(9, [&] { return limit.take("a", bucket_start); }) == 2);
  CHECK(taken(9, [&] { return limit.take("b", bucket_start); }) == 2);
  for (std::size_t i = 2; i < RateLimit::most_keys; ++i)
    REQUIRE(limit.take("key " + std::to_string(i), bucket_start));
  CHECK_FALSE(limit.take("one more", bucket_start));
  CHECK_FALSE(limit.take("a", bucket_start));
  CHECK(limit.take("a", bucket_start + std::chrono::seconds(1)));
  CHECK(limit.take("one more", bucket_start + std::chrono::seconds(2)));
}
