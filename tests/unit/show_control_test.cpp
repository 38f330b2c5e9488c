#include "player/director/show_control.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;

namespace {

constexpr GlobalInstant start{Nanos(1'000'000'000)};

GlobalInstant at_ms(std::int64_t ms) { return start + Nanos(ms * 1'000'000); }

ShowControl playing() {
  Scene scene;
  scene.version = 1;
  scene.schedule = 1;
  scene.regions.emplace_back();
  Timeline& line = scene.regions.front().timeline;
  line.rate_fps = {10, 1};
  line.end_frame = 100;
  line.start = never;
  ShowControl control(scene);
  control.start(start);
  return control;
}

}  // namespace

TEST_CASE("the start makes a new version of the same schedule", "[director]") {
  const ShowControl control = playing();
  CHECK(control.scene().version == 2);
  CHECK(control.scene().schedule == 1);
  CHECK(control.timeline().start == start);
}

TEST_CASE("pause holds the frame that is due, and play goes on from it", "[director]") {
  ShowControl control = playing();
  control.toggle_pause(at_ms(1050), Nanos(0));
  CHECK(control.timeline().paused());
  CHECK(control.frame_at(at_ms(9000), Nanos(0)) == 10);
  control.toggle_pause(at_ms(9000), Nanos(0));
  CHECK_FALSE(control.timeline().paused());
  CHECK(control.frame_at(at_ms(9250), Nanos(0)) == 12);
}

TEST_CASE("seeking moves within the movie's ends", "[director]") {
  ShowControl control = playing();
  control.seek_by_seconds(2, at_ms(1000), Nanos(0));
  CHECK(control.frame_at(at_ms(1000), Nanos(0)) == 30);
  control.seek_by_seconds(-60, at_ms(1100), Nanos(0));
  CHECK(control.frame_at(at_ms(1100), Nanos(0)) == 0);
  control.seek_to(1000, at_ms(1200), Nanos(0));
  CHECK(control.frame_at(at_ms(1200), Nanos(0)) == 99);
}

TEST_CASE("a step pauses on the neighbouring frame", "[director]") {
  ShowControl control = playing();
  control.step_by(-1, at_ms(1000), Nanos(0));
  CHECK(control.timeline().paused());
  CHECK(control.frame_at(at_ms(5000), Nanos(0)) == 9);
}

TEST_CASE("the overlay comes at one instant and leaves the schedule as it is", "[director]") {
  ShowControl control = playing();
  CHECK_FALSE(control.scene().overlay.visible_at(at_ms(500)));
  control.toggle_overlay(at_ms(1000), Nanos(0));
  CHECK(control.scene().version == 3);
  CHECK(control.scene().schedule == 1);
  CHECK_FALSE(control.scene().overlay.visible_at(at_ms(999)));
  CHECK(control.scene().overlay.visible_at(at_ms(1000)));
  control.toggle_overlay(at_ms(2000), Nanos(0));
  CHECK(control.scene().overlay.visible_at(at_ms(1999)));
  CHECK_FALSE(control.scene().overlay.visible_at(at_ms(2000)));
  CHECK(control.timeline().start == start);
}

TEST_CASE("a picture that stands still is shown anew with the overlay", "[director]") {
  ShowControl paused = playing();
  paused.toggle_pause(at_ms(1050), Nanos(0));
  paused.toggle_overlay(at_ms(3000), Nanos(0));
  CHECK(paused.scene().schedule == 3);
  CHECK(paused.timeline().paused());
  CHECK(paused.frame_at(at_ms(3000), Nanos(0)) == 10);
  CHECK(paused.scene().overlay.visible_at(paused.timeline().due(0)));
  ShowControl ended = playing();
  ended.toggle_overlay(at_ms(60'000), Nanos(0));
  CHECK(ended.scene().schedule == 2);
  CHECK(ended.frame_at(at_ms(60'000), Nanos(0)) == 99);
  CHECK(ended.scene().overlay.visible_at(ended.timeline().due(0)));
}

TEST_CASE("a slowed wall is where its delay says", "[director]") {
  const ShowControl control = playing();
  CHECK(control.frame_at(at_ms(1000), Nanos(400'000'000)) == 6);
}

TEST_CASE("a limit on frames counts what was shown before a change", "[director]") {
  Scene scene;
  scene.regions.emplace_back();
  Timeline& line = scene.regions.front().timeline;
  line.rate_fps = {10, 1};
  line.end_frame = 100;
  line.tick_limit = 20;
  ShowControl control(scene);
  control.start(start);
  control.seek_to(50, at_ms(500), Nanos(0));
  CHECK(control.timeline().tick_limit == 14);
  control.toggle_loop(at_ms(600), Nanos(0));
  CHECK(control.timeline().loop == LoopMode::loop);
}
