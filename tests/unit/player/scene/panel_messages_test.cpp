// What a panel reports, key by key: the wire's names do not change, and each means one member.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/scene/arming_messages.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::scene;

namespace {
namespace panel_messages_test {

using Json = nlohmann::json;

Json report() {
  return Json::parse(R"({
    "type": "shown", "schedule": 2, "frames": [[3, 4, 5, 6], [7, 8, 9, 10, 1]],
    "clock_state": "locked", "clock_bound_ns": 11, "clock_holdover_ns": 12, "clock_daemon": 1,
    "clock_failovers": 13, "presenter": "window", "cores": "0-3", "read_bytes": 14,
    "decoded_px": 15, "decode_ns": 16, "present_ns": 17, "damaged_blocks": 18,
    "damaged_frames": 19, "received_bytes": 20, "lost_packets": 21, "repaired_packets": 22,
    "samples": 23, "window_bytes": 24, "staged_bytes": 25, "stage_budget_bytes": 26,
    "peak_rss_bytes": 27, "host_memory_bytes": 28,
    "buffers_ready": 2, "buffers": 3, "level": 4, "realtime": false,
    "late": {"decode": 28, "decoder": 29, "swap": 30}, "late_schedule": 6,
    "pace": {"coarser_by": 5, "pictures": 31, "mean_ns": 32, "median_ns": 33, "median_of": 34,
             "cpu_ns": 35, "ran_ns": 36, "waited_ns": 37},
    "cpus": 6, "detail_schedule": 38, "detail": "coming", "detail_best_tick": 39,
    "detail_stage": 73, "detail_more": true,
    "host_restarts": [{"role": "caster", "key_ns": 40, "died_ns": 41, "back_ns": 42}],
    "decoder": {"movies": [[43, 44, 45, 46]], "device": "vaapi", "device_note": "none",
                "deaths": [[47, 48]]},
    "volume": {"level": 7, "drawn_by": "cpu: sse", "blank": true, "detail_failed": false,
               "still": [49, 50, 51, 52], "moving": [53, 54, 55, 56], "style_ns": 57,
               "occupancy_ns": 58, "cast_ns": 59, "beams_cpu_ns": 60, "sample_cpu_ns": 61,
               "gpu_ns": 62, "annotate_ns": 63, "wait_ns": 64, "copy_ns": 65, "held_bytes": 66,
               "limit_bytes": 67, "read_bytes": 68, "read_bricks": 69, "read_ns": 70,
               "decode_ns": 71, "caster_cpu_ns": 72, "progress": 74}})");
}

}  // namespace panel_messages_test
}  // namespace

TEST_CASE("every key of a panel's report is one member of it", "[scene]") {
  const ShownBatch batch = batch_from_json(panel_messages_test::report());
  CHECK(to_json(batch) == panel_messages_test::report());
  CHECK(batch.epoch == 2);
  REQUIRE(batch.frames.size() == 2);
  CHECK(batch.frames[0].tick == 3);
  CHECK(batch.frames[0].frame == 4);
  CHECK(batch.frames[0].stamp_ns == 5);
  CHECK(batch.frames[0].hash == 6);
  CHECK(batch.frames[0].damage == FrameDamage::none);
  CHECK(batch.frames[1].hash == 10);
  CHECK(static_cast<int>(batch.frames[1].damage) == 1);
  CHECK(batch.clock.state == "locked");
  CHECK(batch.clock.bound_ns == 11);
  CHECK(batch.clock.holdover_ns == 12);
  CHECK(batch.clock.daemon == 1);
  CHECK(batch.clock.failovers == 13);
  CHECK(batch.presenter == "window");
  CHECK(batch.cores == "0-3");
  CHECK(batch.read_bytes == 14);
  CHECK(batch.decoded_px == 15);
  CHECK(batch.decode_ns == 16);
  CHECK(batch.present_ns == 17);
  CHECK(batch.damaged_blocks == 18);
  CHECK(batch.damaged_frames == 19);
  CHECK(batch.received_bytes == 20);
  CHECK(batch.lost_packets == 21);
  CHECK(batch.repaired_packets == 22);
  CHECK(batch.samples == 23);
  CHECK(batch.window_bytes == 24);
  CHECK(batch.staged_bytes == 25);
  CHECK(batch.stage_budget_bytes == 26);
  CHECK(batch.peak_rss_bytes == 27);
  CHECK(batch.late_epoch == 6);
  CHECK(batch.host_memory_bytes == 28);
  CHECK(batch.buffers_ready == 2);
  CHECK(batch.buffers == 3);
  CHECK(batch.level == 4);
  CHECK_FALSE(batch.realtime);
  CHECK(batch.late.decode == 28);
  CHECK(batch.late.decoder == 29);
  CHECK(batch.late.swap == 30);
  CHECK(batch.pace.coarser_by == 5);
  CHECK(batch.pace.pictures == 31);
  CHECK(batch.pace.mean_ns == 32);
  CHECK(batch.pace.median_ns == 33);
  CHECK(batch.pace.median_of == 34);
  CHECK(batch.pace.cpu_ns == 35);
  CHECK(batch.pace.ran_ns == 36);
  CHECK(batch.pace.waited_ns == 37);
  CHECK(batch.cpus == 6);
  CHECK(batch.detail.epoch == 38);
  CHECK(batch.detail.state == DetailState::coming);
  CHECK(batch.detail.best_tick == 39);
  CHECK(batch.detail.stage == 73);
  CHECK(batch.detail.more_comes);
}

