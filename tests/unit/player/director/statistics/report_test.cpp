// A show's report: each figure under its own key.

#include "player/director/statistics/report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall::trace;
using namespace tilewall::wall;
using test::start;

namespace {
namespace report_test {

using Json = nlohmann::json;

Wall wall_of_three() {
  Wall wall;
  wall.name = "three";
  for (const char* name : {"left", "middle", "right"}) {
    wall.panels.emplace_back();
    wall.panels.back().name = name;
  }
  return wall;
}

VolumeStatus volume_of(std::uint64_t beams_s, std::uint64_t sample_s, std::uint64_t caster_s) {
  constexpr std::uint64_t second = 1'000'000'000;
  VolumeStatus volume;
  volume.style_ns = 1 * second;
  volume.occupancy_ns = 2 * second;
  volume.cast_ns = 4 * second;
  volume.beams_cpu_ns = beams_s * second;
  volume.sample_cpu_ns = sample_s * second;
  volume.gpu_ns = 7 * second;
  volume.annotate_ns = 8 * second;
  volume.wait_ns = 9 * second;
  volume.copy_ns = 10 * second;
  volume.held_bytes = 11;
  volume.limit_bytes = 12;
  volume.read_bytes = 13;
  volume.read_bricks = 14;
  volume.read_ns = 15 * second;
  volume.decode_ns = 16 * second;
  volume.caster_cpu_ns = caster_s * second;
  volume.level = 2;
  volume.drawn_by = "cpu: avx2";
  volume.still = {3, 4'000'000, 5'000'000, 6'000'000};
  volume.moving = {30, 40'000'000, 50'000'000, 60'000'000};
  return volume;
}

/// Of a show of three panels on two hosts.
class Show {
 public:
  Show() {
    for (std::size_t i = 0; i < 3; ++i) {
      panels[i].host = i == 1 ? "two" : "one";
      panels[i].pid = 100 + static_cast<int>(i);
    }
    ShownBatch& totals = panels[0].totals;
    totals.presenter = "window";
    totals.cores = "0-3";
    totals.read_bytes = 1;
    totals.decoded_px = 4'000'000;
    totals.decode_ns = 2'000'000'000;
    totals.present_ns = 3'000'000'000;
    totals.damaged_blocks = 5;
    totals.damaged_frames = 6;
    totals.received_bytes = 7;
    totals.lost_packets = 8;
    totals.repaired_packets = 9;
    totals.window_bytes = 10;
    totals.stage_budget_bytes = 11;
    totals.peak_rss_bytes = 12;
    totals.samples = 20'000'000;
    panels[0].staged_bytes.add(20, false);
    panels[0].staged_bytes.add(15, true);
    panels[0].staged_bytes.add(30, true);
    panels[0].buffers_ready.add(4, false);
    panels[0].buffers_ready.add(3, false);
    panels[1].totals.damaged_frames = 60;
    bounds_ns.add(2000);
  }

  [[nodiscard]] ReportInput input() const {
    return {wall,
            BezelMode::show,
            ContentMode::arc_length,
            ledger,
            panels,
            restarts,
            bounds_ns,
            true,
            "",
            {"a note"},
            1.5,
            [](GlobalInstant at) {
              return std::chrono::duration<double>(at.since_epoch - start.since_epoch).count();
            },
            std::nullopt};
  }

  Wall wall = wall_of_three();
  ShowLedger ledger{3, true};
  std::vector<PanelState> panels = std::vector<PanelState>(3);
  std::vector<Restart> restarts;
  LogHistogram bounds_ns;
};

}  // namespace report_test
}  // namespace

