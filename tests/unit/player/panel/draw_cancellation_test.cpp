// Until when the picture that a panel draws is needed, and from which tick on it takes part.

#include "player/panel/draw_cancellation.hpp"

#include <catch2/catch.hpp>

#include "tests/support/instants.hpp"

using namespace tilewall::panel;
using namespace tilewall::scene;
using namespace tilewall;

namespace {

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
  DrawCancellation cancellation(scenes);
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

TEST_CASE("a newer version of the same epoch ends a picture at once", "[panel]") {
  SceneSlot scenes;
  scenes.set(scene_of(2, 1, test::at_ms(600)));
  DrawCancellation cancellation(scenes);
  cancellation.set_version(1);
  cancellation.set_epoch(1);
  cancellation.set_due(test::at_ms(500));
  CHECK(cancellation.is_superseded());
}

TEST_CASE("a picture is not needed past its limit, nor when the panel ends", "[panel]") {
  SceneSlot scenes;
  scenes.set(scene_of(1, 1, test::at_ms(0)));
  DrawCancellation cancellation(scenes);
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
