// Checkpoints: a director that is started again goes on counting where the last one ended.

#include "player/director/statistics/checkpoint.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/director/lateness/late_log.hpp"
#include "player/director/log/show_notes.hpp"
#include "player/director/roster.hpp"
#include "player/director/statistics/show_ledger.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"
#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::sync;
using test::at_ms;
using test::start;
using Json = nlohmann::json;
using namespace std::chrono_literals;

namespace {

Timeline ten_a_second() {
  Timeline timeline;
  timeline.start = start;
  timeline.rate_fps = {10, 1};
  timeline.end_frame = 1000;
  return timeline;
}

ShownFrame swapped(std::int64_t tick, std::int64_t late_ns) {
  return {tick, tick, start.since_epoch.count() + tick * 100'000'000 + late_ns,
          static_cast<std::uint64_t>(tick)};
}

/// Two panels that have shown the ticks up to 9; panel 1 was late at tick 4, and lacks tick 9.
ShowLedger played(HashMemory* hashes = nullptr) {
  ShowLedger ledger(2, hashes != nullptr);
  if (hashes != nullptr) ledger.keep_hashes_in(*hashes);
  ledger.open_epoch(1, own_ticks(ten_a_second()));
  for (const std::size_t panel : {0u, 1u}) ledger.join(panel);
  for (std::int64_t tick = 0; tick < 10; ++tick) {
    ledger.add(0, 1, swapped(tick, 2000));
    if (tick < 9) ledger.add(1, 1, swapped(tick, tick == 4 ? 60'000'000 : 5000));
  }
  ledger.settle_passed();
  return ledger;
}

void check_same(const ShowLedger& found, const ShowLedger& expected) {
  const ShowTotals a = found.totals();
  const ShowTotals b = expected.totals();
  CHECK(a.frames_scheduled == b.frames_scheduled);
  CHECK(a.frames_shown == b.frames_shown);
  CHECK(a.frames_shown_by_any == b.frames_shown_by_any);
  CHECK(a.frames_late == b.frames_late);
  CHECK(a.skew_us.p50 == b.skew_us.p50);
  CHECK(a.skew_us.max == b.skew_us.max);
  CHECK(a.fps == b.fps);
  CHECK(a.duration_s == b.duration_s);
  CHECK(a.first_on_all == b.first_on_all);
  for (const std::size_t panel : {0u, 1u}) {
    CHECK(found.frames_late(panel) == expected.frames_late(panel));
    CHECK(found.panel(panel).frames_shown == expected.panel(panel).frames_shown);
    CHECK(found.panel(panel).swap_offset_ns.percentiles().max ==
          expected.panel(panel).swap_offset_ns.percentiles().max);
  }
  CHECK(found.damaged_frames() == expected.damaged_frames());
}

}  // namespace

TEST_CASE("the newest whole checkpoint is found, not a torn one", "[checkpoint]") {
  const UniqueFd memory(CheckpointMemory::make());
  CHECK(CheckpointMemory(memory.get()).newest().is_null());
  {
    CheckpointMemory writer(memory.get());
    for (int i = 1; i <= 3; ++i) writer.write({{"number", i}});
  }
  CHECK(CheckpointMemory(memory.get()).newest().at("number") == 3);
  // The third is in the second place. A byte of it that is wrong leaves the second one.
  const char noise = '\x7f';
  REQUIRE(::pwrite(memory.get(), &noise, 1, (off_t{1} << 30) + 24) == 1);
  CHECK(CheckpointMemory(memory.get()).newest().at("number") == 2);
  CheckpointMemory(memory.get()).write({{"number", 4}});
  CHECK(CheckpointMemory(memory.get()).newest().at("number") == 4);
}

