// When a wall of several hosts goes over to its volumes' details.

#include "player/director/verbs/detail_step.hpp"

#include <catch2/catch.hpp>

#include "player/director/verbs/show_control.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::wall;
using test::at_ms;
using test::start;

namespace {

constexpr Nanos detail_lead{100'000'000};
constexpr DetailStep::Clock::time_point begin{};

/// Three panels on two hosts, and what they said last.
struct TwoHosts {
  Wall wall;
  std::vector<PanelState> panels{3};
  Scene scene = first_scene({volume_region("main")});
  ShowNotes notes{[](const std::string&) {}};
  DetailStep step{wall, notes};

  TwoHosts() {
    for (const char* host : {"h1", "h1", "h2"}) {
      Panel panel;
      panel.name = "c" + std::to_string(wall.panels.size()) + "r0";
      panel.host = host;
      wall.panels.push_back(panel);
    }
    for (std::size_t i = 0; i < panels.size(); ++i) {
      panels[i].connection = i + 1;
      panels[i].host = wall.panels[i].host;
    }
    scene.detail_from = first_detail(wall, false);
  }
  void say(std::size_t panel, DetailState state, std::uint64_t epoch = 1) {
    panels[panel].totals.detail = {epoch, state, 0, 1};
  }
  bool steps(DetailStep::Clock::time_point now = begin, GlobalInstant shown = at_ms(1000)) {
    return step.step(scene, panels, now, shown);
  }
};

ShowControl volume_show() {
  Scene scene = first_scene({volume_region("main"), movie_region("beside", movie_source(100))});
  scene.regions[0].look = usual_look(*scene.regions[0].source, scene.regions[0].canvas_px);
  scene.detail_from = never;
  ShowControl control(scene, detail_lead);
  control.start(start);
  return control;
}

void command(ShowControl& control, GlobalInstant at, std::function<void(SceneChange&)> apply) {
  control.ask({std::move(apply), {}});
  control.step(at - detail_lead, Nanos(0));
}

}  // namespace

TEST_CASE("a wall shows its details once all panels that are there could", "[director]") {
  TwoHosts hosts;
  CHECK_FALSE(hosts.steps());
  hosts.say(0, DetailState::ready);
  hosts.say(1, DetailState::none);  // it sees nothing of the volume
  CHECK_FALSE(hosts.steps());
  hosts.say(2, DetailState::coming);
  CHECK_FALSE(hosts.steps());
  hosts.say(2, DetailState::ready, 7);  // of another picture
  CHECK_FALSE(hosts.steps());
  hosts.say(2, DetailState::ready);
  CHECK(hosts.steps());
  hosts.say(2, DetailState::coming);
  hosts.panels[2].connection.reset();  // gone
  CHECK(hosts.steps());
  hosts.scene.detail_from = start;  // done
  hosts.scene.volume_stage = {1, start};
  CHECK_FALSE(hosts.steps());
}

TEST_CASE("a wall goes from one stage of its volumes to the next on all panels together",
          "[director]") {
  TwoHosts hosts;
  const auto ready = [&](std::size_t panel, int stage, bool more_comes) {
    hosts.panels[panel].totals.detail = {1, DetailState::ready, 0, stage, more_comes};
  };
  for (std::size_t i = 0; i < 3; ++i) ready(i, 1, true);
  CHECK(hosts.steps());
  hosts.scene.detail_from = at_ms(1000);
  hosts.scene.volume_stage = {1, at_ms(1000)};
  CHECK_FALSE(hosts.steps());  // the second one is still being read
  ready(0, 2, true);
  ready(1, 2, true);
  CHECK_FALSE(hosts.steps());
  CHECK_FALSE(best_tick(hosts.scene, hosts.panels));
  ready(2, 2, true);
  CHECK_FALSE(hosts.steps(begin, at_ms(999)));  // the first one is not shown yet
  CHECK(hosts.steps());
  hosts.scene.volume_stage = {2, at_ms(2000)};
  for (std::size_t i = 0; i < 3; ++i) ready(i, 3, false);
  CHECK_FALSE(best_tick(hosts.scene, hosts.panels));
  CHECK(hosts.steps(begin, at_ms(2000)));
  hosts.scene.volume_stage = {3, at_ms(3000)};
  CHECK_FALSE(hosts.steps(begin, at_ms(9000)));  // none comes any more
  hosts.scene.tick_grid = {start, {10, 1}, std::nullopt};
  CHECK(best_tick(hosts.scene, hosts.panels) == 31);
}

