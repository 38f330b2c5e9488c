#include "player/director/lateness/release_plan.hpp"

#include <catch2/catch.hpp>
#include <tuple>

#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::sync;
using test::at_ms;
using test::start;

namespace {

constexpr Nanos release_lead{1'000'000};

Timeline ten_fps() {
  Timeline timeline;
  timeline.start = start;
  timeline.rate_fps = {10, 1};
  timeline.end_frame = 1000;
  return timeline;
}

ReleasePlan two_panels() {
  ReleasePlan plan(2);
  plan.start(1, ten_fps().ticks());
  plan.join(0);
  plan.join(1);
  return plan;
}

}  // namespace

TEST_CASE("a tick is released when every panel has it, undelayed while in time", "[director]") {
  ReleasePlan plan = two_panels();
  plan.ready(0, 1, 1);
  CHECK_FALSE(plan.release(at_ms(-50), release_lead));
  plan.ready(1, 1, 0);
  const auto release = plan.release(at_ms(-50), release_lead);
  REQUIRE(release);
  REQUIRE(release->ticks.size() == 1);
  CHECK(release->ticks[0].delay_ns == 0);
  CHECK_FALSE(plan.release(at_ms(-50), release_lead));
}

TEST_CASE("a wall that falls behind slows its timeline and skips nothing", "[director]") {
  ReleasePlan plan = two_panels();
  for (const std::size_t panel : {0u, 1u}) plan.ready(panel, 1, 0);
  REQUIRE(plan.release(at_ms(-50), release_lead));
  for (const std::size_t panel : {0u, 1u}) plan.ready(panel, 1, 2);
  const auto release = plan.release(at_ms(250), release_lead);  // tick 1 was due at 100 ms
  REQUIRE(release);
  REQUIRE(release->ticks.size() == 2);
  CHECK(release->ticks[0].delay_ns == 151'000'000);
  CHECK(release->ticks[1].delay_ns == 151'000'000);
  CHECK(plan.delay() == Nanos(151'000'000));
}

TEST_CASE("a tick whose panels hear of it late is delayed until they can all have heard",
          "[director]") {
  for (const Nanos lead : {Nanos(3'000'000), Nanos(43'000'000)}) {
    ReleasePlan plan = two_panels();
    for (const std::size_t panel : {0u, 1u}) plan.ready(panel, 1, 0);
    const auto release = plan.release(at_ms(-2), lead);
    REQUIRE(release);
    CHECK(at_ms(0) + Nanos(release->ticks[0].delay_ns) == at_ms(-2) + lead);
  }
}

TEST_CASE("a panel that is gone is not waited for, and takes part again from where the wall is",
          "[director]") {
  ReleasePlan plan = two_panels();
  plan.ready(0, 1, 4);
  plan.leave(1);
  REQUIRE(plan.release(at_ms(-50), release_lead));
  CHECK(plan.join(1) == 5);
  plan.ready(0, 1, 6);
  CHECK_FALSE(plan.release(at_ms(-50), release_lead));
  plan.ready(1, 1, 5);
  CHECK(plan.release(at_ms(-50), release_lead));
  CHECK(plan.released_end() == 6);
}

TEST_CASE("a panel holds the wall up once an instant is past for which it is not ready",
          "[director]") {
  ReleasePlan plan = two_panels();
  for (const std::size_t panel : {0u, 1u}) plan.ready(panel, 1, 0);
  REQUIRE(plan.release(at_ms(-50), release_lead));
  plan.ready(0, 1, 5);
  CHECK_FALSE(plan.slowest(at_ms(99)));  // tick 1 is due at 100 ms
  CHECK(plan.slowest(at_ms(100)) == 1u);
}

