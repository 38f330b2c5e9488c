// Messages about live sources and timelines: each key is one member, and limits are held.

#include "player/scene/live_messages.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/scene/messages.hpp"
#include "player/scene/timeline_json.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::scene;
using Json = nlohmann::json;

namespace {

const Json live_report_json = Json::parse(R"({
  "type": "live_report",
  "shape": {"name": "gs", "grid": [2, 3, 4], "spacing": [0.5, 1.5, 2.5],
            "origin": [-1.0, -2.0, -3.0], "field": "u", "ranks": 5},
  "run": 11, "reached": 12, "kept": [13, 14], "resolved": 15,
  "skipped": [{"timestep": 16, "skip": "blocks", "cause": "rank 3"}],
  "waits_for": "a rank", "refused": "another", "newest_time": 17.5, "received_bytes": 18,
  "lost_packets": 19, "repaired_packets": 20, "received": 21,
  "work": {"timesteps": 22, "wire_s": 23.5, "convert_s": 24.5, "tiles_s": 25.5, "after_s": 26.5}
})");

/// Whether a message is refused whose `pointer` has been replaced.
template <typename Parse>
bool is_refused(const Parse& parse, Json json, const std::string& pointer, const Json& value) {
  json[Json::json_pointer(pointer)] = value;
  try {
    static_cast<void>(parse(json));
    return false;
  } catch (const InputError&) {
    return true;
  }
}

}  // namespace

TEST_CASE("every key of a caster's report is one member of it", "[scene][live]") {
  const LiveReport report = live_report_from_json(live_report_json);
  REQUIRE(report.shape);
  CHECK(*report.shape == LiveShape{"gs", {2, 3, 4}, {0.5, 1.5, 2.5}, {-1, -2, -3}, "u", 5});
  CHECK(report.run == 11);
  CHECK(report.reached == 12);
  CHECK(report.kept == std::vector<std::int64_t>{13, 14});
  CHECK(report.resolved == 15);
  REQUIRE(report.skipped.size() == 1);
  CHECK(report.skipped[0].timestep == 16);
  CHECK(report.skipped[0].skip == LiveSkip::blocks);
  CHECK(report.skipped[0].cause == "rank 3");
  CHECK(report.waits_for == "a rank");
  CHECK(report.refused == "another");
  CHECK(report.newest_time == 17.5);
  CHECK(report.received_bytes == 18);
  CHECK(report.lost_packets == 19);
  CHECK(report.repaired_packets == 20);
  CHECK(report.received == 21);
  CHECK(report.work == LiveWork{22, 23.5, 24.5, 25.5, 26.5});
  CHECK(to_json(report) == live_report_json);
  Json without = live_report_json;
  without.erase("shape");
  CHECK_FALSE(live_report_from_json(without).shape);
  CHECK(to_json(live_report_from_json(without)) == without);
}

TEST_CASE("a caster's report is refused by numbers out of their range",
          "[scene][live][bad-input]") {
  const auto refused = [](const std::string& pointer, const Json& value) {
    return is_refused(live_report_from_json, live_report_json, pointer, value);
  };
  CHECK_FALSE(refused("/shape/grid", {1, 8192, 1}));
  CHECK(refused("/shape/grid", {1, 8193, 1}));
  CHECK(refused("/shape/grid", {0, 1, 1}));
  CHECK(refused("/shape/grid", {1, 1}));
  CHECK(refused("/shape/spacing", {1.0, 0.0, 1.0}));
  CHECK(refused("/shape/spacing", {1.0, 1.0}));
  CHECK_FALSE(refused("/shape/origin", {0.0, 0.0, 0.0}));
  CHECK(refused("/shape/origin", {0.0, 0.0}));
  CHECK(refused("/shape/ranks", 0));
  CHECK_FALSE(refused("/reached", -1));
  CHECK(refused("/reached", -2));
  CHECK(refused("/kept", {-1}));
  CHECK(refused("/skipped/0/skip", "never"));
  const Json one = live_report_json["skipped"][0];
  CHECK_FALSE(refused("/skipped", std::vector<Json>(16, one)));
  CHECK(refused("/skipped", std::vector<Json>(17, one)));
}