TEST_CASE("a restored ledger has the same totals, and goes on counting", "[checkpoint]") {
  const ShowLedger before = played();
  ShowLedger after(2, false);
  after.restore(Json::from_cbor(Json::to_cbor(before.checkpoint())), {});
  check_same(after, before);
  ShowLedger unbroken = played();
  for (ShowLedger* ledger : {&after, &unbroken}) {
    for (const std::size_t panel : {0u, 1u}) ledger->join(panel);
    ledger->add(1, 1, swapped(9, 5000));
    for (const std::size_t panel : {0u, 1u}) ledger->add(panel, 1, swapped(10, 1000));
    ledger->settle_passed();
    ledger->close_epoch(1, at_ms(1050));
  }
  check_same(after, unbroken);
  CHECK(after.totals().frames_shown == 11);
}

TEST_CASE("frames that are reported again count once", "[checkpoint]") {
  ShowLedger ledger(2, false);
  ledger.restore(played().checkpoint(), {});
  for (const std::size_t panel : {0u, 1u}) ledger.join(panel);
  std::vector<ShownFrame> again;
  for (std::int64_t tick = 5; tick < 12; ++tick) again.push_back(swapped(tick, 2000));
  ledger.add_again(0, 1, again);
  again.clear();
  for (std::int64_t tick = 5; tick < 12; ++tick) again.push_back(swapped(tick, 5000));
  ledger.add_again(1, 1, again);
  CHECK(ledger.panel(0).frames_shown == 12);
  CHECK(ledger.panel(1).frames_shown == 12);
  CHECK(ledger.totals().frames_shown == 12);
  CHECK(ledger.frames_late(1) == ledger.totals().frames_scheduled - 11);  // tick 4 was late
}

TEST_CASE("hashes are kept up to the checkpoint, because later ones are reported again",
          "[checkpoint]") {
  const UniqueFd memory(HashMemory::make());
  HashMemory hashes(memory.get());
  ShowLedger before = played(&hashes);
  const Json checkpoint = before.checkpoint();
  before.add(1, 1, swapped(9, 5000));  // after the checkpoint
  // A director may die after the other, before it has written anything.
  for (int death = 0; death < 3; ++death) {
    HashMemory next(memory.get());
    ShowLedger after(2, true);
    after.restore(checkpoint, next.all());
    after.keep_hashes_in(next);
    CHECK(after.panel(0).hashed.size() == 10);
    REQUIRE(after.panel(1).hashed.size() == 9);
    CHECK(after.panel(1).hashed.back().hash == 8);
    after.add_again(1, 1, {swapped(8, 5000), swapped(9, 5000)});
    CHECK(after.panel(1).hashed.size() == 10);
  }
  CHECK(HashMemory(memory.get()).all().size() == 20);
}

TEST_CASE("a director that dies in the middle of a hash leaves those before it", "[checkpoint]") {
  const UniqueFd memory(HashMemory::make());
  HashMemory(memory.get()).add({0, swapped(1, 0)});
  const char part[] = "a part";
  REQUIRE(::pwrite(memory.get(), part, sizeof part, sizeof(HashMemory::Shown)) == sizeof part);
  HashMemory next(memory.get());
  CHECK(next.all().size() == 1);
  next.add({0, swapped(2, 0)});
  const auto all = next.all();
  REQUIRE(all.size() == 2);
  CHECK(all[1].frame.tick == 2);
}

TEST_CASE("a checkpoint of another wall is refused", "[checkpoint]") {
  ShowLedger three(3, false);
  CHECK_THROWS_AS(three.restore(played().checkpoint(), {}), InputError);
  ShowLedger two(2, false);
  CHECK_THROWS_AS(two.restore(Json::object(), {}), InputError);
}