TEST_CASE("a panel that stalled is waited for again once it has caught up", "[director]") {
  ReleasePlan plan = two_panels();
  plan.leave(1);
  plan.ready(0, 1, 4);
  REQUIRE(plan.release(at_ms(-50), release_lead));
  plan.ready(1, 1, 2);  // still behind
  plan.ready(0, 1, 5);
  CHECK(plan.release(at_ms(-50), release_lead));
  plan.ready(1, 1, 5);
  plan.ready(0, 1, 6);
  CHECK_FALSE(plan.release(at_ms(-50), release_lead));
  plan.ready(1, 1, 6);
  CHECK(plan.release(at_ms(-50), release_lead));
}

TEST_CASE("nobody holds up a wall that waits for nothing", "[director]") {
  ReleasePlan plan(1);
  Timeline line = ten_fps();
  SECTION("at the schedule's end") { line.tick_limit = 1; }
  SECTION("paused") { line.rate_fps = {0, 1}; }
  SECTION("before the start is known") { line.start = never; }
  plan.start(1, line.ticks());
  plan.join(0);
  plan.ready(0, 1, 0);
  std::ignore = plan.release(at_ms(-50), release_lead);
  CHECK_FALSE(plan.slowest(at_ms(100'000)));
}

TEST_CASE("nothing is released before the start is known, nor for another epoch", "[director]") {
  ReleasePlan plan(1);
  Timeline waiting = ten_fps();
  waiting.start = never;
  plan.start(1, waiting.ticks());
  plan.join(0);
  plan.ready(0, 1, 3);
  CHECK_FALSE(plan.release(at_ms(0), release_lead));
  plan.start(1, ten_fps().ticks());  // the same epoch: what is ready stays ready
  CHECK(plan.release(at_ms(-50), release_lead));
  plan.start(2, ten_fps().ticks());
  plan.ready(0, 1, 9);
  CHECK_FALSE(plan.release(at_ms(-50), release_lead));
}

TEST_CASE("after a director's death the plan goes on where its panels are", "[director]") {
  ReleasePlan plan(2);
  plan.start(1, ten_fps().ticks());
  plan.go_on(Nanos(3'000'000));
  PanelStanding left;
  left.epoch = 1;
  left.ready_end = 12;
  left.released_end = 8;
  left.delay_ns = 5'000'000;
  PanelStanding right = left;
  right.ready_end = 11;
  right.released_end = 10;  // the last release reached this panel only
  CHECK(plan.rejoin(0, left) == 0);
  CHECK(plan.rejoin(1, right) == 0);
  CHECK(plan.released_end() == 10);
  CHECK(plan.delay() == Nanos(5'000'000));
  const auto release = plan.release(at_ms(700), release_lead);
  REQUIRE(release);
  std::vector<std::int64_t> ticks;
  for (const ReleasedTick& tick : release->ticks) {
    ticks.push_back(tick.tick);
    CHECK(tick.delay_ns == 5'000'000);
  }
  CHECK(ticks == std::vector<std::int64_t>{8, 9, 10});  // 8 and 9 once more
  CHECK_FALSE(plan.release(at_ms(700), release_lead));
}

TEST_CASE("ticks that were ready but not released are released by the next director",
          "[director]") {
  ReleasePlan plan(2);
  plan.start(1, ten_fps().ticks());
  PanelStanding standing;
  standing.epoch = 1;
  standing.ready_end = 4;
  CHECK(plan.rejoin(0, standing) == 0);
  standing.ready_end = 2;
  CHECK(plan.rejoin(1, standing) == 0);
  const auto release = plan.release(at_ms(-50), release_lead);
  REQUIRE(release);
  CHECK(release->ticks.size() == 2);
}

TEST_CASE("a panel that comes back as another process begins where the others are", "[director]") {
  ReleasePlan plan(2);
  plan.start(1, ten_fps().ticks());
  plan.begin_with(20);
  CHECK(plan.join(0) == 20);
  plan.begin_with(30);  // ticks are released already
  CHECK(plan.join(1) == 20);
  PanelStanding of_another_epoch;
  of_another_epoch.epoch = 7;
  of_another_epoch.released_end = 90;
  CHECK(plan.rejoin(1, of_another_epoch) == 20);
}