TEST_CASE("every key of a host's processes and a volume is one member of theirs", "[scene]") {
  const ShownBatch batch = batch_from_json(panel_messages_test::report());
  REQUIRE(batch.host_restarts.size() == 1);
  CHECK(batch.host_restarts[0].role == "caster");
  CHECK(batch.host_restarts[0].key_ns == 40);
  CHECK(batch.host_restarts[0].died_ns == 41);
  CHECK(batch.host_restarts[0].back_ns == 42);
  REQUIRE(batch.decoder);
  CHECK(batch.decoder->movies == std::vector<DecodedMovie>{{43, 44, 45, 46}});
  CHECK(batch.decoder->device == DecodeDevice::vaapi);
  CHECK(batch.decoder->device_note == "none");
  REQUIRE(batch.decoder->deaths.size() == 1);
  CHECK(batch.decoder->deaths[0].died_ns == 47);
  CHECK(batch.decoder->deaths[0].back_ns == 48);
  REQUIRE(batch.volume);
  const VolumeStatus& volume = *batch.volume;
  CHECK(volume.level == 7);
  CHECK(volume.drawn_by == "cpu: sse");
  CHECK(volume.blank);
  CHECK_FALSE(volume.detail_failed);
  CHECK(volume.still.pictures == 49);
  CHECK(volume.still.p50_ns == 50);
  CHECK(volume.still.p95_ns == 51);
  CHECK(volume.still.max_ns == 52);
  CHECK(volume.moving.pictures == 53);
  CHECK(volume.moving.max_ns == 56);
  CHECK(volume.style_ns == 57);
  CHECK(volume.occupancy_ns == 58);
  CHECK(volume.cast_ns == 59);
  CHECK(volume.beams_cpu_ns == 60);
  CHECK(volume.sample_cpu_ns == 61);
  CHECK(volume.gpu_ns == 62);
  CHECK(volume.annotate_ns == 63);
  CHECK(volume.wait_ns == 64);
  CHECK(volume.copy_ns == 65);
  CHECK(volume.held_bytes == 66);
  CHECK(volume.limit_bytes == 67);
  CHECK(volume.read_bytes == 68);
  CHECK(volume.read_bricks == 69);
  CHECK(volume.read_ns == 70);
  CHECK(volume.decode_ns == 71);
  CHECK(volume.caster_cpu_ns == 72);
  CHECK(volume.progress == 74);
}

