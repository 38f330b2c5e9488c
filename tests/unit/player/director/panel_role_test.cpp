// The connections of panels: what one that comes is told, what it says, and what follows when it
// goes.

#include "player/director/panel_role.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/player/director/role_show.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::RoleShow;

TEST_CASE("a panel's blobs are its whole picture at most, and 1 MiB in any case", "[director]") {
  wall::Panel panel;
  panel.size_px = {3840, 2160};
  CHECK(longest_panel_blob(panel) == 33'177'600);
  panel.size_px = {512, 512};
  CHECK(longest_panel_blob(panel) == 1'048'576);
  panel.size_px = {512, 513};
  CHECK(longest_panel_blob(panel) == 1'050'624);
}

TEST_CASE("a panel's configuration has its place on the wall, and the show's options",
          "[director]") {
  ShowOptions options = test::options_of_two_panels();
  options.wall.panels[1].host = "h2";
  options.wall.panels[1].row = 3;
  options.presenter = "gl";
  options.headless = true;
  options.late = scene::LatePolicy::slow;
  options.hashes = true;
  options.snapshots = {{7, "a.png", false}, {9, "b.png", true}};
  options.decode_threads = 5;
  options.stage_bytes = 77;
  options.pin = false;
  options.places = {"", "cpus 3"};
  options.server = {"10.0.0.1:7000", true};
  options.vsync = false;
  const scene::PanelConfig right = panel_config(options, 1, "cpu");
  CHECK(right.name == "right");
  CHECK(right.host == "h2");
  CHECK(right.row == 3);
  CHECK(right.frame_buffer_px == SizePx{640, 360});
  CHECK(right.presenter == "gl");  // the local one is of this host
  CHECK(right.headless);
  CHECK(right.late == scene::LatePolicy::slow);
  CHECK(right.hashes);
  CHECK(right.snapshot_frames == std::vector<std::int64_t>{7, 9});
  CHECK(right.decode_threads == 5);
  CHECK(right.stage_bytes == 77);
  CHECK_FALSE(right.pin);
  CHECK(right.place == "cpus 3");
  CHECK(right.server.address == "10.0.0.1:7000");
  CHECK_FALSE(right.vsync);
  CHECK(panel_config(options, 0, "cpu").presenter == "cpu");
  options.places.clear();
  options.wall.panels[1].window_px = PointPx{11, 22};
  CHECK(panel_config(options, 1, "cpu").window_px == PointPx{11, 22});
}

TEST_CASE("a panel that comes gets its configuration first, then the scene", "[director]") {
  RoleShow show;
  show.join(1, 1);
  const RoleShow::Json config = show.received(1);
  CHECK(config.at("type") == "config");
  CHECK(config.at("name") == "right");
  CHECK(config.at("presenter") == "cpu");
  CHECK(show.received(1).at("type") == "source");
  CHECK(show.received(1).at("type") == "scene");
  CHECK(show.roster.panel_of(1) == 1);
  CHECK_FALSE(show.roster.panels()[1].primed);
  show.send(1, {{"type", "primed"}, {"pace", scene::to_json(scene::DrawPace{})}, {"cpus", 4}});
  CHECK(show.roster.panels()[1].primed);
}

TEST_CASE("a panel that comes while the show ends is sent away", "[director]") {
  RoleShow show;
  show.lifecycle.end();
  show.join(1, 0);
  CHECK(show.received(1, "quit") == RoleShow::Json{{"type", "quit"}});
}

TEST_CASE("another process of a panel takes the place of one that seems connected", "[director]") {
  RoleShow show;
  show.start();
  show.join(3, 0, 101);
  CHECK_FALSE(show.roster.panel_of(1));
  CHECK(show.roster.panel_of(3) == 0);
  REQUIRE(show.roster.restarts().size() == 1);
  show.join(4, 0, 101);  // the same process, on another connection
  CHECK(show.roster.panel_of(4) == 0);
  CHECK(show.roster.restarts().size() == 1);
}

