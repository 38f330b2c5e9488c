// Which tick a panel draws next.

#include "player/panel/tick_scheduler.hpp"

#include <catch2/catch.hpp>

#include "tests/support/instants.hpp"

using namespace tilewall::panel;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall;

namespace {

/// 100 ticks, one each 100 ms from test::at_ms(0) on.
Scene hundred_ticks() {
  Scene scene;
  scene.tick_grid = {test::at_ms(0), {10, 1}, 100};
  return scene;
}

std::int64_t next_tick(LatePolicy late, const Scene& scene, std::int64_t wanted,
                       std::int64_t drawn_ms) {
  return TickScheduler(late).next_tick(scene, wanted, test::at_ms(drawn_ms));
}

}  // namespace

TEST_CASE("a tick is left out once its picture would be half a period late", "[panel]") {
  const Scene scene = hundred_ticks();
  for (const LatePolicy late : {LatePolicy::drop, LatePolicy::lower}) {
    CHECK(next_tick(late, scene, 3, -5000) == 3);
    CHECK(next_tick(late, scene, 3, 349) == 3);
    CHECK(next_tick(late, scene, 3, 350) == 4);
    CHECK(next_tick(late, scene, 3, 1149) == 11);
    CHECK(next_tick(late, scene, 20, 1149) == 20);
  }
}

TEST_CASE("a scheduler never leaves out the last tick", "[panel]") {
  const Scene scene = hundred_ticks();
  CHECK(next_tick(LatePolicy::drop, scene, 3, 1'000'000) == 99);
  CHECK(next_tick(LatePolicy::drop, scene, 100, 1'000'000) == 100);
}

TEST_CASE("late policy slow draws every tick that the wall shows", "[panel]") {
  Scene scene = hundred_ticks();
  CHECK(next_tick(LatePolicy::slow, scene, 3, 50'000) == 3);
  scene.decimation.ticks.change({0, 0, 4});
  CHECK(next_tick(LatePolicy::slow, scene, 3, 50'000) == 4);
}

TEST_CASE("where the wall leaves out ticks the one that is still shown is drawn", "[panel]") {
  Scene scene = hundred_ticks();
  scene.decimation.ticks.change({0, 0, 4});
  CHECK(next_tick(LatePolicy::drop, scene, 1, 799) == 4);
  CHECK(next_tick(LatePolicy::drop, scene, 1, 800) == 8);
}

TEST_CASE("a scene that stands still or has no start leaves out nothing", "[panel]") {
  Scene scene = hundred_ticks();
  scene.tick_grid.start = never;
  CHECK(next_tick(LatePolicy::drop, scene, 3, 1'000'000) == 3);
  scene.tick_grid = {test::at_ms(0), {0, 1}, std::nullopt};
  CHECK(next_tick(LatePolicy::drop, scene, 0, 1'000'000) == 0);
  TickScheduler scheduler(LatePolicy::drop);
  scheduler.begin(0);
  CHECK_FALSE(scheduler.is_over(scene.tick_grid));
  scheduler.finish(0, TickPicture::available);
  CHECK(scheduler.is_over(scene.tick_grid));
  CHECK(scheduler.last_tick(scene.tick_grid) == 0);
}

TEST_CASE("an interrupted tick is tried again, and others are not", "[panel]") {
  const Scene scene = hundred_ticks();
  TickScheduler scheduler(LatePolicy::drop);
  scheduler.begin(7);
  CHECK(scheduler.choose(scene, test::at_ms(0)) == 7);
  scheduler.finish(7, TickPicture::interrupted);
  CHECK(scheduler.choose(scene, test::at_ms(0)) == 7);
  scheduler.finish(7, TickPicture::unchanged);
  CHECK(scheduler.choose(scene, test::at_ms(0)) == 8);
  scheduler.finish(8, TickPicture::available);
  CHECK(scheduler.choose(scene, test::at_ms(0)) == 9);
  CHECK(scheduler.last_tick(scene.tick_grid) == 8);
  scheduler.finish(99, TickPicture::unchanged);
  CHECK(scheduler.is_over(scene.tick_grid));
}

TEST_CASE("a panel is behind from a tick that it leaves out to the next picture", "[panel]") {
  const Scene scene = hundred_ticks();
  TickScheduler scheduler(LatePolicy::drop);
  scheduler.begin(0);
  CHECK(scheduler.choose(scene, test::at_ms(240)) == 2);
  CHECK(scheduler.left_out(scene, 2) == 2);
  CHECK_FALSE(scheduler.is_behind());  // no decoder has begun yet
  scheduler.finish(2, TickPicture::available);
  scheduler.note_drawn();
  CHECK(scheduler.choose(scene, test::at_ms(240)) == 3);
  CHECK_FALSE(scheduler.is_behind());
  CHECK(scheduler.choose(scene, test::at_ms(640)) == 6);
  CHECK(scheduler.is_behind());
  scheduler.finish(6, TickPicture::unchanged);
  CHECK(scheduler.choose(scene, test::at_ms(640)) == 7);
  CHECK(scheduler.is_behind());
  scheduler.note_drawn();
  CHECK_FALSE(scheduler.is_behind());
}

TEST_CASE("a panel that joins late leaves out what is over, and is behind", "[panel]") {
  const Scene scene = hundred_ticks();
  TickScheduler scheduler(LatePolicy::drop);
  scheduler.begin(0);
  scheduler.join_late(scene, test::at_ms(4000));
  CHECK(scheduler.is_behind());
  CHECK(scheduler.choose(scene, test::at_ms(4000)) == 40);
  CHECK(scheduler.left_out(scene, 40) == 0);
  scheduler.begin(0);
  CHECK_FALSE(scheduler.is_behind());
}

TEST_CASE("no tick is drawn long before it is due", "[panel]") {
  const TickGrid grid = hundred_ticks().tick_grid;
  const GlobalInstant now = grid.due(50) - longest_drawn_ahead;
  CHECK_FALSE(TickScheduler::is_far(grid, 50, now));
  CHECK(TickScheduler::is_far(grid, 51, now));
  CHECK_FALSE(TickScheduler::is_far({never, {10, 1}, 100}, 51, now));
  CHECK_FALSE(TickScheduler::is_far({grid.due(90), {0, 1}, std::nullopt}, 0, now));
}
