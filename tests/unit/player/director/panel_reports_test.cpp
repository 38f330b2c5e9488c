// What is entered for panels that are not there when a show begins and ends.

#include "player/director/panel_reports.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "net/socket.hpp"
#include "player/director/show_options.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::at_ms;
using test::start;

namespace {

ShowOptions options_of(std::size_t panels) {
  ShowOptions options;
  for (std::size_t i = 0; i < panels; ++i) {
    options.wall.panels.emplace_back();
    options.wall.panels.back().name = "p" + std::to_string(i);
  }
  options.scene = first_scene({movie_region("main", movie_source(100))});
  options.command_start = local_now();
  return options;
}

/// A show of three panels; its clock daemon never answers.
struct Show {
  ShowOptions options = options_of(3);
  UniqueFd daemon = net::bind_udp(net::resolve("127.0.0.1:0", "test"));
  net::ClockClient clock{net::to_string(net::local_address(daemon.get()))};
  ShowControl control{options.scene, Nanos(100'000'000)};
  ShowLedger ledger{3, false};
  Roster roster{options.wall, options.command_start};
  ShowNotes notes{[](const std::string&) {}};
  UniqueFd journal_memory{JournalMemory::make()};
  test::TemporaryFolder folder;
  ShowJournal journal{journal_memory.get(), folder / "journal.jsonl"};
  CueDesk cues{options.wall, {}};
  ShowLog log{-1, {}};
  ShowParts parts{options, clock, control, cues, ledger, roster, notes, journal, log};
  ShowLifecycle lifecycle{parts, {}};
  PanelReports reports{parts, lifecycle, [](const char*, const nlohmann::json&) {}};
};

}  // namespace

TEST_CASE("panels that never come have missed all frames, the first as well as the last",
          "[director]") {
  Show show;
  scene::PanelHello hello;
  hello.panel = 1;
  static_cast<void>(show.roster.join(7, hello));
  show.roster.set_primed(1);
  show.roster.note_missing();
  show.reports.prepare_start();
  sync::Timeline line;
  line.start = start;
  line.rate_fps = {10, 1};
  line.end_frame = 100;
  show.ledger.open_epoch(1, sync::own_ticks(line));
  for (std::int64_t tick = 0; tick < 8; ++tick)
    show.ledger.add(1, 1, {tick, tick, at_ms(100 * tick).since_epoch.count(), 7});
  show.ledger.close_epoch(1, at_ms(750));  // eight ticks were due
  show.reports.end();
  const nlohmann::json events = show.reports.late().events();
  REQUIRE(events.size() == 2);
  CHECK(events[0].at("panel") == "p0");
  CHECK(events[1].at("panel") == "p2");
  for (const auto& event : events) {
    CHECK(event.at("cause") == "gone");
    CHECK(event.at("frames") == 8);
  }
}

TEST_CASE("the longest time of which a panel's frames are not counted is known", "[director]") {
  Show show;
  sync::Timeline line;
  line.start = start;
  line.rate_fps = {10, 1};
  line.end_frame = 100;
  show.ledger.open_epoch(1, sync::own_ticks(line));
  for (std::size_t panel = 0; panel < 3; ++panel) {
    scene::PanelHello hello;
    hello.panel = static_cast<int>(panel);
    static_cast<void>(show.roster.join(panel + 1, hello));
    if (panel < 2) show.ledger.add(panel, 1, {0, 0, at_ms(100).since_epoch.count(), 7});
  }
  const auto take = [&](std::size_t panel, std::int64_t again_after_ms) {
    scene::ShownBatch batch;
    batch.epoch = 1;
    batch.again_after_ns = at_ms(again_after_ms).since_epoch.count();
    show.reports.take(panel, batch, std::nullopt);
  };
  CHECK(show.reports.lost_time() == Nanos(0));
  CHECK_FALSE(show.reports.was_told_again());
  take(2, 9000);  // of this one nothing was counted, so it had shown nothing
  CHECK(show.reports.lost_time() == Nanos(0));
  take(0, 900);
  CHECK(show.reports.lost_time() == std::chrono::milliseconds(800));
  take(1, 300);
  CHECK(show.reports.lost_time() == std::chrono::milliseconds(800));
  CHECK(show.reports.was_told_again());
  CHECK_FALSE(show.reports.was_told_again());
}

TEST_CASE("volumes in motion are drawn as coarse as the slowest panel needs", "[director]") {
  MotionDetail detail(2);
  CHECK(detail.coarser_by() == 1);
  detail.take(0, {0, 5, 60'000'000});  // in full
  CHECK(detail.coarser_by() == 1);
  detail.take(1, {1, 5, 60'000'000});  // half the rays each way
  CHECK(detail.coarser_by() == 2);
}