TEST_CASE("every key of messages between panels, casters and the director is one member",
          "[scene][live]") {
  const LiveOrder order{31, 32, {33, 34}};
  CHECK(to_json(order) ==
        Json{{"type", "live_order"}, {"run", 31}, {"wanted", 32}, {"on_wall", {33, 34}}});
  CHECK(live_order_from_json(to_json(order)) == order);
  CHECK(is_refused(live_order_from_json, to_json(order), "/wanted", -2));
  const Json drawn = {{"type", "live_drawn"}, {"source", "live:gs"}, {"number", 35}};
  CHECK(live_drawn_from_json(drawn).source == "live:gs");
  CHECK(live_drawn_from_json(drawn).number == 35);
  CHECK(to_json(live_drawn_from_json(drawn)) == drawn);
  const Json hello = {{"type", "caster_hello"},
                      {"protocol", control_protocol_version},
                      {"pid", 36},
                      {"host", "h1"},
                      {"source", "live:gs"}};
  CHECK(caster_hello_from_json(hello).pid == 36);
  CHECK(caster_hello_from_json(hello).host == "h1");
  CHECK(caster_hello_from_json(hello).source == "live:gs");
  CHECK(to_json(caster_hello_from_json(hello)) == hello);
  CHECK(is_refused(caster_hello_from_json, hello, "/protocol", control_protocol_version - 1));
}

TEST_CASE("a live source's box goes round the centres of its voxels", "[scene][live]") {
  LiveShape shape;
  shape.grid = {5, 3, 1};
  shape.spacing = {0.5, 2, 4};
  shape.origin = {10, 20, 30};
  const render::WorldBox box = box_of(shape);
  CHECK(box.centre.x == 11);  // half of 4 * 0.5
  CHECK(box.centre.y == 22);
  CHECK(box.centre.z == 30);
  CHECK(box.half[0].x == 1);
  CHECK(box.half[1].y == 2);
  CHECK(box.half[2].z == 2);  // one voxel, as thick as it is
}

TEST_CASE("every key of a timeline and a tick grid is one member", "[scene]") {
  const Json json = {{"start_ns", 5},       {"rate_fps", {24000, 1001}}, {"first_frame", 10},
                     {"end_frame", 20},     {"start_frame", 12},         {"direction", -1},
                     {"loop", "ping_pong"}, {"tick_limit", 30}};
  const sync::Timeline line = timeline_from_json(json);
  CHECK(line.start == GlobalInstant{Nanos(5)});
  CHECK(line.rate_fps == Rational{24000, 1001});
  CHECK(line.first_frame == 10);
  CHECK(line.end_frame == 20);
  CHECK(line.start_frame == 12);
  CHECK(line.direction == -1);
  CHECK(line.loop == sync::LoopMode::ping_pong);
  CHECK(line.tick_limit == 30);
  CHECK(to_json(line) == json);
  const auto refused = [&](const std::string& pointer, const Json& value) {
    return is_refused(timeline_from_json, json, pointer, value);
  };
  CHECK_FALSE(refused("/start_frame", 10));
  CHECK_FALSE(refused("/start_frame", 19));
  CHECK(refused("/start_frame", 9));
  CHECK(refused("/start_frame", 20));
  CHECK(refused("/end_frame", 10));
  CHECK(refused("/direction", 0));
  CHECK(refused("/direction", 2));
  CHECK(refused("/loop", "always"));
  CHECK(refused("/rate_fps", {24}));
  CHECK_FALSE(refused("/start_ns", std::int64_t{1} << 62));
  CHECK(refused("/start_ns", (std::int64_t{1} << 62) + 1));
  CHECK(refused("/start_ns", -(std::int64_t{1} << 62) - 1));

  const Json grid = {{"start_ns", 6}, {"rate_fps", {25, 2}}, {"count", 7}};
  const sync::TickGrid ticks = tick_grid_from_json(grid);
  CHECK(ticks.start == GlobalInstant{Nanos(6)});
  CHECK(ticks.rate_fps == Rational{25, 2});
  CHECK(ticks.count == 7);
  CHECK(to_json(ticks) == grid);
  CHECK(is_refused(tick_grid_from_json, grid, "/count", 0));
  CHECK(is_refused(tick_grid_from_json, grid, "/rate_fps", {-1, 2}));
}