TEST_CASE("a report that lacks a key or has a number out of its range is refused", "[scene]") {
  using panel_messages_test::Json;
  const Json good = panel_messages_test::report();
  for (const auto& [key, value] : good.items()) {
    if (key == "type" || key == "host_restarts" || key == "decoder" || key == "volume") continue;
    CAPTURE(key);
    Json lacking = good;
    lacking.erase(key);
    CHECK_THROWS_AS(batch_from_json(lacking), InputError);
  }
  const auto refused = [&](const char* key, const Json& value) {
    Json bad = good;
    bad[key] = value;
    CHECK_THROWS_AS(batch_from_json(bad), InputError);
  };
  refused("buffers", -1);
  refused("cpus", -1);
  refused("frames", {{1, 2, 3}});
  refused("frames", {{1, 2, 3, 4, 5, 6}});
  refused("frames", {{1, 2, 3, 4, 99}});
  refused("detail", "perhaps");
  refused("detail_stage", -1);
}

TEST_CASE("releases and drawn changes keep their numbers apart", "[scene]") {
  using panel_messages_test::Json;
  const Json release = {{"type", "release"}, {"schedule", 3}, {"ticks", {{4, 5}, {5, 6}}}};
  const Release read = release_from_json(release);
  CHECK(read.epoch == 3);
  REQUIRE(read.ticks.size() == 2);
  CHECK(read.ticks[0].tick == 4);
  CHECK(read.ticks[0].delay_ns == 5);
  CHECK(read.ticks[1].delay_ns == 6);
  CHECK(to_json(read) == release);
  const Json drawn = {{"type", "drawn"}, {"schedule", 7}, {"received_ns", 8}, {"ready_ns", 9}};
  const ChangeDrawn change = change_drawn_from_json(drawn);
  CHECK(change.epoch == 7);
  CHECK(change.received_ns == 8);
  CHECK(change.ready_ns == 9);
  CHECK(to_json(change) == drawn);
}

TEST_CASE("a panel's report has lists and counts of bounded size", "[scene][bad-input]") {
  using panel_messages_test::Json;
  const auto takes = [](const char* field, const Json& value) {
    Json json = panel_messages_test::report();
    json[Json::json_pointer(field)] = value;
    try {
      static_cast<void>(batch_from_json(json));
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  const auto list_of = [](std::size_t count, const Json& one) {
    Json list = Json::array();
    for (std::size_t i = 0; i < count; ++i) list.push_back(one);
    return list;
  };
  const Json restart = panel_messages_test::report().at("host_restarts").at(0);
  CHECK(takes("/host_restarts", list_of(10'000, restart)));
  CHECK_FALSE(takes("/host_restarts", list_of(10'001, restart)));
  const Json movie = {43, 44, 45, 46};
  CHECK(takes("/decoder/movies", list_of(10'000, movie)));
  CHECK_FALSE(takes("/decoder/movies", list_of(10'001, movie)));
  CHECK(takes("/buffers", 1024));
  CHECK_FALSE(takes("/buffers", 1025));
  CHECK_FALSE(takes("/buffers", -1));
  CHECK(takes("/cpus", 65'536));
  CHECK_FALSE(takes("/cpus", 65'537));
  CHECK(takes("/cpus", 0));
  CHECK_FALSE(takes("/cpus", -1));
}

TEST_CASE("a report about the scene that may be shown next names its token", "[scene]") {
  using panel_messages_test::Json;
  const Json armed = {{"type", "armed"}, {"token", 7}};
  CHECK(armed_from_json(armed) == ArmedReport{7, {}});
  CHECK(to_json(ArmedReport{7, {}}) == armed);
  const Json amber = {{"type", "armed"}, {"token", 8}, {"missing", {"next.tw: no such file"}}};
  CHECK(armed_from_json(amber) == ArmedReport{8, {"next.tw: no such file"}});
  CHECK(to_json(armed_from_json(amber)) == amber);
  CHECK(disarm_message() == Json{{"type", "disarm"}});
  const auto is_refused = [](const Json& json) {
    try {
      static_cast<void>(armed_from_json(json));
      return false;
    } catch (const InputError&) {
      return true;
    }
  };
  CHECK(is_refused({{"type", "armed"}}));
  CHECK(is_refused({{"type", "armed"}, {"token", 0}}));
  CHECK(is_refused({{"type", "armed"}, {"token", 1}, {"missing", "all"}}));
  Json many = Json::array();
  for (int i = 0; i < 65; ++i) many.push_back("line");
  CHECK(is_refused({{"type", "armed"}, {"token", 1}, {"missing", many}}));
}
