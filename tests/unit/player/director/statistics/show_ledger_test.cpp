#include "player/director/statistics/show_ledger.hpp"

#include <catch2/catch.hpp>

#include "player/scene/live_messages.hpp"
#include "tests/support/instants.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::sync;
using test::start;

namespace {

Timeline ten_fps(std::int64_t ticks) {
  Timeline timeline;
  timeline.start = start;
  timeline.rate_fps = {10, 1};
  timeline.end_frame = 1000;
  timeline.tick_limit = ticks;
  return timeline;
}

ShownFrame shown(std::int64_t tick, std::int64_t late_ns) {
  return {tick, tick, start.since_epoch.count() + tick * 100'000'000 + late_ns, 7};
}

}  // namespace

TEST_CASE("a show in which every panel shows every frame in time has no late frame", "[director]") {
  ShowLedger ledger(2, true);
  ledger.open_epoch(1, own_ticks(ten_fps(3)));
  for (std::int64_t tick = 0; tick < 3; ++tick) {
    ledger.add(0, 1, shown(tick, 1000));
    ledger.add(1, 1, shown(tick, 4000));
  }
  const ShowTotals totals = ledger.totals();
  CHECK(totals.frames_scheduled == 3);
  CHECK(totals.frames_shown == 3);
  CHECK(totals.frames_late == 0);
  CHECK(totals.skew_us.max == Approx(3.0));
  CHECK(totals.fps == Approx(10.0).epsilon(0.001));
  CHECK(totals.first_on_all == start + Nanos(4000));
  CHECK(ledger.panel(1).hashed.size() == 3);
}

TEST_CASE("a panel's last frame of a live source is its timestep", "[director][live]") {
  ShowLedger ledger(1, true);
  ledger.open_epoch(1, own_ticks(ten_fps(3)));
  ShownFrame of_live = shown(0, 0);
  of_live.frame = live_frame(std::uint64_t{12345} << 20, 41);
  ledger.add(0, 1, of_live);
  CHECK(ledger.panel(0).last_frame == 41);
  CHECK(ledger.panel(0).hashed.at(0).frame == 41);
}

TEST_CASE("late means more than half a period, or skipped, on any panel", "[director]") {
  ShowLedger ledger(2, false);
  ledger.open_epoch(1, own_ticks(ten_fps(4)));
  for (std::int64_t tick = 0; tick < 4; ++tick) ledger.add(0, 1, shown(tick, 0));
  ledger.add(1, 1, shown(0, 50'000'000));  // half a period: in time
  ledger.add(1, 1, shown(1, 50'000'001));  // late
  ledger.add(1, 1, shown(3, 0));           // tick 2 skipped
  const ShowTotals totals = ledger.totals();
  CHECK(totals.frames_shown == 3);
  CHECK(totals.frames_shown_by_any == 4);
  CHECK(totals.frames_late == 2);
  CHECK(ledger.frames_late(0) == 0);
  CHECK(ledger.frames_late(1) == 2);
  CHECK(ledger.panel(1).frames_shown == 3);
}

TEST_CASE("the newest epoch is the last that was opened, and none is 0", "[director]") {
  ShowLedger ledger(1, false);
  CHECK(ledger.newest_epoch() == 0);
  ledger.open_epoch(1, own_ticks(ten_fps(4)));
  CHECK(ledger.newest_epoch() == 1);
  ledger.open_epoch(3, own_ticks(ten_fps(4)));
  CHECK(ledger.newest_epoch() == 3);
}

TEST_CASE("an epoch that is replaced counts only what was due before", "[director]") {
  ShowLedger ledger(1, false);
  ledger.open_epoch(1, own_ticks(ten_fps(100)));
  ledger.add(0, 1, shown(0, 0));
  ledger.add(0, 1, shown(1, 0));
  ledger.close_epoch(1, start + Nanos(150'000'000));
  Timeline paused = ten_fps(100);
  paused.rate_fps = {0, 1};
  ledger.open_epoch(2, own_ticks(paused));
  ledger.add(0, 2, shown(0, 0));
  CHECK(ledger.totals().frames_scheduled == 2);
  CHECK(ledger.totals().frames_late == 0);
}

