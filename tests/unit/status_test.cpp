#include "player/director/status.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
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
  ledger.open_schedule(1, own_ticks(timeline));
  ledger.add(0, 1, {0, 41, start.since_epoch.count(), 0xabc});
  ledger.add(1, 1, {0, 41, start.since_epoch.count() + 5000, 0});
  std::vector<PanelState> panels(2);
  panels[0].connection = 1;
  panels[0].heard_at = LocalInstant{Nanos(1'500'000'000)};
  panels[0].totals.clock.state = "locked";
  panels[0].totals.clock.bound_ns = 1500;
  panels[0].totals.buffers_ready = 3;
  const std::vector<Restart> restarts = {{"panel", "right", 1.0, std::nullopt, true}};
  const Scene scene = first_scene({movie_region("main", movie_source(100))});
  const StatusInput input{wall,
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
  CHECK(left.at("skew_us").at("max") == 0.0);
  const auto& right = status.at("per_panel").at(1);
  CHECK(right.at("connected") == false);
  CHECK(right.at("silent_s").is_null());
  CHECK(right.at("skew_us").at("p99") == 5.0);
  CHECK(right.at("swap_offset_us").at("p99") == 5.0);
  CHECK(right.at("restarts") == 1);
}
