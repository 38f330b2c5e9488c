// What a panel keeps of the director's messages, and what it counts for its reports.

#include "player/panel/panel_inbox.hpp"

#include <poll.h>

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::panel;

namespace {
namespace panel_inbox_test {

struct ClockAhead final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override { return {}; }
};

scene::Scene inbox_scene(std::uint64_t version, std::uint64_t epoch) {
  scene::Scene scene;
  scene.version = version;
  scene.epoch = epoch;
  return scene;
}

/// An inbox whose messages come by hand.
struct Inbox {
  ClockAhead clock;
  PanelInbox inbox{clock};
  DirectorLink::Callbacks link =
      inbox.link_callbacks([](bool) { return std::vector<scene::ShownBatch>(); },
                           [] {
                             return scene::DrawPace{1, 5};
                           });

  [[nodiscard]] bool is_woken() {
    pollfd scene{inbox.scenes().changed_fd(), POLLIN, 0};
    const bool woken = ::poll(&scene, 1, 0) == 1;
    inbox.scenes().drain();
    return woken;
  }
};

DecodedPicture inbox_picture(std::uint64_t epoch, std::int64_t tick) {
  DecodedPicture picture;
  picture.epoch = epoch;
  picture.tick = tick;
  return picture;
}

std::vector<std::uint64_t> order_numbers(const std::vector<SnapshotOrder>& orders) {
  std::vector<std::uint64_t> numbers;
  for (const SnapshotOrder& order : orders) numbers.push_back(order.number);
  return numbers;
}

}  // namespace panel_inbox_test

using namespace panel_inbox_test;

}  // namespace

TEST_CASE("a panel goes by the first configuration that comes", "[panel]") {
  Inbox panel;
  CHECK_THROWS_AS(panel.inbox.wait_for_config(std::chrono::milliseconds(0)), JobError);
  scene::PanelConfig config;
  config.name = "left";
  panel.link.config(config);
  config.name = "right";
  panel.link.config(config);
  CHECK(panel.inbox.wait_for_config(std::chrono::milliseconds(0)).name == "left");
}

TEST_CASE("a panel without a scene has no standing, another one tells what it has", "[panel]") {
  Inbox panel;
  CHECK_FALSE(panel.link.standing());
  panel.link.scene(inbox_scene(4, 2), 17);
  CHECK(panel.inbox.scenes().join_tick(2) == 17);
  CHECK(panel.is_woken());
  auto standing = panel.link.standing();
  REQUIRE(standing);
  CHECK(standing->version == 4);
  CHECK(standing->epoch == 2);
  CHECK_FALSE(standing->primed);
  CHECK(standing->pace.pictures == 5);
  CHECK(standing->released_end == 0);
  CHECK(standing->ready_end == 0);
  panel.inbox.note_primed();
  panel.link.release({2, {{8, 5}, {9, 7}}});
  panel.inbox.note_ready(2, 11);
  panel.inbox.note_ready(2, 10);
  standing = panel.link.standing();
  REQUIRE(standing);
  CHECK(standing->primed);
  CHECK(standing->released_end == 10);
  CHECK(standing->delay_ns == 7);
  CHECK(standing->ready_end == 12);
}

TEST_CASE("a standing has the ticks of its own epoch alone", "[panel]") {
  Inbox panel;
  panel.link.scene(inbox_scene(4, 2), 0);
  panel.link.release({2, {{8, 5}}});
  panel.inbox.note_ready(2, 11);
  panel.link.scene(inbox_scene(5, 3), 0);
  auto standing = panel.link.standing();
  REQUIRE(standing);
  CHECK(standing->released_end == 0);
  CHECK(standing->delay_ns == 0);
  CHECK(standing->ready_end == 0);
  panel.inbox.note_ready(3, 1);
  panel.inbox.note_ready(2, 30);  // a picture that was drawn ahead
  standing = panel.link.standing();
  REQUIRE(standing);
  CHECK(standing->ready_end == 2);
}

TEST_CASE("a release and the end wake the thread that presents", "[panel]") {
  Inbox panel;
  CHECK_FALSE(panel.is_woken());
  panel.link.release({1, {{0, 0}}});
  CHECK(panel.is_woken());
  CHECK_FALSE(panel.inbox.quits());
  panel.link.quit();
  CHECK(panel.is_woken());
  CHECK(panel.inbox.quits());
}