TEST_CASE("a wall that began with all voxels goes over to details once for each look",
          "[director]") {
  TwoHosts hosts;
  hosts.scene.volume_stage = whole_volumes;
  for (PanelState& panel : hosts.panels)
    panel.totals.detail = {1, DetailState::ready, 0, whole_volumes.number};
  CHECK(hosts.steps());
  CHECK_FALSE(best_tick(hosts.scene, hosts.panels));
  Scene first = hosts.scene;
  first.regions.push_back(movie_region("beside", movie_source(100)));
  ShowControl control(first, detail_lead);
  control.start(start);
  command(control, at_ms(500), [](SceneChange& change) { change.pause("beside"); });
  control.show_details(control.scene());
  REQUIRE(control.step(at_ms(900), Nanos(0)));
  CHECK(control.scene().detail_from == at_ms(1000));
  CHECK_FALSE(control.step(at_ms(1500), Nanos(0)));  // no stage follows
  hosts.scene.detail_from = start;
  hosts.scene.volume_stage.from = start;
  CHECK_FALSE(hosts.steps());
  CHECK(best_tick(hosts.scene, hosts.panels));
}

TEST_CASE("a volume that is new on the wall begins with its first stage, and no other does",
          "[director]") {
  const Scene before = [] {
    Scene scene = first_scene({volume_region("main")});
    scene.volume_stage = {2, start};
    return scene;
  }();
  Scene now = before;
  const auto go = [&] {
    now.volume_stage = {};
    for (Region& region : now.regions) region.first_stage = 0;
    set_stages(now, before);
  };
  go();
  CHECK(now.volume_stage == VolumeStage{2, start});
  now.regions.push_back(movie_region("beside", movie_source(100)));
  go();
  CHECK(now.volume_stage == VolumeStage{2, start});
  SourceSpec other = *now.regions[0].source;
  other.path = "another";
  now.regions.push_back(volume_region("new"));
  now.regions[2].source = std::make_shared<const SourceSpec>(other);
  go();
  CHECK(now.volume_stage == VolumeStage{2, start});
  CHECK(stage_of(now.regions[0], 2) == 2);
  CHECK(stage_of(now.regions[2], 2) == 0);
  CHECK(stage_of(now.regions[2], 3) == 1);
  Scene later = now;
  later.regions.erase(later.regions.begin());
  later.regions[1].first_stage = 0;
  set_stages(later, now);  // it stays new where another one leaves the wall
  CHECK(stage_of(later.regions[1], 2) == 0);
}

TEST_CASE("a volume that comes to a wall with all voxels is read in stages beside the others",
          "[director]") {
  Scene before = first_scene({volume_region("main")});
  before.volume_stage = whole_volumes;
  Scene now = before;
  set_stages(now, before);
  CHECK(now.volume_stage == whole_volumes);
  SourceSpec other = *now.regions[0].source;
  other.path = "another";
  now.regions.push_back(volume_region("new"));
  now.regions[1].source = std::make_shared<const SourceSpec>(other);
  set_stages(now, before);
  CHECK(now.volume_stage == VolumeStage{});
  for (const int stage : {0, 1, 7}) {
    CHECK(stage_of(now.regions[0], stage) == whole_volumes.number);
    CHECK(stage_of(now.regions[1], stage) == stage);
  }
  CHECK(stage_of(now.regions[1], whole_volumes.number) == whole_volumes.number);
  CHECK(stage_of(now.regions[1], -1) == 0);
}

TEST_CASE("a wall of several panels begins with the first stage, unless it waits", "[director]") {
  CHECK(first_stage(never) == VolumeStage{});
  CHECK(first_stage(GlobalInstant{}) == whole_volumes);
  CHECK(first_stage(std::nullopt) == whole_volumes);
  CHECK(whole_volumes.next() == whole_volumes.number);
}