TEST_CASE("a restored roster knows its panels and restarts, and a death that nobody saw",
          "[checkpoint]") {
  wall::Wall wall;
  wall.panels.resize(2);
  wall.panels[0].name = "left";
  wall.panels[1].name = "right";
  Roster before(wall, local_now());
  PanelHello hello{0, 100, "here", {}};
  static_cast<void>(before.join(1, hello));
  static_cast<void>(before.join(2, {1, 200, "here"}));
  before.note_death(1, true);
  before.note_director_deaths({1.5});
  Roster after(wall, local_now());
  after.restore(Json::from_cbor(Json::to_cbor(before.checkpoint())));
  REQUIRE(after.restarts().size() == 2);
  CHECK(after.restarts()[0].panel == "right");
  CHECK(after.restarts()[0].hung);
  CHECK_FALSE(after.restarts()[0].back_s);
  after.note_director_deaths({1.5, 2.5});  // the first one is known
  REQUIRE(after.restarts().size() == 3);
  CHECK(after.note_director_back());
  CHECK_FALSE(after.note_director_back());
  CHECK(after.restarts()[1].back_s);
  CHECK(after.restarts()[2].back_s);
  static_cast<void>(after.join(3, hello));  // the same process
  CHECK(after.restarts().size() == 3);
  static_cast<void>(after.leave(3));
  Roster third(wall, local_now());
  third.restore(before.checkpoint());
  hello.pid = 101;
  static_cast<void>(third.join(4, hello));  // another process of the panel
  REQUIRE(third.restarts().size() == 3);
  CHECK(third.restarts()[2].panel == "left");
}

TEST_CASE("a restored roster has each figure of its panels under its own name", "[checkpoint]") {
  wall::Wall wall;
  wall.panels.resize(1);
  Roster before(wall, local_now());
  static_cast<void>(before.join(1, {0, 100, "here", {}}));
  before.note_missing();
  ShownBatch batch;
  batch.damaged_blocks = 11;
  for (const std::uint64_t step : {0U, 1U}) {
    batch.staged_bytes = 7000 - 3000 * step;
    batch.buffers_ready = static_cast<std::int64_t>(3 - step);
    static_cast<void>(before.take(0, batch, {true, true}));
  }
  static_cast<void>(before.join(2, {0, 101, "there", {}}));  // its successor counts from 0
  batch.damaged_blocks = 5;
  static_cast<void>(before.take(0, batch, {false, false}));
  static_cast<void>(before.join(3, {0, 102, "there", {}}));
  batch.damaged_blocks = 2;
  static_cast<void>(before.take(0, batch, {false, false}));
  before.note_sound_death("there");
  Roster after(wall, local_now());
  after.restore(Json::from_cbor(Json::to_cbor(before.checkpoint())));
  const PanelState& panel = after.panels()[0];
  CHECK(panel.missed_start);
  CHECK(panel.pid == 102);
  CHECK(panel.host == "there");
  CHECK(panel.damaged_blocks_before == 16);
  CHECK(panel.totals.damaged_blocks == 2);
  CHECK(panel.staged_bytes.lowest == 4000);
  CHECK(panel.staged_bytes.peak == 7000);
  CHECK(panel.buffers_ready.lowest == 2);
  CHECK(panel.buffers_ready.peak == 3);
  CHECK_FALSE(panel.open_restart);
  REQUIRE(after.restarts().size() == 1);
  CHECK(after.restarts()[0].role == "sound");
  CHECK(after.restarts()[0].host == "there");
  after.note_sound_back();
  CHECK(after.restarts()[0].back_s);
}

TEST_CASE("notes, the failure and late events are restored", "[checkpoint]") {
  ShowNotes notes([](const std::string&) {});
  notes.note("one");
  notes.note_problem("left", "two");
  notes.fail("three", 2);
  std::vector<std::string> told;
  ShowNotes next([&](const std::string& line) { told.push_back(line); });
  next.restore(notes.checkpoint());
  CHECK(next.lines() == notes.lines());
  CHECK(next.last() == "panel left: two");
  CHECK(next.error() == "three");
  CHECK(next.exit_code() == 2);
  next.note_problem("right", "two");  // known
  CHECK(told.empty());
  LateLog log;
  static_cast<void>(log.add({2.5, "left", LateCause::swap, 3, 1, 2}));
  LateLog next_log;
  next_log.restore(log.checkpoint());
  REQUIRE(next_log.events().size() == 1);
  CHECK(next_log.events()[0].cause == LateCause::swap);
  CHECK(next_log.events()[0].frames == 3);
  CHECK(next_log.events()[0].level == 1);
  CHECK(next_log.events()[0].every_nth_tick == 2);
  CHECK(next_log.last_cause("left") == LateCause::swap);
}