TEST_CASE("a report has every figure of a panel under its key", "[director]") {
  report_test::Show show;
  const auto report = report_json(show.input());
  auto left = report.at("per_panel").at(0);
  for (const char* spread : {"skew_us", "swap_offset_us"})
    CHECK(left.at(spread) == report_test::Json{{"p50", 0.0}, {"p99", 0.0}, {"max", 0.0}});
  left.erase("skew_us");
  left.erase("swap_offset_us");
  CHECK(left == report_test::Json{{"panel", "left"},
                                  {"host", "one"},
                                  {"pid", 100},
                                  {"presenter", "window"},
                                  {"cores", "0-3"},
                                  {"frames_shown", 0},
                                  {"frames_late", 0},
                                  {"decode_mpixel_s", 2.0},
                                  {"decoded_px", 4'000'000},
                                  {"decode_s", 2.0},
                                  {"present_s", 3.0},
                                  {"read_bytes", 1},
                                  {"received_bytes", 7},
                                  {"lost_packets", 8},
                                  {"repaired_packets", 9},
                                  {"window_bytes", 10},
                                  {"damaged_blocks", 5},
                                  {"damaged_frames", 6},
                                  {"peak_rss_bytes", 12},
                                  {"staged_bytes", {{"lowest", 15}, {"peak", 30}}},
                                  {"stage_budget_bytes", 11},
                                  {"buffers_ready", {{"lowest", nullptr}, {"peak", 4}}},
                                  {"frames", report_test::Json::array()}});
  CHECK(report.at("per_panel").at(1).at("panel") == "middle");
  CHECK(report.at("per_panel").at(1).at("decode_mpixel_s") == 0.0);
  CHECK(report.at("per_panel").at(2).at("pid") == 102);
  CHECK(report.at("wall").at("name") == "three");
  CHECK(report.at("wall").at("panels") == 3);
  CHECK(report.at("damaged_frames") == 66);
  CHECK(report.at("clock_error_us").at("max") == 2.0);
  CHECK(report.at("start_s") == 1.5);
  CHECK(report.at("notes") == report_test::Json{"a note"});
  for (const char* absent : {"error", "trace", "decoders", "volume"})
    CHECK_FALSE(report.contains(absent));
}

TEST_CASE("a report has a volume's times, and their sums over panels and hosts", "[director]") {
  report_test::Show show;
  show.panels[0].totals.volume = report_test::volume_of(5, 6, 18);
  show.panels[1].totals.volume = report_test::volume_of(50, 60, 100);
  show.panels[2].totals.volume = report_test::volume_of(500, 600, 17);  // of the first one's host
  const auto report = report_json(show.input());
  CHECK(report.at("per_panel").at(0).at("volume") ==
        report_test::Json{
            {"drawn_by", "cpu: avx2"},
            {"samples", 20'000'000},
            {"msample_s", 5.0},
            {"style_s", 1.0},
            {"occupancy_s", 2.0},
            {"cast_s", 4.0},
            {"beams_cpu_s", 5.0},
            {"sample_cpu_s", 6.0},
            {"gpu_s", 7.0},
            {"annotate_s", 8.0},
            {"wait_s", 9.0},
            {"copy_s", 10.0},
            {"present_s", 3.0},
            {"held_bytes", 11},
            {"memory_limit_bytes", 12},
            {"level", 2},
            {"read_bytes", 13},
            {"read_bricks", 14},
            {"read_s", 15.0},
            {"decode_s", 16.0},
            {"caster_cpu_s", 18.0},
            {"still_ms", {{"pictures", 3}, {"p50", 4.0}, {"p95", 5.0}, {"max", 6.0}}},
            {"moving_ms", {{"pictures", 30}, {"p50", 40.0}, {"p95", 50.0}, {"max", 60.0}}}});
  CHECK(report.at("volume") ==
        report_test::Json{{"casters", 2}, {"cast_cpu_s", 1221.0}, {"caster_cpu_s", 118.0}});
}

