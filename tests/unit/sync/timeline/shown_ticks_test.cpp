// Which ticks a wall shows while it leaves some out.

#include "sync/timeline/shown_ticks.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::sync;

namespace {

std::vector<std::int64_t> shown(const ShownTicks& ticks, std::int64_t end) {
  std::vector<std::int64_t> list;
  for (std::int64_t tick = ticks.next(0); tick < end; tick = ticks.next(tick + 1))
    list.push_back(tick);
  return list;
}

}  // namespace

TEST_CASE("at first every tick is shown", "[sync]") {
  const ShownTicks ticks;
  CHECK(shown(ticks, 4) == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(ticks.every() == 1);
  CHECK(ticks.count(3, 10) == 7);
}

TEST_CASE("a stride holds from its tick on", "[sync]") {
  ShownTicks ticks;
  ticks.change({3, 5, 4});
  CHECK(shown(ticks, 16) == std::vector<std::int64_t>{0, 1, 2, 5, 9, 13});
  CHECK(ticks.every_at(2) == 1);
  CHECK(ticks.every_at(3) == 4);
  CHECK(ticks.count(0, 14) == 6);
  CHECK(ticks.count(6, 9) == 0);
  ticks.change({13, 13, 2});
  CHECK(shown(ticks, 18) == std::vector<std::int64_t>{0, 1, 2, 5, 9, 13, 15, 17});
  ticks.change({16, 16, 1});
  CHECK(shown(ticks, 19) == std::vector<std::int64_t>{0, 1, 2, 5, 9, 13, 15, 16, 17, 18});
}

TEST_CASE("a stride replaces those that were to come", "[sync]") {
  ShownTicks ticks;
  ticks.change({10, 10, 2});
  ticks.change({4, 6, 3});
  CHECK(ticks.strides().size() == 1);
  CHECK(shown(ticks, 14) == std::vector<std::int64_t>{0, 1, 2, 3, 6, 9, 12});
  ticks.change({4, 5, 4});  // and one that would begin at the same tick
  CHECK(ticks.strides().size() == 1);
  CHECK(shown(ticks, 14) == std::vector<std::int64_t>{0, 1, 2, 3, 5, 9, 13});
}

TEST_CASE("of many strides the newest are kept", "[sync]") {
  ShownTicks ticks;
  for (std::int64_t i = 1; i <= 10; ++i) ticks.change({100 * i, 100 * i, i});
  CHECK(ticks.strides().size() == ShownTicks::max_strides);
  CHECK(ticks.next(1001) == 1010);
  CHECK(ticks.next(995) == 999);
}

TEST_CASE("strides from outside are taken only where they are well formed", "[sync]") {
  ShownTicks ticks;
  CHECK(ticks.assign({{0, 0, 2}, {7, 9, 3}}));
  CHECK(ticks.every() == 3);
  CHECK_FALSE(ticks.assign({{7, 9, 3}, {7, 9, 3}}));
  CHECK_FALSE(ticks.assign({{-1, 0, 2}}));
  CHECK_FALSE(ticks.assign({{2, 1, 2}}));
  CHECK_FALSE(ticks.assign({{0, 0, 0}}));
  CHECK_FALSE(ticks.assign({{0, 0, ShownTicks::max_every + 1}}));
  CHECK_FALSE(ticks.assign({{0, (std::int64_t{1} << 61) + 1, 1}}));
  CHECK_FALSE(ticks.assign({{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}}));
  CHECK(ticks.every() == 3);
}

TEST_CASE("each limit of strides from outside belongs to what is taken", "[sync]") {
  ShownTicks ticks;
  CHECK(ticks.assign({{0, 0, ShownTicks::max_every}}));
  CHECK(ticks.every() == ShownTicks::max_every);
  CHECK(ticks.assign({{0, std::int64_t{1} << 61, 1}}));
  CHECK(ticks.assign({{0, 0, 1}, {1, 1, 2}, {2, 2, 3}, {3, 3, 4}}));
  CHECK(ticks.strides().size() == 4);
  // One stride that is wrong spoils the list, whichever it is.
  CHECK_FALSE(ticks.assign({{0, 0, 2}, {7, 6, 3}}));
  CHECK_FALSE(ticks.assign({{0, 0, 0}, {7, 9, 3}}));
  CHECK_FALSE(ticks.assign({{7, 9, 3}, {0, 0, 2}}));
  CHECK(ticks.strides().size() == 4);
  CHECK(ticks.assign({}));
  CHECK(ticks == ShownTicks());
}
