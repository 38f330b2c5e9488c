// Timesteps of live sources on a panel: each is drawn ahead, and waits for its instant.

#include "player/panel/live_ahead.hpp"

#include "tests/unit/player/panel/live_panel.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::scene;
using test::live_scene;
using test::live_start;
using test::LivePanel;

namespace {

LiveStep step(std::uint64_t number, std::int64_t shown, std::int64_t next,
              GlobalInstant from = never) {
  return {"count", number, shown, next, from};
}

}  // namespace

TEST_CASE("a timestep is drawn ahead, and shown from its instant on", "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7));
  REQUIRE(panel.draws(1));
  CHECK(panel.ring.ready() == 0);  // it waits
  const GlobalInstant from = live_start + std::chrono::milliseconds(40);
  panel.scenes.set_live(step(2, no_timestep, 7, from));
  const DecodedPicture shown = panel.next_picture();
  CHECK(shown.frame == 7);
  CHECK(shown.not_before == from);
  // The next one is drawn while this one is shown, by what the message says of both.
  panel.scenes.set_live(step(3, 7, 9));
  REQUIRE(panel.draws(3));
  CHECK(panel.ring.ready() == 0);
  panel.scenes.set_live(step(4, 7, 9, from + std::chrono::milliseconds(40)));
  CHECK(panel.next_picture().frame == 9);
}

TEST_CASE("a message about the next timestep does not show the one before early", "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7));
  REQUIRE(panel.draws(1));
  // The message with its instant is overtaken by the one about the next timestep.
  const GlobalInstant from = live_start + std::chrono::milliseconds(40);
  LiveStep next = step(3, 7, 9);
  next.since = from;
  panel.scenes.set_live(next);
  const DecodedPicture shown = panel.next_picture();
  CHECK(shown.frame == 7);
  CHECK(shown.not_before == from);
  REQUIRE(panel.draws(3));
  CHECK(panel.ring.ready() == 0);
}

TEST_CASE("a panel that comes to the show begins with the timestep on the wall", "[panel][live]") {
  {
    LivePanel panel;
    panel.scenes.set_live(step(8, 41, no_timestep));
    DecodedPicture picture = panel.next_picture();
    if (picture.frame == no_timestep) picture = panel.next_picture();  // it was drawn before
    CHECK(picture.frame == 41);
  }
  LivePanel panel;
  panel.scenes.set_live(step(8, 41, 42, live_start - std::chrono::seconds(1)));
  DecodedPicture picture = panel.next_picture();
  if (picture.frame == no_timestep) picture = panel.next_picture();
  CHECK(picture.frame == 42);
}

TEST_CASE("an instant for a timestep that was not drawn ahead shows it as well", "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  const GlobalInstant from = live_start + std::chrono::milliseconds(40);
  panel.scenes.set_live(step(2, no_timestep, 3, from));
  const DecodedPicture picture = panel.next_picture();
  CHECK(picture.frame == 3);
  CHECK(picture.not_before == from);
  panel.scenes.set_live(step(1, no_timestep, 2));  // an older message
  panel.scenes.set_live(step(5, 3, 4));
  CHECK(panel.draws(5));
}

TEST_CASE("a timestep that is shown already is told as drawn at once", "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7, live_start));
  CHECK(panel.next_picture().frame == 7);
  panel.scenes.set_live(step(2, 7, 7));
  REQUIRE(panel.draws(2));
  CHECK(panel.ring.ready() == 0);
  panel.scenes.set_live(step(3, 7, 7, live_start + std::chrono::milliseconds(40)));
  // Its instant needs no picture either, and the next timestep is drawn as ever.
  panel.scenes.set_live(step(4, 7, 8));
  REQUIRE(panel.draws(4));
  CHECK(panel.ring.ready() == 0);
  CHECK(panel.take_drawn() == std::vector<std::uint64_t>{2, 4});
}

TEST_CASE("a picture that is not wanted any more leaves its buffer to the next one",
          "[panel][live]") {
  LivePanel panel(live_scene(1, 1), {.buffers = 1});
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7));
  REQUIRE(panel.draws(1));
  SECTION("another timestep comes next") {
    panel.scenes.set_live(step(2, no_timestep, 8));
    CHECK(panel.draws(2));
  }
  SECTION("no timestep comes next") {
    panel.scenes.set_live(step(2, no_timestep, no_timestep));
    CHECK(panel.has_free_buffer());
  }
}

TEST_CASE("a new scene draws the timestep that is shown, and the next one ahead again",
          "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7));
  REQUIRE(panel.draws(1));
  panel.take_drawn();
  panel.set(live_scene(2, 2));
  CHECK(panel.next_picture().frame == no_timestep);
  CHECK(panel.draws(1));
  panel.scenes.set_live(step(2, no_timestep, 7, live_start));
  CHECK(panel.next_picture().frame == 7);
}

TEST_CASE("a wait for news of the show ends with a timestep as with a scene", "[panel][live]") {
  SceneSlot scenes;
  scenes.set(std::make_shared<const Scene>(live_scene(1, 1)));
  const LiveStepsPtr before = scenes.live();
  scenes.set_live(step(1, no_timestep, 7));
  const LocalInstant begun = local_now();
  scenes.wait_news_until(1, before, nullptr, begun + std::chrono::seconds(20), {});
  CHECK(local_now() < begun + std::chrono::seconds(10));
  scenes.wait_news_until(1, scenes.live(), nullptr, begun, {});  // there is no other news
}

TEST_CASE("a scene that is drawn before a timestep's instant shows the one before it until then",
          "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 5, live_start));
  CHECK(panel.next_picture().frame == 5);
  const GlobalInstant from = live_start + std::chrono::seconds(10);
  panel.scenes.set_live(step(2, 5, 7, from));
  CHECK(panel.next_picture().not_before == from);
  panel.set(live_scene(2, 2));
  CHECK(panel.next_picture().frame == 5);
  const DecodedPicture next = panel.next_picture();
  CHECK(next.frame == 7);
  CHECK(next.not_before == from);
}