TEST_CASE("the panel at the upper right tells what the slowest host has read", "[director]") {
  TwoHosts hosts;
  hosts.wall.panels[1].position_mm = {500, 0};
  hosts.wall.panels[2].position_mm = {500, 300};
  CHECK(read_progress(hosts.wall, hosts.panels) == Progress{});
  for (PanelState& panel : hosts.panels) panel.totals.volume.emplace();
  CHECK(read_progress(hosts.wall, hosts.panels) == Progress{});
  hosts.panels[0].totals.volume->progress = 700;
  hosts.panels[2].totals.volume->progress = 439;
  CHECK(read_progress(hosts.wall, hosts.panels) == Progress{"volume: 43 % read", "c1r0"});
  hosts.panels[1].connection.reset();
  CHECK(read_progress(hosts.wall, hosts.panels).panel == "c2r0");
  hosts.panels[2].totals.volume->progress = hosts.panels[0].totals.volume->progress = 999;
  CHECK_THAT(read_progress(hosts.wall, hosts.panels).text, Catch::Contains("prepared"));
}

TEST_CASE("a line about what is read comes after a second, and goes at once", "[director]") {
  ShowControl control = volume_show();
  const auto told = [&](int ms, const std::string& text) {
    control.set_progress({text, text.empty() ? "" : "c0r0"});
    control.step(at_ms(ms), Nanos(0));
    return control.scene().progress.text;
  };
  CHECK(told(100, "").empty());
  const std::uint64_t epoch = control.scene().epoch;
  CHECK(told(200, "10 %").empty());
  CHECK(told(1050, "20 %").empty());
  CHECK(told(1200, "30 %") == "30 %");
  CHECK(told(1500, "40 %") == "30 %");
  CHECK(told(2300, "50 %") == "50 %");
  CHECK(control.scene().epoch == epoch);  // pictures stay
  CHECK(told(2600, "").empty());
  command(control, at_ms(3000), [](SceneChange& change) { change.set_hints(false); });
  CHECK(told(9000, "60 %").empty());
  command(control, at_ms(9200), [](SceneChange& change) { change.set_hints(true); });
  CHECK(told(9300, "60 %") == "60 %");
  command(control, at_ms(9500), [](SceneChange& change) { change.set_hints(false); });
  CHECK(control.scene().progress.text.empty());  // the line goes with the other hints
}

TEST_CASE("where nothing has a detail, nothing changes", "[director]") {
  TwoHosts hosts;
  for (std::size_t i = 0; i < 3; ++i) hosts.say(i, DetailState::none);
  CHECK_FALSE(hosts.steps());
}

TEST_CASE("panels of one host wait for each other, and a single panel for nobody", "[director]") {
  TwoHosts hosts;
  CHECK(hosts.scene.detail_from == never);
  CHECK(first_detail(hosts.wall, true) < start);
  hosts.wall.panels.pop_back();
  REQUIRE(hosts.wall.panels.size() == 2);
  CHECK(first_detail(hosts.wall, false) == never);
  hosts.wall.panels.pop_back();
  CHECK(first_detail(hosts.wall, false) == std::nullopt);
  Scene scene = first_scene({volume_region("main")});
  CHECK(detail_after(scene, scene) == std::nullopt);
}

TEST_CASE("who is waited for long, and who cannot read its detail, is said once", "[director]") {
  TwoHosts hosts;
  for (std::size_t i = 0; i < 2; ++i) hosts.say(i, DetailState::ready);
  hosts.say(2, DetailState::coming);
  for (const int s : {0, 29, 31, 90}) CHECK_FALSE(hosts.steps(begin + std::chrono::seconds(s)));
  REQUIRE(hosts.notes.lines().size() == 1);
  CHECK_THAT(hosts.notes.lines()[0],
             Catch::Contains("overview") && Catch::Contains("c2r0") && !Catch::Contains("c0r0"));
  hosts.say(2, DetailState::ready);
  hosts.panels[2].totals.volume.emplace().detail_failed = true;
  CHECK(hosts.steps());  // the others go on
  CHECK(hosts.steps());
  REQUIRE(hosts.notes.lines().size() == 2);
  CHECK_THAT(hosts.notes.lines()[1], Catch::Contains("h2"));
}

