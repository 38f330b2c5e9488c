// What a panel tells the director: totals, instants on the global axis, and messages.

#include "player/panel/panel_report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "net/clock/clock_page.hpp"
#include "player/panel/kept_snapshots.hpp"
#include "player/panel/panel_show.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall::trace;

namespace {

/// The global clock is 1 s ahead of the local one, and is known to 500 ns.
ClockMapping one_second_ahead() {
  ClockMapping mapping;
  mapping.anchor_local = LocalInstant{Nanos(0)};
  mapping.anchor_global = GlobalInstant{Nanos(1'000'000'000)};
  mapping.bound_at_anchor = Nanos(500);
  return mapping;
}

}  // namespace

TEST_CASE("a report says how long a clock has been without its daemon", "[panel]") {
  ClockStatus status;
  status.mapping = one_second_ahead();
  status.state = ClockState::holdover;
  status.daemon = 1;
  status.failovers = 4;
  status.heard = LocalInstant{Nanos(3'000)};
  const ReportedClock clock = reported_clock(status, LocalInstant{Nanos(10'000)});
  CHECK(clock.state == to_string(ClockState::holdover));
  CHECK(clock.bound_ns == 500);
  CHECK(clock.holdover_ns == 7'000);
  CHECK(clock.daemon == 1);
  CHECK(clock.failovers == 4);

  status.state = ClockState::locked;
  CHECK(reported_clock(status, LocalInstant{Nanos(10'000)}).holdover_ns == 0);
}

TEST_CASE("deaths are reported in global time, and no return stays none", "[panel]") {
  DecoderStatus decoder;
  decoder.deaths = {{30, 40}, {50, 0}};
  const std::vector<LoggedRestart> logged = {{"caster", "gpu0", 10, 20}, {"host", "", 15, 0}};
  const ClockMapping mapping = one_second_ahead();

  const std::vector<HostRestart> restarts = host_restarts(logged, decoder, mapping);
  REQUIRE(restarts.size() == 4);
  const HostRestart expected[] = {{"caster", 10, 1'000'000'010, 1'000'000'020},
                                  {"host", 15, 1'000'000'015, 0},
                                  {"decoder", 30, 1'000'000'030, 1'000'000'040},
                                  {"decoder", 50, 1'000'000'050, 0}};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    CAPTURE(i);
    CHECK(restarts[i].role == expected[i].role);
    CHECK(restarts[i].key_ns == expected[i].key_ns);
    CHECK(restarts[i].died_ns == expected[i].died_ns);
    CHECK(restarts[i].back_ns == expected[i].back_ns);
  }
  CHECK(host_restarts(logged, std::nullopt, mapping).size() == 2);

  const DecoderStatus global = on_global_time(decoder, mapping);
  REQUIRE(global.deaths.size() == 2);
  CHECK(global.deaths[0].died_ns == 1'000'000'030);
  CHECK(global.deaths[0].back_ns == 1'000'000'040);
  CHECK(global.deaths[1].back_ns == 0);
}

TEST_CASE("each total of the sources goes into the report under its own name", "[panel]") {
  DecodeTotals totals;
  totals.read_bytes = 1;
  totals.decoded_px = 2;
  totals.decode_ns = 3;
  totals.damaged_blocks = 4;
  totals.damaged_frames = 5;
  totals.received_bytes = 6;
  totals.lost_packets = 7;
  totals.repaired_packets = 8;
  totals.samples = 9;
  totals.window_bytes = 10;
  totals.staged_bytes = 11;
  totals.stage_budget_bytes = 12;
  totals.level = 13;
  ShownBatch batch;
  set_totals(batch, totals, one_second_ahead());
  CHECK(batch.read_bytes == 1);
  CHECK(batch.decoded_px == 2);
  CHECK(batch.decode_ns == 3);
  CHECK(batch.damaged_blocks == 4);
  CHECK(batch.damaged_frames == 5);
  CHECK(batch.received_bytes == 6);
  CHECK(batch.lost_packets == 7);
  CHECK(batch.repaired_packets == 8);
  CHECK(batch.samples == 9);
  CHECK(batch.window_bytes == 10);
  CHECK(batch.staged_bytes == 11);
  CHECK(batch.stage_budget_bytes == 12);
  CHECK(batch.level == 13);
  CHECK_FALSE(batch.decoder);
  CHECK_FALSE(batch.volume);

  totals.decoder.emplace().deaths = {{30, 0}};
  totals.volume.emplace().held_bytes = 77;
  set_totals(batch, totals, one_second_ahead());
  REQUIRE(batch.decoder);
  CHECK(batch.decoder->deaths.at(0).died_ns == 1'000'000'030);
  REQUIRE(batch.volume);
  CHECK(batch.volume->held_bytes == 77);
}

TEST_CASE("a panel's failure says whether its input was bad", "[panel]") {
  const nlohmann::json input = failure_message(InputError({"movie"}, "fps", "a number", "x"));
  CHECK(input.at("type") == "failed");
  CHECK(input.at("bad_input") == true);
  const nlohmann::json job = failure_message(JobError("no window"));
  CHECK(job.at("line") == "no window");
  CHECK(job.at("bad_input") == false);
}

TEST_CASE("a snapshot has a number where the director ordered it", "[panel]") {
  PanelSnapshot snapshot;
  snapshot.wanted_frame = 4;
  snapshot.shown_frame = 5;
  snapshot.epoch = 6;
  snapshot.tick = 7;
  snapshot.size_px = {8, 9};
  const nlohmann::json wanted = scene::to_json(taken(snapshot));
  CHECK(wanted == nlohmann::json{{"type", "snapshot"},
                                 {"wanted_frame", 4},
                                 {"shown_frame", 5},
                                 {"schedule", 6},
                                 {"tick", 7},
                                 {"size_px", {8, 9}}});
  CHECK(scene::taken_snapshot_from_json(wanted) == taken(snapshot));
  snapshot.number = 3;
  CHECK(scene::to_json(taken(snapshot)).at("number") == 3);
  CHECK(scene::taken_snapshot_from_json(scene::to_json(taken(snapshot))) == taken(snapshot));
}

TEST_CASE("frames of the last 4 s are reported again to another director, older ones are not",
          "[panel]") {
  ShownLog log;
  const auto shown = [](std::int64_t tick, std::int64_t ms) {
    return scene::ShownFrame{tick, tick, ms * 1'000'000, 0};
  };
  log.add(1, shown(1, 1000));
  log.add(1, shown(2, 2000));
  CHECK(log.recent().groups.empty());  // nothing was taken
  static_cast<void>(log.take());
  CHECK(log.recent().after_ns == 0);
  log.add(2, shown(0, 5500));
  static_cast<void>(log.take());
  const ShownLog::Recent recent = log.recent();
  REQUIRE(recent.groups.size() == 2);
  CHECK(recent.groups[0].epoch == 1);
  REQUIRE(recent.groups[0].frames.size() == 1);
  CHECK(recent.groups[0].frames[0].tick == 2);
  CHECK(recent.groups[1].epoch == 2);
  CHECK(recent.after_ns == 1'000'000'000);
  CHECK(log.take().empty());
}

TEST_CASE("a report has a batch for each epoch, one at least, each with the totals", "[panel]") {
  const test::TemporaryFolder folder;
  const net::ClockPageWriter page(folder / "page");
  const auto clock = net::ClockPageReader::try_open(folder / "page");
  REQUIRE(clock);
  PanelReport report(*clock, folder / "restarts");
  CHECK(report.pace().pictures == 0);
  report.set_presenter("cpu");
  report.late().add(LateCause::swap, 3, 7);
  const auto epochs = [](const std::vector<ShownBatch>& batches) {
    std::vector<std::pair<std::uint64_t, std::size_t>> frames;
    for (const ShownBatch& batch : batches) {
      CHECK(batch.late.swap == 3);
      frames.emplace_back(batch.epoch, batch.frames.size());
    }
    return frames;
  };
  using Epochs = std::vector<std::pair<std::uint64_t, std::size_t>>;
  CHECK(epochs(report.take(false)) == Epochs{{0, 0}});
  report.shown().add(7, {0, 0, 1'000, 5});
  report.shown().add(7, {1, 1, 2'000, 5});
  report.shown().add(8, {0, 0, 3'000, 5});
  CHECK(epochs(report.take(false)) == Epochs{{7, 2}, {8, 1}});
  CHECK(epochs(report.take(false)) == Epochs{{0, 0}});
  report.shown().add(8, {1, 1, 4'000, 5});
  CHECK(epochs(report.take(true)) == Epochs{{7, 2}, {8, 1}, {8, 1}});
}
