// The panels and processes of a show: how long their start may take, which died and came back.

#include "player/director/roster.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::wall;

namespace {

Wall wall_of_panels(std::size_t panels, const std::string& host) {
  Wall wall;
  for (std::size_t i = 0; i < panels; ++i) {
    wall.panels.emplace_back();
    wall.panels.back().name = "p" + std::to_string(i);
    wall.panels.back().host = host;
  }
  return wall;
}

double seconds(GlobalInstant at) { return as_double(at.since_epoch) / 1e9; }

void report_cpus(Roster& roster, int cpus) {
  if (!roster.panel_of(1)) static_cast<void>(roster.join(1, {}));
  ShownBatch batch;
  batch.cpus = cpus;
  static_cast<void>(roster.take(0, batch, {}));
}

}  // namespace

TEST_CASE("hosts with many panels for each processor have longer to start", "[director]") {
  const Wall few = wall_of_panels(15, "far");
  Roster usual(few, local_now());
  report_cpus(usual, 2);
  CHECK(usual.start_limit() == std::chrono::seconds(10));
  const Wall many = wall_of_panels(500, "far");
  Roster crowded(many, local_now());
  report_cpus(crowded, 2);
  CHECK(crowded.start_limit() == std::chrono::seconds(25));
  report_cpus(crowded, 64);
  CHECK(crowded.start_limit() == std::chrono::seconds(10));
}

TEST_CASE("only panels that failed and were not primed since have failed", "[director]") {
  const Wall wall = wall_of_panels(2, "");
  Roster roster(wall, local_now());
  PanelHello hello;
  static_cast<void>(roster.join(1, hello));
  CHECK_FALSE(roster.none_can_show());
  roster.set_failed(0);
  CHECK(roster.none_can_show());  // the other one is not there
  CHECK_FALSE(roster.all_failed());
  hello.panel = 1;
  static_cast<void>(roster.join(2, hello));
  CHECK_FALSE(roster.none_can_show());
  roster.set_failed(1);
  CHECK(roster.all_failed());
  hello.pid = 7;
  static_cast<void>(roster.join(3, hello));
  CHECK(roster.all_failed());  // the new process may fail, too
  roster.set_primed(1);
  CHECK_FALSE(roster.all_failed());
}

TEST_CASE("panels are named by their hosts where a whole host is meant", "[director]") {
  Wall wall = wall_of_panels(5, "far");
  wall.panels[3].host = wall.panels[4].host = "near";
  Roster roster(wall, local_now());
  const auto named = [&](const std::set<std::size_t>& which) {
    return roster.hosts_and_panels_where([&](const PanelState& panel) {
      return which.contains(static_cast<std::size_t>(&panel - roster.panels().data()));
    });
  };
  CHECK(named({}) == "");
  CHECK(named({1}) == "panel p1");
  CHECK(named({3, 4}) == "host near (p3, p4)");
  CHECK(named({0, 3, 4}) == "host near (p3, p4), panel p0");
  CHECK(named({0, 1, 2, 3, 4}) == "host far (p0, p1, p2), host near (p3, p4)");
  const Wall home = wall_of_panels(2, "");
  CHECK(Roster(home, local_now()).hosts_and_panels_where([](const PanelState&) { return true; }) ==
        "panel p0, p1");
}

TEST_CASE("critical panels that are gone are named until they show pictures again", "[director]") {
  Wall wall = wall_of_panels(3, "");
  wall.panels[1].critical = true;
  Roster roster(wall, local_now());
  for (int i = 0; i < 3; ++i) {
    PanelHello hello;
    hello.panel = i;
    hello.pid = 100 + i;
    static_cast<void>(roster.join(static_cast<ConnectionId>(i + 1), hello));
    roster.set_primed(static_cast<std::size_t>(i));
  }
  const Nanos long_limit = std::chrono::hours(1);
  CHECK(roster.names_of_critical_lost(long_limit).empty());
  for (const ConnectionId id : {ConnectionId{1}, ConnectionId{2}}) {
    const auto panel = roster.leave(id);
    REQUIRE(panel);
    roster.note_death(*panel, false);
  }
  CHECK(roster.names_of_critical_lost(long_limit).empty());
  CHECK(roster.names_of_critical_lost(Nanos(-1)) == "p1");
  PanelHello back;
  back.panel = 1;
  back.pid = 200;
  static_cast<void>(roster.join(9, back));
  const auto wait = [&] {
    const LocalInstant at = local_now();
    while (local_now() - at < std::chrono::milliseconds(2)) std::this_thread::yield();
  };
  wait();
  CHECK(roster.names_of_critical_lost(std::chrono::milliseconds(1)) == "p1");  // no picture yet
  ShownBatch batch;
  batch.frames.emplace_back();
  CHECK(roster.take(1, batch, {}));
  CHECK(roster.names_of_critical_lost(long_limit).empty());
  const Wall other = wall;
  Roster late(other, local_now());
  late.note_missing();
  CHECK(late.names_of_critical_lost(long_limit) == "p1");
}