TEST_CASE("a tick has its delay once it is released, in the newest epoch and the one before",
          "[panel]") {
  ReleaseGate gate;
  CHECK_FALSE(gate.newest(1));
  gate.add({1, {{0, 10}, {1, 11}}});
  CHECK(gate.delay_of(1, 1) == Nanos(11));
  CHECK_FALSE(gate.delay_of(1, 2));
  CHECK_FALSE(gate.delay_of(2, 1));
  gate.add({1, {{1, 99}, {2, 12}}});  // told again
  CHECK(gate.delay_of(1, 1) == Nanos(11));
  CHECK(gate.newest(1)->tick == 2);
  gate.add({2, {}});
  CHECK_FALSE(gate.newest(2));
  CHECK_FALSE(gate.newest(1));
  CHECK(gate.delay_of(1, 2) == Nanos(12));
  gate.add({2, {{5, 20}}});
  CHECK(gate.newest(2)->delay_ns == 20);
  gate.add({1, {{3, 13}}});  // it came too late
  CHECK_FALSE(gate.delay_of(1, 3));
  gate.add({3, {{0, 30}}});
  CHECK_FALSE(gate.delay_of(1, 2));
  CHECK(gate.delay_of(2, 5) == Nanos(20));
  CHECK(gate.delay_of(3, 0) == Nanos(30));
}

TEST_CASE("the newest 256 released ticks are kept", "[panel]") {
  ReleaseGate gate;
  for (std::int64_t tick = 0; tick <= 256; ++tick) gate.add({1, {{tick, tick}}});
  CHECK_FALSE(gate.delay_of(1, 0));
  CHECK(gate.delay_of(1, 1) == Nanos(1));
  CHECK(gate.delay_of(1, 256) == Nanos(256));
}

TEST_CASE("late frames are counted by cause, and the newest epoch with one is known", "[panel]") {
  LateCounter late;
  CHECK(late.newest_epoch() == 0);
  late.add(scene::LateCause::decode, 2, 5);
  late.add(scene::LateCause::decoder, 3, 4);  // drawn ahead for an older epoch
  late.add(scene::LateCause::swap, 4, 5);
  late.add(scene::LateCause::decode, 1, 5);
  CHECK(late.counts().decode == 3);
  CHECK(late.counts().decoder == 3);
  CHECK(late.counts().swap == 4);
  CHECK(late.newest_epoch() == 5);
}

TEST_CASE("a change is stamped once, with its first scene and its first picture", "[panel]") {
  const auto at = [](std::int64_t ns) { return GlobalInstant{Nanos(ns)}; };
  ChangeStamp stamp;
  CHECK_FALSE(stamp.drawn(1, at(5)));
  stamp.received(1, at(10));
  stamp.received(1, at(20));  // another version of the same pictures
  CHECK_FALSE(stamp.drawn(2, at(30)));
  const auto drawn = stamp.drawn(1, at(40));
  REQUIRE(drawn);
  CHECK(drawn->epoch == 1);
  CHECK(drawn->received_ns == 10);
  CHECK(drawn->ready_ns == 40);
  CHECK_FALSE(stamp.drawn(1, at(50)));
  stamp.received(2, at(60));
  CHECK(stamp.drawn(2, at(70))->ready_ns == 70);
}

TEST_CASE("a snapshot is of the first picture at its tick or later", "[panel]") {
  SnapshotOrders orders;
  orders.add({1, 4, 10});
  orders.add({2, 4, 11});
  orders.add({3, 5, 20});
  CHECK(orders.take(inbox_picture(4, 9)).empty());
  CHECK(orders.take(inbox_picture(3, 30)).empty());
  CHECK(order_numbers(orders.take(inbox_picture(4, 10))) == std::vector<std::uint64_t>{1});
  CHECK(order_numbers(orders.take(inbox_picture(5, 0))) == std::vector<std::uint64_t>{2});
  for (std::uint64_t number = 100; number < 120; ++number) orders.add({number, 5, 30});
  const auto met = order_numbers(orders.take(inbox_picture(6, 0)));
  REQUIRE(met.size() == 16);  // more do not wait
  CHECK(met.front() == 3);
  CHECK(met.back() == 114);
}
