// When a show starts and when it ends by itself.

#include "player/director/show_lifecycle.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/player/director/lifecycle_show.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::eventually;
using test::LifecycleShow;

TEST_CASE("a show starts once all panels have their first picture and the clock is known",
          "[director]") {
  LifecycleShow show(true, false);
  show.join(0);
  show.join(1);
  show.roster.set_primed(0);
  REQUIRE(eventually([&] { return show.clock.status().state != sync::ClockState::collecting; }));
  CHECK(show.step().is_gathering());
  CHECK(show.lifecycle.phase_name() == "gathering");
  CHECK(show.starts == 0);
  show.roster.set_primed(1);
  CHECK(show.step().is_playing());
  CHECK(show.lifecycle.phase_name() == "playing");
  CHECK(show.starts == 1);
  CHECK(show.scenes == 1);
  CHECK(show.control.scene().since != scene::never);
  show.step();
  CHECK(show.starts == 1);
}

TEST_CASE("a headless show ends once all panels have reported its last frame", "[director]") {
  LifecycleShow show(true, false);
  show.start();
  show.wait_for_end();
  show.report_frame(0);
  const bool waits = show.step().is_playing();
  if (show.lifecycle.now() < show.end() + std::chrono::seconds(1)) CHECK(waits);
  show.report_frame(1);
  CHECK(show.step().is_ending());
  CHECK(show.events == std::vector<std::string>{"end"});
  CHECK(show.messages == std::vector<std::string>{"quit"});
  CHECK(show.notes.exit_code() == 0);
  show.lifecycle.end();  // changes nothing
  CHECK(show.messages.size() == 1);
}

TEST_CASE("a show in windows stays at its last frame, unless it is to end there", "[director]") {
  for (const bool exits : {false, true}) {
    CAPTURE(exits);
    LifecycleShow show(false, exits);
    show.start();
    show.report_frame(0);
    show.report_frame(1);
    show.wait_for_end();
    CHECK(show.step().is_ending() == exits);
  }
}

TEST_CASE("a panel that reports nothing holds up a show's end for two seconds", "[director]") {
  LifecycleShow show(true, true);
  show.start();
  show.wait_for_end();
  show.report_frame(0);
  CHECK(eventually([&] { return show.step().is_ending(); }));
  CHECK(show.lifecycle.now() - show.end() > std::chrono::seconds(2));
}

TEST_CASE("a show of some seconds ends so long after its first frame, or after its start",
          "[director]") {
  ShowOptions options = test::lifecycle_options(true, false);
  options.scene = first_scene({movie_region("main", movie_source(100'000))});
  options.seconds = 0.05;
  LifecycleShow show(options);
  show.start();
  const GlobalInstant began = show.control.scene().since;
  const GlobalInstant first = began + std::chrono::hours(1);
  show.ledger.add(0, show.control.scene().epoch, {0, 0, first.since_epoch.count(), 7});
  REQUIRE(eventually([&] { return show.lifecycle.now() > began + std::chrono::milliseconds(60); }));
  CHECK(show.step().is_playing());
  LifecycleShow blind(options);  // its panels report nothing
  blind.start();
  CHECK(eventually([&] { return blind.step().is_ending(); }));
  CHECK(blind.notes.exit_code() == 0);
}

TEST_CASE("a show that is stopped without a panel has failed", "[director]") {
  LifecycleShow show(true, true);
  show.start();
  CHECK(show.roster.leave(1));
  CHECK(show.roster.leave(2));
  show.lifecycle.stop();
  CHECK(show.lifecycle.is_ending());
  CHECK(show.notes.error() == "no panel is left");
  CHECK(show.notes.exit_code() == exit_failed);
}

TEST_CASE("after a director's death no tick is released before all panels are back", "[director]") {
  ShowOptions options = test::lifecycle_options(true, true);
  options.late = scene::LatePolicy::slow;
  options.scene = first_scene({movie_region("main", movie_source(1000))});
  scene::Scene& scene = options.scene;
  scene.version = scene.epoch = 2;  // written to the journal, and sent to no panel
  scene.since = scene.regions.front().timeline.start = GlobalInstant{} + Nanos(1);
  scene.tick_grid = scene::plan_tick_grid(scene.regions, scene.since);
  LifecycleShow show(options);
  REQUIRE(eventually([&] { return show.clock.status().state != sync::ClockState::collecting; }));
  show.lifecycle.go_on({{scene}}, Nanos(0));
  scene::PanelStanding before;
  before.version = before.epoch = 1;
  CHECK(show.join(0, before) == 0);
  static_cast<void>(show.lifecycle.take_ready(0, 2, 7));
  CHECK(std::ranges::count(show.messages, "release") == 0);
  CHECK(show.join(1, before) == 0);
  static_cast<void>(show.lifecycle.take_ready(1, 2, 7));
  CHECK(std::ranges::count(show.messages, "release") == 1);
}

TEST_CASE("a director that takes over at the end hears of its panels before it ends",
          "[director]") {
  ShowOptions options = test::lifecycle_options(true, true);
  scene::Scene& scene = options.scene;
  scene.since = scene.regions.front().timeline.start = GlobalInstant{} + Nanos(1);  // long ago
  scene.tick_grid = scene::plan_tick_grid(scene.regions, scene.since);
  LifecycleShow show(options);
  REQUIRE(eventually([&] { return show.clock.status().state != sync::ClockState::collecting; }));
  show.lifecycle.go_on({{scene}}, Nanos(0));
  CHECK(show.lifecycle.awaits_panels());
  const bool waits = show.step().is_playing();
  if (show.lifecycle.awaits_panels()) CHECK(waits);  // on a busy machine it has given them up
  for (const std::size_t panel : {std::size_t{0}, std::size_t{1}}) {
    show.join(panel);
    show.report_frame(panel);
  }
  CHECK_FALSE(show.lifecycle.awaits_panels());
  CHECK(show.step().is_ending());
}
