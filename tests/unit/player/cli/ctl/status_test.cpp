#include "player/director/status.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/cli/ctl/words.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall::wall;
using test::start;

namespace {

Wall wall_of_two() {
  Wall wall;
  wall.name = "pair";
  for (const char* name : {"left", "right"}) {
    wall.panels.emplace_back();
    wall.panels.back().name = name;
  }
  return wall;
}

}  // namespace

TEST_CASE("the status says of every panel what it shows and how far apart", "[director]") {
  const Wall wall = wall_of_two();
  ShowLedger ledger(2, true);
  Timeline timeline;
  timeline.start = start;
  timeline.rate_fps = {10, 1};
  timeline.end_frame = 100;
  ledger.open_epoch(1, own_ticks(timeline));
  ledger.add(0, 1, {0, 41, start.since_epoch.count(), 0xabc});
  ledger.add(1, 1, {0, 41, start.since_epoch.count() + 5000, 0});
  std::vector<PanelState> panels(2);
  panels[0].connection = 1;
  panels[0].heard_at = LocalInstant{Nanos(1'500'000'000)};
  panels[0].totals.clock.state = "locked";
  panels[0].totals.clock.bound_ns = 1500;
  panels[0].totals.buffers_ready = 3;
  panels[0].totals.peak_rss_bytes = 50'000'000;
  panels[0].totals.host_memory_bytes = 600'000'000;
  const std::vector<Restart> restarts = {{"panel", "right", 1.0, std::nullopt, true}};
  const Scene scene = first_scene({movie_region("main", movie_source(100))});
  StatusInput input{wall,
                    ledger,
                    panels,
                    restarts,
                    scene,
                    "playing",
                    LatePolicy::drop,
                    timeline.rate_fps,
                    42,
                    58,
                    start + Nanos(500'000'000),
                    LocalInstant{Nanos(2'000'000'000)},
                    LocalInstant{Nanos(0)},
                    {},
                    "panel left: a.nrrd: a broken chunk"};
  input.late_by_cause = {{{LateCause::decode, 3}, {LateCause::gone, 40}}};
  const auto status = status_json(input);
  CHECK(status.at("type") == "status");
  CHECK(status.at("phase") == "playing");
  CHECK(status.at("frame") == 42);
  CHECK(status.at("frames_left") == 58);
  CHECK(status.at("late") == "drop");
  CHECK(status.at("running_s") == 2.0);
  CHECK(status.at("last_note") == "panel left: a.nrrd: a broken chunk");
  CHECK(status.at("skew_us").at("max") == 5.0);
  const auto& left = status.at("per_panel").at(0);
  CHECK(left.at("panel") == "left");
  CHECK(left.at("connected") == true);
  CHECK(left.at("hash") == "0000000000000abc");
  CHECK(left.at("frame") == 41);
  CHECK(left.at("clock_bound_us") == 1.5);
  CHECK(left.at("buffers_ready") == 3);
  CHECK(left.at("silent_s") == 0.5);
  CHECK(left.at("late_by_cause") == nlohmann::json{{"decode", 3}, {"gone", 40}});
  CHECK(left.at("peak_rss_bytes") == 50'000'000);
  CHECK(left.at("host_memory_bytes") == 600'000'000);
  CHECK(left.at("skew_us").at("max") == 0.0);
  const auto& right = status.at("per_panel").at(1);
  CHECK(right.at("connected") == false);
  CHECK(right.at("silent_s").is_null());
  CHECK(right.at("skew_us").at("p99") == 5.0);
  CHECK(right.at("swap_offset_us").at("p99") == 5.0);
  CHECK(right.at("restarts") == 1);
  CHECK(right.at("late_by_cause").empty());
}

namespace {

/// Two panels that are there and were heard of just now.
std::vector<PanelState> two_well(LocalInstant now) {
  std::vector<PanelState> panels(2);
  for (std::size_t i = 0; i < 2; ++i) {
    panels[i].connection = i + 1;
    panels[i].primed = true;
    panels[i].heard_at = now;
    panels[i].totals.clock.state = "locked";
  }
  return panels;
}

LocalInstant after_s(int seconds) { return LocalInstant{std::chrono::seconds(seconds)}; }

}  // namespace

TEST_CASE("the light is green, yellow or red, and says why", "[director]") {
  const Wall wall = wall_of_two();
  const LocalInstant now = after_s(100);
  std::vector<PanelState> panels = two_well(now);
  HealthInput input{wall, panels, "playing", "", {}, {}, {}, 0, now};
  const auto is = [&](Light light, const std::vector<std::string>& reasons) {
    const Health health = health_of(input);
    CHECK(health.light == light);
    CHECK(health.reasons == reasons);
  };
  is(Light::green, {"all 2 panels show every frame in time"});
  input.recent.frames_due = 240;
  input.recent.frames_late = 3;
  input.recent.late_by_panel = {0, 3};
  input.late_causes = {"", "decode"};
  is(Light::yellow, {"3 of 240 frames late in 10 s on panel right (decode)"});
  input.recent.frames_late = 121;
  is(Light::red, {"121 of 240 frames late in 10 s on panel right (decode)"});
  input.recent = {};
  input.recent.decoder_deaths = 1;
  input.coarser_by = 1;
  is(Light::yellow, {"the movie decoder died 1 time in the last minute",
                     "shown 1 level below full detail, to keep up"});
  input.recent.decoder_deaths = 3;
  is(Light::red, {"the movie decoder died 3 times in the last minute",
                  "shown 1 level below full detail, to keep up"});
  input.recent = {};
  input.coarser_by = 0;
  panels[0].heard_at = after_s(98);
  panels[1].connection.reset();
  is(Light::red, {"panel right gone", "no sign of life from panel left for more than 1.5 s"});
  input.phase = "gathering";
  is(Light::yellow, {"waiting for a picture from panel right"});
}

TEST_CASE("a light names what was lost on panels that are there", "[director]") {
  const Wall wall = wall_of_two();
  const LocalInstant now = after_s(100);
  std::vector<PanelState> panels = two_well(now);
  HealthInput input{wall, panels, "playing", "", {}, {}, {}, 0, now};
  using Reasons = std::vector<std::string>;
  panels[1].totals.clock.state = "holdover";
  CHECK(health_of(input).light == Light::yellow);
  CHECK(health_of(input).reasons == Reasons{"no clock daemon answers the host of panel right"});
  input.phase = "gathering";
  CHECK(health_of(input).reasons == Reasons{"the show is about to start"});
  input.phase = "playing";
  panels[1].connection.reset();
  CHECK(health_of(input).reasons == Reasons{"panel right gone"});
  panels = two_well(now);
  input.frozen = {"left", "sound"};
  input.recent.damaged_frames = 1;
  input.recent.restarts = 2;
  input.error = "no panel is left";
  CHECK(health_of(input).light == Light::red);
  CHECK(health_of(input).reasons == Reasons{"no panel is left", "content frozen: left, sound",
                                            "2 processes were restarted in the last minute",
                                            "1 damaged picture in 10 s"});
}

TEST_CASE("a light names three panels, and counts the others", "[director]") {
  Wall wall;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    wall.panels.emplace_back();
    wall.panels.back().name = name;
    wall.panels.back().host = name[0] < 'd' ? "" : "wall-02";
  }
  const LocalInstant now = after_s(100);
  std::vector<PanelState> panels(5);
  for (PanelState& panel : panels) panel.heard_at = now;
  HealthInput input{wall, panels, "gathering", "", {}, {}, {}, 0, now};
  CHECK(health_of(input).reasons ==
        std::vector<std::string>{"waiting for a picture from panels a, b, c and 2 more"});
  panels[0].connection = panels[1].connection = 1;
  panels[1].primed = true;
  CHECK(health_of(input).reasons ==
        std::vector<std::string>{"waiting for a picture from panels a, c, d and 1 more"});
  input.phase = "playing";
  CHECK(health_of(input).reasons ==
        std::vector<std::string>{"host wall-02 gone (panels d, e)", "panel c gone"});
}

TEST_CASE("what went wrong is forgotten after ten seconds, what died after a minute",
          "[director]") {
  TroubleHistory history;
  TroubleCounts counts;
  const auto sample = [&](int from_s, int end_s) {
    for (int second = from_s; second < end_s; ++second) {
      REQUIRE(history.wants_sample(after_s(second)));
      history.add(after_s(second), counts);
      CHECK_FALSE(history.wants_sample(after_s(second)));
    }
  };
  sample(100, 103);
  counts = {48, 5, {5, 0}, 2, 1, 1};
  const TroubleCounts at_once = history.growth(after_s(103), counts);
  CHECK(at_once.frames_late == 5);
  CHECK(at_once.damaged_frames == 2);
  CHECK(at_once.late_by_panel == std::vector<std::int64_t>{5, 0});
  sample(103, 120);
  const TroubleCounts later = history.growth(after_s(120), counts);
  CHECK(later.frames_late == 0);
  CHECK(later.decoder_deaths == 1);
  sample(120, 170);
  CHECK(history.growth(after_s(170), counts).decoder_deaths == 0);
}

TEST_CASE("the status as text begins with the light and leaves figures to --verbose",
          "[director]") {
  const Wall wall = wall_of_two();
  ShowLedger ledger(2, false);
  const LocalInstant now = after_s(100);
  const std::vector<PanelState> panels = two_well(now);
  const std::vector<Restart> restarts = {{"decoder", "", 1.0, 1.3, false, "vm"},
                                         {"decoder", "", 3.0, std::nullopt, true, "vm"},
                                         {"sound", "", 5.0, 5.2, false, "vm"}};
  Region region = movie_region("main", movie_source(100));
  region.timeline.start = start;
  region.timeline.rate_fps = {0, 1};
  Scene scene = first_scene({region});
  const StatusInput input{wall,
                          ledger,
                          panels,
                          restarts,
                          scene,
                          "paused",
                          LatePolicy::drop,
                          {0, 1},
                          12,
                          88,
                          start,
                          now,
                          LocalInstant{after_s(60)}};
  const auto json = status_json(input);
  CHECK(json.at("light") == "green");
  CHECK(json.at("decoder_deaths") == 2);
  CHECK(json.at("restarts") == 3);
  CHECK(status_text(json, {}) ==
        "green: all 2 panels show every frame in time\n"
        "pair: paused, frame 12 of 100, 0:01.2 of 0:10.0, 10 fps when it plays, late policy drop, "
        "for 40 s\n"
        "shown 0 of 0 frames, 0 late; 3 restarts, 2 decoder deaths\n");
  CHECK_THAT(status_text(json, {true, true}),
             Catch::StartsWith("\033[1;32mgreen\033[0m: all 2 panels") &&
                 Catch::Contains("\nskew p50 ") && Catch::Contains("\nleft "));
  CHECK_FALSE(status_json(input, {false, false}).contains("per_panel"));
}

TEST_CASE("a host's movies are counted once each, whichever of its panels tell of them",
          "[director]") {
  const auto panel = [](const std::string& host, std::vector<DecodedMovie> movies) {
    PanelState state;
    state.host = host;
    state.totals.decoder.emplace();
    state.totals.decoder->movies = std::move(movies);
    return state;
  };
  // On the first host, two panels show one movie and a third shows another.
  std::vector<PanelState> panels = {panel("one", {{7, 100, 1000, 10}}),
                                    panel("one", {{7, 98, 980, 9}}),
                                    panel("one", {{8, 60, 600, 6}}), panel("two", {{7, 5, 50, 1}})};
  panels[0].totals.decoder->device = DecodeDevice::cuda;
  panels.emplace_back();  // it shows no movie
  const auto decoders = decoders_of(panels);
  REQUIRE(decoders.size() == 2);
  CHECK(sum_of(decoders.at("one").movies) == DecodedMovie{0, 160, 1600, 16});
  CHECK(decoders.at("one").device == DecodeDevice::cuda);
  CHECK(sum_of(decoders.at("two").movies).pictures == 5);
}
