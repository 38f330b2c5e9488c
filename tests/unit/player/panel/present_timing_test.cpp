// When a panel's pictures are due, and which of them are left out.

#include "player/panel/present_timing.hpp"

#include <catch2/catch.hpp>

#include "sync/pacing/commit_pacer.hpp"
#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::scene;
using namespace tilewall::sync;
using test::at_ms;

namespace {

/// A tick each 100 ms from test::at_ms(0) on, in effect from `since_ms` on.
Scene scene_of(std::uint64_t schedule, std::int64_t since_ms = 0) {
  Scene scene;
  scene.epoch = schedule;
  scene.tick_grid = {at_ms(0), {10, 1}, 100};
  scene.since = at_ms(since_ms);
  return scene;
}

DecodedPicture picture_of(std::uint64_t schedule, std::int64_t tick) {
  DecodedPicture picture;
  picture.epoch = schedule;
  picture.tick = tick;
  return picture;
}

}  // namespace

TEST_CASE("a picture is due at its tick, or when all panels can show it", "[panel]") {
  ReleaseGate gate;
  PresentTiming timing(LatePolicy::drop, gate);
  const Scene scene = scene_of(1);
  DecodedPicture picture = picture_of(1, 3);
  CHECK(timing.due_of(picture, scene) == at_ms(300));
  picture.not_before = at_ms(250);
  CHECK(timing.due_of(picture, scene) == at_ms(300));
  picture.not_before = at_ms(450);
  CHECK(timing.due_of(picture, scene) == at_ms(450));
}

TEST_CASE("pictures of the scene before keep the instants of its ticks", "[panel]") {
  ReleaseGate gate;
  PresentTiming timing(LatePolicy::drop, gate);
  timing.set_shown_scene(std::make_shared<const Scene>(scene_of(1)));
  Scene newest = scene_of(2, 500);
  newest.tick_grid.start = at_ms(500);
  CHECK(timing.due_of(picture_of(1, 3), newest) == at_ms(300));
  CHECK(timing.due_of(picture_of(2, 3), newest) == at_ms(800));
}

TEST_CASE("under slow a tick waits for its release and comes as late as the wall", "[panel]") {
  ReleaseGate gate;
  PresentTiming timing(LatePolicy::slow, gate);
  const Scene scene = scene_of(1);
  CHECK_FALSE(timing.due_of(picture_of(1, 3), scene));
  gate.add({1, {{3, 70'000'000}}});
  CHECK(timing.due_of(picture_of(1, 3), scene) == at_ms(370));
  CHECK_FALSE(timing.due_of(picture_of(1, 4), scene));

  Scene paused = scene;
  paused.tick_grid.rate_fps = {0, 1};
  CHECK(timing.due_of(picture_of(1, 0), paused) == at_ms(0));
}

TEST_CASE("pictures of the scene before are shown until the newest takes effect", "[panel]") {
  ReleaseGate gate;
  PresentTiming timing(LatePolicy::drop, gate);
  const Scene newest = scene_of(2, 500);
  CHECK(timing.is_outdated(picture_of(1, 3),
                           newest));  // nothing of scene 1 was shown

  timing.set_shown_scene(std::make_shared<const Scene>(scene_of(1)));
  CHECK_FALSE(timing.is_outdated(picture_of(1, 4), newest));
  CHECK(timing.is_outdated(picture_of(1, 5), newest));
  CHECK(timing.is_outdated(picture_of(0, 1), newest));
  CHECK_FALSE(timing.is_outdated(picture_of(2, 1), newest));
  CHECK_FALSE(timing.is_outdated(picture_of(3, 1),
                                 newest));  // of a scene that is still to come
}

TEST_CASE("a picture is left out once the one after it is due as well", "[panel]") {
  ReleaseGate gate;
  gate.add({1, {{4, 0}}});
  const Scene scene = scene_of(1);
  const DecodedPicture picture = picture_of(1, 3);
  PresentTiming timing(LatePolicy::drop, gate);
  CHECK_FALSE(timing.is_overtaken(picture, picture_of(1, 4), scene, at_ms(399)));
  CHECK(timing.is_overtaken(picture, picture_of(1, 4), scene, at_ms(400)));
  CHECK_FALSE(timing.is_overtaken(picture, std::nullopt, scene, at_ms(400)));
  CHECK_FALSE(timing.is_overtaken(picture, picture_of(2, 4), scene, at_ms(400)));
  CHECK_FALSE(timing.is_overtaken(picture, picture_of(1, 4), scene_of(2), at_ms(400)));
  PresentTiming slow(LatePolicy::slow, gate);
  CHECK_FALSE(slow.is_overtaken(picture, picture_of(1, 4), scene, at_ms(400)));
}

TEST_CASE("a swap is late by more than half of the time between shown ticks", "[panel]") {
  ReleaseGate gate;
  PresentTiming timing(LatePolicy::drop, gate);
  timing.set_shown_scene(std::make_shared<const Scene>(scene_of(1)));
  CHECK_FALSE(timing.is_late(3, std::chrono::milliseconds(50)));
  CHECK(timing.is_late(3, std::chrono::milliseconds(51)));
  CHECK(timing.most_awake() == std::chrono::milliseconds(2));

  Scene paused = scene_of(1);
  paused.tick_grid.rate_fps = {0, 1};
  timing.set_shown_scene(std::make_shared<const Scene>(paused));
  CHECK_FALSE(timing.is_late(0, std::chrono::seconds(10)));
  CHECK(timing.most_awake() == AwakeTime::longest);
}

TEST_CASE("a late picture is the drawing's, the host decoder's or the swap's", "[panel]") {
  DecodedPicture picture;
  picture.ready_at = LocalInstant{Nanos(100)};
  CHECK(late_cause(picture, LocalInstant{Nanos(99)}) == LateCause::decode);
  CHECK(late_cause(picture, LocalInstant{Nanos(100)}) == LateCause::swap);
  picture.is_stale = true;
  CHECK(late_cause(picture, LocalInstant{Nanos(99)}) == LateCause::decoder);
}