TEST_CASE("details come at an instant of their own, and go with the look", "[director]") {
  ShowControl control = volume_show();
  const auto scene = [&]() -> const Scene& { return control.scene(); };
  command(control, at_ms(1000), [](SceneChange& change) { change.pause("beside"); });
  CHECK(scene().detail_from == never);
  const std::uint64_t epoch = scene().epoch;
  Scene other = scene();
  --other.epoch;
  control.show_details(other);
  CHECK_FALSE(control.step(at_ms(1900), Nanos(0)));
  control.show_details(scene());
  REQUIRE(control.step(at_ms(1900), Nanos(0)));
  CHECK(scene().epoch == epoch);
  CHECK(scene().detail_from == at_ms(2000));
  CHECK(scene().volume_stage == VolumeStage{1, at_ms(2000)});
  CHECK_FALSE(control.step(at_ms(2500), Nanos(0)));
  // The next stage of volumes, while their details stay.
  control.show_details(scene());
  REQUIRE(control.step(at_ms(2600), Nanos(0)));
  CHECK(scene().epoch == epoch);
  CHECK(scene().detail_from == at_ms(2000));
  CHECK(scene().volume_stage == VolumeStage{2, at_ms(2700)});
  // Another movie picture beside it leaves them.
  command(control, at_ms(3000), [](SceneChange& change) { change.seek_to("beside", 5); });
  CHECK(scene().epoch == epoch + 1);
  CHECK(scene().detail_from == at_ms(2000));
  command(control, at_ms(4000),
          [](SceneChange& change) { change.zoom_about("", 0, 0, 2, Nanos(0)); });
  CHECK(scene().detail_from == never);
  REQUIRE(control.step(at_ms(5000), Nanos(0)));  // in full again
  CHECK(scene().coarser_by == 0);
  CHECK(scene().detail_from == never);
  CHECK(scene().volume_stage == VolumeStage{2, at_ms(2700)});
}

TEST_CASE("a playlist's next volume has details of its own", "[director]") {
  const SourcePtr one = volume_region("").source;
  const SourcePtr other = volume_region("").source;
  const auto list =
      std::make_shared<const SourceSpec>(make_playlist({{one, 0, 1, 5}, {other, 0, 1, 5}}));
  Scene scene = first_scene({movie_region("main", list)});
  scene.detail_from = never;
  ShowControl control(scene, detail_lead);
  control.start(start);
  command(control, at_ms(200), [](SceneChange& change) { change.pause("main"); });
  control.show_details(control.scene());
  REQUIRE(control.step(at_ms(300), Nanos(0)));
  CHECK(control.scene().detail_from == at_ms(400));
  command(control, at_ms(1000), [](SceneChange& change) { change.seek_to("main", 1); });
  CHECK(control.scene().detail_from == at_ms(400));  // the same volume
  command(control, at_ms(2000), [](SceneChange& change) { change.seek_to("main", 7); });
  CHECK(control.scene().detail_from == never);
}

TEST_CASE("while ticks go on, details come with one that no panel has drawn", "[director]") {
  ShowControl control = volume_show();
  control.show_details(control.scene());
  REQUIRE(control.step(at_ms(900), Nanos(0)));
  CHECK(control.scene().detail_from == at_ms(1000 + 12 * 100));
  // Too late for that: they would be read by then, but are not shown.
  command(control, at_ms(1500), [](SceneChange& change) { change.pause("beside"); });
  CHECK(control.scene().detail_from == never);
}

TEST_CASE("a snapshot is of a tick from which on all panels show the best that there is",
          "[director]") {
  TwoHosts hosts;
  hosts.scene.tick_grid = {start, {10, 1}, std::nullopt};
  const auto best = [&] { return best_tick(hosts.scene, hosts.panels); };
  CHECK_FALSE(best());  // nothing is known yet
  for (std::size_t i = 0; i < 3; ++i) hosts.say(i, DetailState::none);
  hosts.say(2, DetailState::ready);
  CHECK_FALSE(best());  // not shown yet
  hosts.scene.detail_from = at_ms(1000);
  hosts.scene.volume_stage = {1, at_ms(1000)};
  CHECK(best() == 11);
  hosts.panels[0].totals.detail.best_tick = 20;
  CHECK(best() == 20);
  hosts.say(1, DetailState::coming);
  CHECK_FALSE(best());
  hosts.panels[1].connection.reset();  // gone
  CHECK(best() == 20);
  hosts.scene.tick_grid.count = 15;
  CHECK(best() == 14);
  hosts.scene.tick_grid = {never, {0, 1}, std::nullopt};
  CHECK(best() == 0);
  hosts.scene = first_scene({movie_region("main", movie_source(100))});
  CHECK(best() == 0);
}