TEST_CASE("a restored ledger settles no tick before the panels that were there have reported",
          "[checkpoint]") {
  ShowLedger ledger(2, false);
  ledger.restore(played().checkpoint(), {});
  ledger.join(0);  // panel 1 connects later
  std::vector<ShownFrame> frames;
  for (std::int64_t tick = 5; tick < 20; ++tick) frames.push_back(swapped(tick, 2000));
  ledger.add_again(0, 1, frames);
  ledger.settle_passed();
  ledger.join(1);
  ledger.add_again(1, 1, frames);
  ledger.settle_passed();
  CHECK(ledger.totals().frames_shown == 20);
  // A panel that does not come back holds nothing up.
  ledger.leave(1);
  ledger.add(0, 1, swapped(20, 2000));
  ledger.settle_passed();
  CHECK(ledger.totals().frames_shown == 20);
  CHECK(ledger.totals().frames_shown_by_any == 21);
}

TEST_CASE("ticks of a checkpoint that make no sense are refused", "[checkpoint]") {
  const Json good = played().checkpoint();
  const auto restore = [](const Json& json) {
    ShowLedger ledger(2, false);
    ledger.restore(json, {});
  };
  const auto refused = [&](std::size_t number, std::int64_t value) {
    CAPTURE(number, value);
    Json json = good;
    json["epochs"][0]["ticks"][0][number] = value;
    CHECK_THROWS_AS(restore(json), InputError);
  };
  REQUIRE(good.at("epochs").at(0).at("ticks").at(0).size() == 6);  // one panel's stamp
  CHECK_NOTHROW(restore(good));
  refused(3, -1);
  refused(3, static_cast<std::int64_t>(scene::frame_damage_kinds));
  refused(4, -1);
  refused(4, 2);
  Json odd = good;
  odd["epochs"][0]["ticks"][0].push_back(1);
  CHECK_THROWS_AS(restore(odd), InputError);
  Json last_kind = good;
  last_kind["epochs"][0]["ticks"][0][3] = scene::frame_damage_kinds - 1;
  CHECK_NOTHROW(restore(last_kind));
}

TEST_CASE("a checkpoint a second is made, written and freed in turns that have time",
          "[director]") {
  int made = 0;
  std::vector<Json> written;
  CheckpointTurns turns({[&] { return Json(++made); },
                         [&](const Json& checkpoint) { written.push_back(checkpoint); }});
  const std::chrono::steady_clock::time_point begin{100s};
  turns.step(begin, 0ms, false);
  CHECK(made == 0);
  turns.step(begin, 6ms, true);
  CHECK(made == 1);
  CHECK(written.empty());
  turns.step(begin + 10ms, 7ms, true);  // a long turn
  CHECK(written.empty());
  turns.step(begin + 20ms, 0ms, false);
  CHECK(written == std::vector<Json>{1});
  turns.step(begin + 999ms, 0ms, true);
  turns.step(begin + 999ms, 0ms, true);
  CHECK(made == 1);
  turns.step(begin + 1s, 7ms, true);
  CHECK(made == 1);
  turns.step(begin + 2s, 7ms, true);  // each turn of a second was a long one
  CHECK(made == 2);
  for (int i = 0; i < 2; ++i) turns.step(begin + 2100ms, 0ms, true);
  CHECK(written == std::vector<Json>{1, 2});
  turns.step(begin + 2200ms, 0ms, true);
  CHECK(made == 2);
  turns.hurry();
  turns.step(begin + 2200ms, 0ms, true);
  CHECK(made == 3);
}