TEST_CASE("clients hear of a panel that is lost from a show that plays", "[director]") {
  RoleShow show;
  REQUIRE(show.ask(4, {{"type", "subscribe"}}).at("type") == "done");
  show.join(3, 1, 7);
  show.panels.lose(3);
  CHECK(show.roster.restarts().empty());  // the show has not begun
  show.start();
  show.panels.lose(1);
  RoleShow::Json event = show.received(4, "event");
  while (event.at("event") != "panel_lost") event = show.received(4, "event");
  CHECK(event.at("panel") == "left");
  CHECK_FALSE(show.roster.panels()[0].connection);
  REQUIRE(show.roster.restarts().size() == 1);
  show.panels.lose(1);  // it is lost already
  show.panels.lose(4);  // no panel
  CHECK(show.roster.restarts().size() == 1);
}

TEST_CASE("no tick waits for a panel that has gone", "[director]") {
  RoleShow show;
  show.start();
  const scene::Scene& scene = show.control.scene();
  for (std::int64_t tick = 0; tick < 5; ++tick)
    show.ledger.add(1, scene.epoch, {tick, tick, scene.tick_grid.due(tick).since_epoch.count(), 7});
  CHECK(show.ledger.progress().frames_due == 0);
  show.panels.lose(1);
  CHECK(show.ledger.progress().frames_due == 5);
}

TEST_CASE("people are told why the director ends a panel's connection", "[director]") {
  RoleShow show;
  show.join(1, 0);
  show.send(1, {{"type", "sing"}});
  REQUIRE(show.refusals.size() == 1);
  CHECK(show.notes.last() ==
        "panel left: the director refused a message: type: expected a known type, found sing");
  CHECK_FALSE(show.roster.panel_of(1));
}

TEST_CASE("a show ends at once where every panel fails before it begins", "[director]") {
  const auto failed = [](const char* line, bool bad_input) {
    return RoleShow::Json{{"type", "failed"}, {"line", line}, {"bad_input", bad_input}};
  };
  RoleShow show;
  show.join(1, 0);
  show.join(2, 1);
  show.send(1, failed("no such display", false));
  CHECK(show.lifecycle.is_gathering());
  CHECK(show.notes.lines().empty());  // another process is started
  show.send(2, failed("a.mp4: no such file", true));
  CHECK(show.lifecycle.is_ending());
  CHECK(show.notes.error() == "panel right: a.mp4: no such file");
  CHECK(show.notes.exit_code() == exit_bad_input);
  RoleShow broken;
  broken.join(1, 0);
  broken.join(2, 1);
  broken.send(1, failed("a.mp4: no such file", true));
  CHECK(broken.notes.last() == "panel left: a.mp4: no such file");
  broken.send(2, failed("no such display", false));
  CHECK(broken.notes.exit_code() == exit_failed);
}

TEST_CASE("a panel that fails in a running show leaves a note, and the show goes on",
          "[director]") {
  RoleShow show;
  show.start();
  for (const ConnectionId panel : {ConnectionId{1}, ConnectionId{2}})
    show.send(panel, {{"type", "failed"}, {"line", "no memory"}, {"bad_input", false}});
  CHECK(show.lifecycle.is_playing());
  CHECK(show.notes.lines() == std::vector<std::string>{"panel left: no memory"});
  show.send(2, {{"type", "problem"}, {"line", "no clock"}});
  CHECK(show.notes.last() == "panel right: no clock");
}

TEST_CASE("keys of a panel's window act on a show that plays, and end any", "[director]") {
  RoleShow show;
  const RoleShow::Json pause = {{"type", "key"}, {"key", "toggle_pause"}};
  show.join(3, 0);
  show.send(3, pause);
  CHECK_FALSE(show.control.next_change());
  show.start();
  show.send(1, pause);
  REQUIRE(show.control.next_change());
  REQUIRE(show.ask(4, {{"type", "subscribe"}}).at("type") == "done");
  REQUIRE(show.control.step(show.lifecycle.now() + std::chrono::seconds(1), Nanos(0)));
  CHECK(show.control.first_region().timeline.paused());
  const RoleShow::Json event = show.received(4, "event");
  CHECK(event.at("event") == "command");
  CHECK(event.at("from") == "key left");
  show.send(2, {{"type", "key"}, {"key", "quit"}});
  CHECK(show.lifecycle.is_ending());
}