TEST_CASE("a process that comes back counts on, another one from nought", "[director]") {
  const Wall wall = wall_of_panels(1, "");
  Roster roster(wall, local_now());
  PanelHello hello;
  hello.pid = 7;
  ShownBatch batch;
  const auto counts = [&](std::uint64_t before, std::uint64_t own) {
    const PanelState& panel = roster.panels()[0];
    CHECK(panel.damaged_blocks_before == before);
    CHECK(panel.totals.damaged_blocks == own);
  };
  static_cast<void>(roster.join(1, hello));
  batch.damaged_blocks = 5;
  static_cast<void>(roster.take(0, batch, {}));
  static_cast<void>(roster.join(2, hello));  // its connection broke
  counts(0, 5);
  hello.pid = 8;
  static_cast<void>(roster.join(3, hello));
  counts(5, 0);
  batch.damaged_blocks = 2;
  static_cast<void>(roster.take(0, batch, {}));
  hello.pid = 9;
  static_cast<void>(roster.join(4, hello));
  counts(7, 0);
}

TEST_CASE("of many names the first are told", "[director]") {
  const Wall wall = wall_of_panels(15, "");
  const Roster roster(wall, local_now());
  CHECK(roster.names_where([](const PanelState&) { return true; }) ==
        "p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11 and 3 more");
}

TEST_CASE("a wall shows only background where all panels with a volume do", "[director]") {
  const Wall wall = wall_of_panels(3, "");
  Roster roster(wall, local_now());
  CHECK_FALSE(roster.shows_only_background());
  PanelHello hello;
  const auto report = [&](std::size_t panel, bool blank) {
    ShownBatch batch;
    batch.volume.emplace().blank = blank;
    static_cast<void>(roster.take(panel, batch, {}));
  };
  for (std::uint32_t panel = 0; panel < 3; ++panel) {
    hello.panel = static_cast<int>(panel);
    static_cast<void>(roster.join(panel + 1, hello));
  }
  CHECK_FALSE(roster.shows_only_background());
  report(1, true);  // the panels before and after it show no volume
  CHECK(roster.shows_only_background());
  report(2, false);
  CHECK_FALSE(roster.shows_only_background());
  report(2, true);
  CHECK(roster.shows_only_background());
}

TEST_CASE("connections lead to their panels until they leave", "[director]") {
  const Wall wall = wall_of_panels(2, "");
  Roster roster(wall, local_now());
  PanelHello hello;
  hello.panel = 1;
  CHECK(roster.join(7, hello) == 1);
  CHECK(roster.panel_of(7) == std::size_t{1});
  CHECK_FALSE(roster.panel_of(8));
  CHECK(roster.silence_of(0) == Nanos(0));  // it was never heard
  CHECK(roster.connected().size() == 1);
  CHECK(roster.join(9, hello) == 1);  // a new connection of the same panel
  CHECK(roster.connected().size() == 1);
  CHECK_FALSE(roster.panel_of(7));  // its reports are not counted any more
  CHECK_FALSE(roster.leave(7));     // it ends later, and the panel stays
  CHECK(roster.panels()[1].connection == ConnectionId{9});
  CHECK_FALSE(roster.panel_of(7));
  CHECK(roster.leave(9) == std::size_t{1});
  CHECK_FALSE(roster.panels()[1].connection);
  CHECK_FALSE(roster.leave(9));
  CHECK_FALSE(roster.leave(100));
  for (const int wrong : {-1, 2}) {
    hello.panel = wrong;
    CHECK_THROWS_AS(roster.join(10, hello), InputError);
  }
}

TEST_CASE("a second hello of a connection is refused, as the same panel or another", "[director]") {
  const Wall wall = wall_of_panels(2, "");
  Roster roster(wall, local_now());
  PanelHello hello;
  hello.panel = 0;
  static_cast<void>(roster.join(7, hello));
  for (const int panel : {0, 1}) {
    hello.panel = panel;
    CHECK_THROWS_AS(roster.join(7, hello), InputError);
  }
  CHECK(roster.panels()[0].connection == ConnectionId{7});
  CHECK_FALSE(roster.panels()[1].connection);
  CHECK(roster.connected().size() == 1);
}

TEST_CASE("a wall is ready once each panel is connected and has its first picture", "[director]") {
  const Wall wall = wall_of_panels(2, "");
  Roster roster(wall, local_now());
  PanelHello hello;
  CHECK_FALSE(roster.all_primed());
  static_cast<void>(roster.join(1, hello));
  roster.set_primed(0);
  CHECK_FALSE(roster.all_primed());
  hello.panel = 1;
  static_cast<void>(roster.join(2, hello));
  CHECK_FALSE(roster.all_primed());
  roster.note_missing();
  CHECK_FALSE(roster.panels()[0].missed_start);
  CHECK(roster.panels()[1].missed_start);
  roster.set_primed(1);
  CHECK(roster.all_primed());
  static_cast<void>(roster.join(3, hello));  // who connects again has no picture yet
  CHECK_FALSE(roster.all_primed());
}