TEST_CASE("a picture that stays is late where panels show it beside the one before", "[director]") {
  ShowLedger ledger(3, false);
  for (std::size_t panel = 0; panel < 3; ++panel) ledger.join(panel);
  ledger.open_epoch(1, own_ticks(ten_fps(1)));
  for (std::size_t panel = 0; panel < 3; ++panel) ledger.add(panel, 1, shown(0, 0));
  Timeline still = ten_fps(1);
  still.rate_fps = {0, 1};
  ledger.open_epoch(2, own_ticks(still));
  ledger.add(1, 2, shown(0, 900'000'000));
  ledger.add(0, 2, shown(0, 800'000'000));  // told later, shown before
  CHECK(ledger.totals().frames_late == 0);  // by 100 ms, which is no mixed picture
  ledger.add(2, 2, shown(0, 900'000'001));
  ledger.add(2, 2, shown(0, 7'000'000'000));  // the same picture again
  CHECK(ledger.totals().frames_scheduled == 2);
  CHECK(ledger.totals().frames_late == 1);
  CHECK(ledger.progress().frames_due == 2);
  CHECK(ledger.progress().frames_late == 1);
  CHECK(ledger.frames_late(0) == 0);
  CHECK(ledger.frames_late(1) == 0);
  CHECK(ledger.frames_late(2) == 1);
  CHECK(ledger.frames_late_so_far(1) == 0);
  CHECK(ledger.frames_late_so_far(2) == 1);
  const ShowLedger kept = [&] {
    ShowLedger other(3, false);
    other.restore(ledger.checkpoint(), {});
    return other;
  }();
  CHECK(kept.totals().frames_late == 1);
  ledger.open_epoch(3, own_ticks(still));
  CHECK(ledger.progress().frames_due == 2);
  ledger.add(0, 3, shown(0, 0));
  ledger.join(1);  // comes back, and has nothing beside the others
  ledger.add(1, 3, shown(0, 5'000'000'000));
  CHECK(ledger.totals().frames_late == 1);
  CHECK(ledger.frames_late_so_far(2) == 1);
}

TEST_CASE("a slowed timeline moves the due instants", "[director]") {
  ShowLedger ledger(1, false);
  ledger.open_epoch(1, own_ticks(ten_fps(2)));
  ledger.delay(1, {0, 0});
  ledger.delay(1, {1, 400'000'000});
  ledger.add(0, 1, shown(0, 0));
  ledger.add(0, 1, shown(1, 400'000'000));
  CHECK(ledger.totals().frames_late == 0);
}

TEST_CASE("a panel that never shows anything leaves no frame shown by all", "[director]") {
  ShowLedger ledger(2, false);
  ledger.open_epoch(1, own_ticks(ten_fps(1)));
  ledger.add(0, 1, shown(0, 0));
  CHECK(ledger.totals().frames_shown == 0);
  CHECK(ledger.totals().frames_late == 1);
  CHECK_FALSE(ledger.totals().first_on_all);
}

TEST_CASE("each panel's skew is against the wall's first, its offset against the due instant",
          "[director]") {
  ShowLedger ledger(2, false);
  ledger.open_epoch(1, own_ticks(ten_fps(3)));
  for (std::int64_t tick = 0; tick < 3; ++tick) {
    ledger.add(0, 1, shown(tick, 2000));
    ledger.add(1, 1, shown(tick, 12'000));
  }
  CHECK(ledger.panel(0).skew_ns.percentiles().max == 0);
  CHECK(ledger.panel(1).skew_ns.percentiles().max == 10'000);
  CHECK(ledger.panel(0).swap_offset_ns.percentiles().max == 2000);
  CHECK(ledger.panel(1).swap_offset_ns.percentiles().max == 12'000);
  const GlobalInstant now = start + Nanos(300'000'000);
  CHECK(ledger.recent_skew_ns(now).max == 10'000);
  CHECK(ledger.recent_fps(now) == Approx(10).epsilon(0.01));
  CHECK(ledger.recent_skew_ns(now + Nanos(20'000'000'000)).max == 0);
}

TEST_CASE("a tick is settled once every panel that is there has passed it", "[director]") {
  ShowLedger ledger(3, false);
  ledger.open_epoch(1, own_ticks(ten_fps(100)));
  ledger.join(0);
  ledger.join(1);  // panel 2 never comes
  ledger.add(0, 1, shown(0, 0));
  ledger.add(1, 1, shown(0, 7000));
  ledger.add(0, 1, shown(1, 0));
  ledger.settle_passed();
  CHECK(ledger.panel(1).skew_ns.count() == 1);
  ledger.add(1, 1, shown(2, 9000));  // skips tick 1, which only panel 0 showed
  ledger.settle_passed();
  CHECK(ledger.panel(0).skew_ns.count() == 1);
  ledger.leave(1);
  ledger.add(0, 1, shown(2, 0));
  ledger.settle_passed();
  CHECK(ledger.panel(1).skew_ns.count() == 2);
  CHECK(ledger.panel(1).skew_ns.percentiles().max == 9000);
  CHECK(ledger.totals().frames_shown == 0);  // by all three
}

TEST_CASE("while a show goes on, only what is past can be late", "[director]") {
  ShowLedger ledger(2, false);
  ledger.join(0);
  ledger.join(1);
  ledger.open_epoch(1, own_ticks(ten_fps(1000)));
  for (std::int64_t tick = 0; tick < 10; ++tick) ledger.add(0, 1, shown(tick, 0));
  for (const std::int64_t tick : {0, 1, 4, 5}) ledger.add(1, 1, shown(tick, 0));
  CHECK(ledger.progress().frames_due == 6);
  CHECK(ledger.progress().frames_late == 2);
  CHECK(ledger.frames_late_so_far(0) == 0);
  CHECK(ledger.frames_late_so_far(1) == 2);
  ledger.leave(1);
  CHECK(ledger.progress().frames_due == 10);
  CHECK(ledger.frames_late_so_far(1) == 6);
  ledger.close_epoch(1, start + Nanos(950'000'000));
  ledger.open_epoch(2, own_ticks(ten_fps(1000)));
  ledger.add(0, 2, shown(0, 90'000'000));
  CHECK(ledger.progress().frames_due == 11);
  CHECK(ledger.frames_late_so_far(0) == 1);
  CHECK(ledger.frames_late_so_far(1) == 7);
}

TEST_CASE("a wall whose panels are all gone keeps what they had passed", "[director]") {
  ShowLedger ledger(2, false);
  ledger.open_epoch(1, own_ticks(ten_fps(10)));
  for (const std::size_t panel : {0U, 1U}) ledger.join(panel);
  for (std::int64_t tick = 0; tick < 3; ++tick) {
    ledger.add(0, 1, shown(tick, 0));
    ledger.add(1, 1, shown(tick, 0));
  }
  ledger.add(0, 1, shown(3, 0));
  ledger.settle_passed();
  CHECK(ledger.progress().frames_due == 3);
  for (const std::size_t panel : {0U, 1U}) ledger.leave(panel);
  ledger.settle_passed();
  CHECK(ledger.frames_shown() == 3);
  CHECK(ledger.progress().frames_due == 4);
  CHECK(ledger.progress().frames_late == 1);
}

TEST_CASE("pauses and a held last frame do not lower the rates", "[director]") {
  ShowLedger ledger(1, false);
  ledger.join(0);
  ledger.open_epoch(1, own_ticks(ten_fps(1000)));
  for (std::int64_t tick = 0; tick < 30; ++tick) ledger.add(0, 1, shown(tick, 0));
  const GlobalInstant paused_at = start + Nanos(2'950'000'000);
  ledger.close_epoch(1, paused_at);
  Timeline pause = ten_fps(1000);
  pause.rate_fps = {0, 1};
  pause.start = paused_at;
  ledger.open_epoch(2, own_ticks(pause));
  CHECK(ledger.recent_fps(start + Nanos(8'000'000'000)) == Approx(10).epsilon(0.05));
  Timeline again = ten_fps(20);
  again.start = start + Nanos(9'000'000'000);
  ledger.open_epoch(3, own_ticks(again));
  const auto show_again = [&](std::int64_t tick) {
    ledger.add(0, 3, {tick, tick, again.due(tick).since_epoch.count(), 7});
  };
  for (std::int64_t tick = 0; tick < 20; ++tick) show_again(tick);
  CHECK(ledger.recent_fps(start + Nanos(11'500'000'000)) == Approx(10).epsilon(0.05));
  CHECK(ledger.recent_fps(start + Nanos(15'000'000'000)) == Approx(10).epsilon(0.05));
  CHECK(ledger.totals().fps == Approx(10).epsilon(0.05));
  CHECK(ledger.totals().duration_s == Approx(10.9));
}

TEST_CASE("time played leaves out what stood still", "[director]") {
  PlayedTime time;
  CHECK(time.played_ns(0, 1000) == 0);
  time.play(100);
  time.play(200);  // a seek: it goes on
  CHECK(time.played_ns(0, 300) == 200);
  time.stand(400);
  CHECK(time.played_ns(0, 1000) == 300);
  CHECK(time.played_ns(150, 350) == 200);
  time.stand(500);
  time.play(600);
  CHECK(time.played_ns(300, 700) == 200);
  for (std::int64_t i = 0; i < 1000; ++i) {
    time.stand(1000 + 10 * i);
    time.play(1005 + 10 * i);
  }
  CHECK(time.played_ns(0, 11'000) == 300 + 400 + 999 * 5 + 5);
  CHECK(time.played_ns(10'900, 11'000) == 10 * 5);  // without what is known as a sum alone
  PlayedTime restored;
  restored.play(7);
  restored.restore(time.checkpoint());
  CHECK(restored.played_ns(0, 11'000) == 300 + 400 + 999 * 5 + 5);
  CHECK(restored.played_ns(10'900, 11'000) == 10 * 5);
}

TEST_CASE("what is reported after its epoch was replaced was not late", "[director]") {
  ShowLedger ledger(1, false);
  ledger.join(0);
  ledger.open_epoch(1, own_ticks(ten_fps(100)));
  ledger.add(0, 1, shown(0, 0));
  ledger.close_epoch(1, start + Nanos(350'000'000));  // ticks 1 to 3 are still to be reported
  ledger.open_epoch(2, own_ticks(ten_fps(100)));
  for (std::int64_t tick = 1; tick < 3; ++tick) ledger.add(0, 1, shown(tick, 0));
  CHECK(ledger.frames_late_so_far(0) == 1);
  ledger.add(0, 1, shown(3, 0));
  CHECK(ledger.frames_late_so_far(0) == 0);
}

TEST_CASE("a frame of the epoch before that was shown late stays late", "[director]") {
  ShowLedger ledger(1, false);
  ledger.join(0);
  ledger.open_epoch(1, own_ticks(ten_fps(100)));
  ledger.add(0, 1, shown(0, 0));
  ledger.close_epoch(1, start + Nanos(350'000'000));  // ticks 1 to 3 are still to be reported
  ledger.open_epoch(2, own_ticks(ten_fps(100)));
  CHECK(ledger.frames_late_so_far(0) == 3);
  ledger.add(0, 1, shown(1, 0));
  ledger.add(0, 1, shown(2, 60'000'000));  // by more than half a period
  ledger.add(0, 1, shown(3, 40'000'000));
  CHECK(ledger.frames_late_so_far(0) == 1);
}

TEST_CASE("epochs that are long over still count", "[director]") {
  ShowLedger ledger(1, false);
  for (std::uint64_t epoch = 1; epoch <= 100; ++epoch) {
    ledger.open_epoch(epoch, own_ticks(ten_fps(100)));
    ledger.add(0, epoch, shown(0, 0));
    ledger.add(0, epoch, shown(1, 0));
    ledger.close_epoch(epoch, start + Nanos(150'000'000));
  }
  CHECK(ledger.totals().frames_scheduled == 200);
  CHECK(ledger.totals().frames_late == 0);
}

TEST_CASE("percentiles are by nearest rank", "[director]") {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 1; i <= 100; ++i) values.push_back(101 - i);
  const Percentiles result = percentiles(values);
  CHECK(result.p50 == 50);
  CHECK(result.p99 == 99);
  CHECK(result.max == 100);
  std::vector<std::int64_t> none;
  CHECK(percentiles(none).max == 0);
}

TEST_CASE("what a late report says of a settled tick counts once", "[director]") {
  ShowLedger ledger(2, false);
  ledger.join(0);
  ledger.join(1);
  ledger.open_epoch(1, own_ticks(ten_fps(4)));
  const auto damaged = [](std::int64_t tick, FrameDamage damage) {
    ShownFrame frame = shown(tick, 0);
    frame.damage = damage;
    return frame;
  };
  ledger.add(0, 1, damaged(0, FrameDamage::blocks));
  ledger.leave(1);
  ledger.add(0, 1, shown(1, 0));
  ledger.settle_passed();
  ledger.add(1, 1, damaged(0, FrameDamage::blocks));
  ledger.add(1, 1, shown(1, 0));
  const auto count = [&](FrameDamage damage) {
    return ledger.damaged_frames()[static_cast<std::size_t>(damage)];
  };
  CHECK(count(FrameDamage::blocks) == 1);
  CHECK(ledger.totals().frames_shown_by_any == 2);
  ledger.add(1, 1, damaged(0, FrameDamage::black));  // worse: it takes the other's place
  CHECK(count(FrameDamage::blocks) == 0);
  CHECK(count(FrameDamage::black) == 1);
}

TEST_CASE("of every n-th tick a picture is late by half of n periods", "[director]") {
  ShowLedger ledger(1, false);
  ledger.join(0);
  ledger.open_epoch(1, own_ticks(ten_fps(8)));
  ShownTicks every_fourth;
  every_fourth.change({0, 0, 4});
  ledger.set_shown_ticks(1, every_fourth);
  ledger.add(0, 1, shown(0, 200'000'000));  // half of 400 ms
  ledger.add(0, 1, shown(4, 200'000'001));
  CHECK(ledger.panel(0).frames_on_time == 1);
}
