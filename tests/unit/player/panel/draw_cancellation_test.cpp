// Until when the picture that a panel draws is needed, and from which tick on it takes part.

#include "player/panel/draw_cancellation.hpp"

#include <catch2/catch.hpp>

#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall::panel;
using namespace tilewall::scene;
using namespace tilewall;

namespace {

/// Global time stands still, until it is set.
struct SetClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override {
    ClockMapping stopped;
    stopped.anchor_local = local_now();
    stopped.anchor_global = now;
    stopped.rate_ppb = -1e9;
    return stopped;
  }
  GlobalInstant now = test::at_ms(0);
};

ScenePtr scene_of(std::uint64_t version, std::uint64_t epoch, GlobalInstant since) {
  Scene scene;
  scene.version = version;
  scene.epoch = epoch;
  scene.since = since;
  return std::make_shared<const Scene>(std::move(scene));
}

}  // namespace

TEST_CASE("a picture is needed until a newer scene takes effect", "[panel]") {
  SceneSlot scenes;
  scenes.set(scene_of(1, 1, test::at_ms(0)));
  SetClock clock;
  DrawCancellation cancellation(scenes, clock);
  cancellation.set_version(1);
  cancellation.set_epoch(1);
  cancellation.clear_limit();
  cancellation.set_due(test::at_ms(500));
  CHECK_FALSE(cancellation.is_superseded());
  scenes.set(scene_of(2, 2, test::at_ms(600)));
  CHECK_FALSE(cancellation.is_superseded());  // it is shown before
  cancellation.set_due(test::at_ms(600));
  CHECK(cancellation.is_superseded());
  CHECK(cancellation.is_cancelled());
  cancellation.set_due(test::at_ms(500));
  CHECK_FALSE(cancellation.is_cancelled());
  cancellation.set_due_never();
  CHECK(cancellation.is_superseded());
}

TEST_CASE("a late picture is given up for a newer scene that does without its source", "[panel]") {
  const SourcePtr waited_for = movie_source(10, "/hung");
  const SourcePtr other = movie_source(10, "/other");
  Scene newer = first_scene({movie_region("main", waited_for)});
  newer.version = newer.epoch = 2;
  newer.since = test::at_ms(600);
  bool is_given_up = true;
  SECTION("a blank wall") { newer.blank = true; }
  SECTION("another source") { newer.regions = {movie_region("main", other)}; }
  SECTION("the same source, which would only be waited for again") { is_given_up = false; }
  SceneSlot scenes;
  scenes.set(scene_of(1, 1, test::at_ms(0)));
  SetClock clock;
  DrawCancellation cancellation(scenes, clock);
  cancellation.set_version(1);
  cancellation.set_epoch(1);
  cancellation.clear_limit();
  cancellation.set_due(test::at_ms(500));
  cancellation.set_source(waited_for.get());
  scenes.set(std::make_shared<const Scene>(newer));
  clock.now = test::at_ms(599);
  CHECK_FALSE(cancellation.scene_ended());
  clock.now = test::at_ms(901);
  CHECK(cancellation.scene_ended() == is_given_up);
  cancellation.set_source(nullptr);  // nothing is waited for, so the picture is soon there
  CHECK_FALSE(cancellation.scene_ended());
  clock.now = test::at_ms(2601);
  CHECK(cancellation.scene_ended());
}

TEST_CASE("a source is out of patience alone, and the scene goes on", "[panel]") {
  SceneSlot scenes;
  scenes.set(scene_of(1, 1, test::at_ms(0)));
  SetClock clock;
  DrawCancellation cancellation(scenes, clock);
  cancellation.set_version(1);
  cancellation.clear_limit();
  CHECK_FALSE(cancellation.is_unwanted());
  cancellation.set_patience(local_now() - Nanos(1));
  CHECK(cancellation.is_unwanted());
  CHECK(cancellation.is_cancelled());
  CHECK_FALSE(cancellation.scene_ended());
  cancellation.clear_patience();
  cancellation.set_limit(local_now() - Nanos(1));
  CHECK_FALSE(cancellation.is_unwanted());  // it concerns frames that are ready
  CHECK(cancellation.is_cancelled());
}

TEST_CASE("a newer version of the same epoch ends a picture at once", "[panel]") {
  SceneSlot scenes;
  scenes.set(scene_of(2, 1, test::at_ms(600)));
  SetClock clock;
  DrawCancellation cancellation(scenes, clock);
  cancellation.set_version(1);
  cancellation.set_epoch(1);
  cancellation.set_due(test::at_ms(500));
  CHECK(cancellation.is_superseded());
}

TEST_CASE("a picture is not needed past its limit, nor when the panel ends", "[panel]") {
  SceneSlot scenes;
  scenes.set(scene_of(1, 1, test::at_ms(0)));
  SetClock clock;
  DrawCancellation cancellation(scenes, clock);
  cancellation.set_version(1);
  cancellation.set_limit(local_now() - Nanos(1));
  CHECK(cancellation.is_cancelled());
  CHECK_FALSE(cancellation.scene_ended());  // the next picture is
  cancellation.set_limit(local_now() + std::chrono::hours(1));
  CHECK_FALSE(cancellation.is_cancelled());
  cancellation.stop();
  CHECK(cancellation.is_cancelled());
  CHECK(cancellation.scene_ended());
}

TEST_CASE("a panel takes part from the tick that came with the newest scene of an epoch",
          "[panel]") {
  SceneSlot scenes;
  CHECK(scenes.join_tick(1) == 0);
  scenes.set(scene_of(1, 1, test::at_ms(0)), 37);
  CHECK(scenes.join_tick(1) == 37);
  CHECK(scenes.join_tick(2) == 0);
  scenes.set(scene_of(1, 1, test::at_ms(0)), 50);  // the director is connected to again
  CHECK(scenes.join_tick(1) == 50);
  scenes.set(scene_of(2, 2, test::at_ms(0)), 3);
  CHECK(scenes.join_tick(1) == 0);
  CHECK(scenes.join_tick(2) == 3);
  scenes.set(scene_of(1, 1, test::at_ms(0)), 50);  // an old one
  CHECK(scenes.join_tick(2) == 3);
}