TEST_CASE("a panel that died is back with its first frames", "[director]") {
  const Wall wall = wall_of_panels(2, "");
  Roster roster(wall, local_now() - std::chrono::seconds(50));
  roster.note_death(1, true);
  REQUIRE(roster.restarts().size() == 1);
  CHECK(roster.restarts()[0].role == "panel");
  CHECK(roster.restarts()[0].panel == "p1");
  CHECK(roster.restarts()[0].hung);
  CHECK(roster.restarts()[0].at_s >= 50);
  CHECK_FALSE(roster.restarts()[0].back_s);
  CHECK(roster.names_of_lost(-1) == "p1");
  CHECK(roster.names_of_lost(1000).empty());
  ShownBatch batch;
  CHECK_FALSE(roster.take(1, batch, {}));
  CHECK_FALSE(roster.restarts()[0].back_s);
  batch.frames.push_back({});
  CHECK_FALSE(roster.take(0, batch, {}));  // another panel's frames
  CHECK(roster.take(1, batch, {}));
  REQUIRE(roster.restarts()[0].back_s);
  CHECK(*roster.restarts()[0].back_s >= roster.restarts()[0].at_s);
  CHECK(roster.names_of_lost(-1).empty());
  CHECK_FALSE(roster.take(1, batch, {}));  // it is back only once
  roster.note_sound_back();                // it was not gone
  roster.note_sound_death("far");
  CHECK_FALSE(roster.restarts()[1].back_s);
  roster.note_sound_back();
  CHECK(roster.restarts()[1].role == "sound");
  CHECK(roster.restarts()[1].host == "far");
  CHECK(roster.restarts()[1].back_s);
}

TEST_CASE("a panel that dies again before its first picture is away since its first death",
          "[director]") {
  Wall wall = wall_of_panels(1, "");
  wall.panels[0].critical = true;
  Roster roster(wall, local_now());
  const auto die = [&](int pid) {
    PanelHello hello;
    hello.pid = pid;
    const auto id = static_cast<ConnectionId>(pid);
    static_cast<void>(roster.join(id, hello));
    REQUIRE(roster.leave(id));
    roster.note_death(0, false);
  };
  die(1);
  const double first_s = roster.restarts()[0].at_s;
  while (roster.since_start_s() < first_s + 0.02) std::this_thread::yield();
  die(2);
  REQUIRE(roster.restarts().size() == 2);
  const double last_s = roster.restarts()[1].at_s;
  REQUIRE(last_s >= first_s + 0.02);
  // The limit reaches back to before the last death, and not to the first one.
  const auto limit_s = [&] { return roster.since_start_s() - (first_s + 0.01); };
  CHECK(roster.names_of_lost(limit_s()) == "p0");
  const auto limit = [&] { return Nanos(static_cast<std::int64_t>(limit_s() * 1e9)); };
  CHECK(roster.names_of_critical_lost(limit()) == "p0");
  Roster next(wall, local_now() - Nanos(static_cast<std::int64_t>(roster.since_start_s() * 1e9)));
  next.restore(roster.checkpoint());
  CHECK(next.names_of_lost(limit_s()) == "p0");
  ShownBatch batch;
  batch.frames.emplace_back();
  CHECK(roster.take(0, batch, {}));
  CHECK(roster.names_of_lost(-1).empty());
}

TEST_CASE("a process of a host dies once, whichever panels tell and however often", "[director]") {
  const Wall wall = wall_of_panels(2, "");
  Roster roster(wall, local_now());
  roster.take_host_restarts("a", {{"caster", 77, 2'000'000'000, 0}}, seconds);
  roster.take_host_restarts("a", {{"caster", 77, 2'000'000'300, 2'500'000'000}}, seconds);
  roster.take_host_restarts("b", {{"caster", 77, 3'000'000'000, 0}}, seconds);
  roster.take_host_restarts("a", {{"host", 77, 4'000'000'000, 0}}, seconds);
  roster.take_host_restarts("a", {}, seconds);  // a host service that knows of nothing
  REQUIRE(roster.restarts().size() == 3);
  CHECK(roster.restarts()[0].role == "caster");
  CHECK(roster.restarts()[0].host == "a");
  CHECK(roster.restarts()[0].at_s == Approx(2));
  REQUIRE(roster.restarts()[0].back_s);
  CHECK(*roster.restarts()[0].back_s == Approx(2.5));
  CHECK(roster.restarts()[1].host == "b");
  CHECK(roster.restarts()[2].role == "host");
  CHECK_FALSE(roster.restarts()[2].back_s);
}