TEST_CASE("a report has the restarts in their order and the deaths of decoders", "[director]") {
  report_test::Show show;
  using report_test::Json;
  show.restarts = {{"decoder", "", 3.0, 3.5, true, "one"},
                   {"panel", "right", 0.5, std::nullopt, false},
                   {"decoder", "", 4.0, std::nullopt, false, "two"},
                   {"decoder", "", 5.0, std::nullopt, false, "two"},
                   {"caster", "", 6.0, std::nullopt, false, "two"}};
  show.panels[0].totals.decoder.emplace();
  show.panels[0].totals.decoder->movies = {{7, 100, 8'000'000, 2'000'000'000}};
  show.panels[0].totals.decoder->device = DecodeDevice::cuda;
  show.panels[1].totals.decoder.emplace();
  show.panels[1].totals.decoder->device_note = "no GPU";
  const auto report = report_json(show.input());
  const auto& restarts = report.at("restarts");
  REQUIRE(restarts.size() == 5);
  CHECK(restarts.at(0) ==
        Json{{"role", "panel"}, {"panel", "right"}, {"at_s", 0.5}, {"back_s", nullptr}});
  CHECK(restarts.at(1) == Json{{"role", "decoder"},
                               {"panel", nullptr},
                               {"host", "one"},
                               {"at_s", 3.0},
                               {"back_s", 3.5},
                               {"hung", true}});
  CHECK(restarts.at(2).at("at_s") == 4.0);
  const auto& decoders = report.at("decoders");
  REQUIRE(decoders.size() == 2);
  CHECK(decoders.at(0) == Json{{"host", "one"},
                               {"decoded_pictures", 100},
                               {"decode_cpu_s", 2.0},
                               {"decode_mpixel_s", 4.0},
                               {"device", "cuda"},
                               {"device_note", ""},
                               {"deaths", 1}});
  CHECK(decoders.at(1).at("device") == "cpu");
  CHECK(decoders.at(1).at("decode_mpixel_s") == 0.0);
  CHECK(decoders.at(1).at("deaths") == 2);
  CHECK(report.at("damage").at("decoder_deaths") == 3);
  CHECK(report.at("notes") == Json{"a note", "the decoder on one died 1 time",
                                   "the movie is decoded by the processor on two: no GPU",
                                   "the decoder on two died 2 times"});
}

TEST_CASE("a report has the hashes, and the panels that came late", "[director]") {
  report_test::Show show;
  using report_test::Json;
  Timeline line;
  line.start = start;
  line.rate_fps = {10, 1};
  line.end_frame = 100;
  show.ledger.open_epoch(1, own_ticks(line));
  const std::int64_t stamp_ns = start.since_epoch.count() + 2'500'000'000;
  show.ledger.add(1, 1, {25, 41, stamp_ns, 0xabc});
  show.panels[1].missed_start = true;
  show.panels[2].missed_start = true;
  ReportInput input = show.input();
  const auto report = report_json(input);
  const auto& middle = report.at("per_panel").at(1);
  CHECK(middle.at("last_frame") == 41);
  CHECK(middle.at("frames") == Json{{{"frame", 41},
                                     {"tick", 25},
                                     {"due_ns", 3'500'000'000},
                                     {"stamp_ns", stamp_ns},
                                     {"hash", "0000000000000abc"}}});
  CHECK_FALSE(report.at("per_panel").at(0).contains("last_frame"));
  CHECK(report.at("missing_at_start") == Json{{{"panel", "middle"}, {"joined_s", 2.5}},
                                              {{"panel", "right"}, {"joined_s", nullptr}}});
  input.hashes = false;
  CHECK_FALSE(report_json(input).at("per_panel").at(1).contains("frames"));
}

TEST_CASE("a report says what its trace lacks", "[director]") {
  report_test::Show show;
  using report_test::Json;
  ReportInput input = show.input();
  input.error = "it broke";
  input.start_s.reset();
  input.trace = TraceSummary{100, 3, 5000, ""};
  auto report = report_json(input);
  CHECK(report.at("error") == "it broke");
  CHECK(report.at("start_s").is_null());
  CHECK(report.at("trace") ==
        Json{{"events", 100}, {"events_dropped", 3}, {"written_bytes", 5000}});
  CHECK(report.at("notes").back() == "the trace lacks 3 events: its buffers were full");
  input.trace->problem = "no space";
  report = report_json(input);
  CHECK(report.at("notes") == Json{"a note", "no space"});
  input.trace = TraceSummary{100, 0, 5000, ""};
  CHECK(report_json(input).at("notes") == Json{"a note"});
}
