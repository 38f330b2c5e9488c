#include "sync/pacing/refresh_tracker.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

using namespace tilewall;
using namespace tilewall::sync;
using namespace std::chrono_literals;

namespace {

/// A display, its period a little off what its mode says; stamps jitter.
class FakeDisplay {
 public:
  FakeDisplay(double hz, double jitter_us, unsigned seed)
      : period_ns_(1e9 / hz), jitter_ns_(0, jitter_us * 1000), random_(seed) {}

  /// Refresh `number`, exactly.
  [[nodiscard]] LocalInstant refresh(std::int64_t number) const {
    return start_ + Nanos(std::llround(static_cast<double>(number) * period_ns_));
  }
  [[nodiscard]] std::int64_t nearest(LocalInstant at) const {
    return std::llround(static_cast<double>((at - start_).count()) / period_ns_);
  }
  LocalInstant stamp(std::int64_t number) {
    return refresh(number) + Nanos(std::llround(std::abs(jitter_ns_(random_))));
  }

 private:
  const LocalInstant start_{std::chrono::hours(3)};
  const double period_ns_;
  std::normal_distribution<double> jitter_ns_;
  std::minstd_rand random_;
};

constexpr Nanos sixty_hz = Nanos(1s) / 60;

void lock(RefreshTracker& tracker, FakeDisplay& display, std::int64_t flips = 100) {
  for (std::int64_t n = 0; n < flips; ++n) tracker.flipped(display.stamp(n));
  REQUIRE(tracker.locked());
}

}  // namespace

TEST_CASE("period and phase of a display are learned from its flips", "[sync][pacing]") {
  const double hz = GENERATE(59.94, 60.0, 60.7, 59.2);
  CAPTURE(hz);
  FakeDisplay display(hz, 50, 7);
  RefreshTracker tracker(sixty_hz);
  CHECK(tracker.choose(display.refresh(0) + 3ms) == display.refresh(0) + 3ms);  // not locked
  lock(tracker, display);
  CHECK(std::abs(static_cast<double>(tracker.period().count()) - 1e9 / hz) < 5000);
  const LocalInstant chosen = tracker.choose(display.refresh(105) + 2ms);
  CHECK(display.nearest(chosen) == 105);
  CHECK(std::chrono::abs(chosen - display.refresh(105)) < 300us);
}

TEST_CASE("flips that are skipped or doubled do not mislead", "[sync][pacing]") {
  FakeDisplay display(59.9, 30, 11);
  RefreshTracker tracker(sixty_hz);
  for (std::int64_t n = 0; n < 300; n += (n % 7 == 0 ? 3 : 2)) {
    tracker.flipped(display.stamp(n));
    tracker.flipped(display.stamp(n) + 100us);                   // the same refresh told twice
    if (n % 10 == 0) tracker.flipped(display.refresh(n) + 6ms);  // returned at some other time
  }
  REQUIRE(tracker.locked());
  CHECK(std::abs(static_cast<double>(tracker.period().count()) - 1e9 / 59.9) < 5000);
}

TEST_CASE("a display whose phase jumps is learned anew", "[sync][pacing]") {
  FakeDisplay display(60, 10, 3);
  RefreshTracker tracker(sixty_hz);
  lock(tracker, display);
  for (std::int64_t n = 100; n < 140; ++n) tracker.flipped(display.stamp(n) + 8ms);
  REQUIRE(tracker.locked());
  const LocalInstant chosen = tracker.choose(display.refresh(150) + 8ms);
  CHECK(std::chrono::abs(chosen - (display.refresh(150) + 8ms)) < 300us);
}

TEST_CASE("locked panels take the same refresh, and every picture its own", "[sync][pacing]") {
  const double fps = GENERATE(24.0, 25.0, 30.0, 60.0);
  CAPTURE(fps);
  FakeDisplay left_flips(60, 40, 1);  // one signal, stamped by two drivers
  FakeDisplay right_flips(60, 40, 2);
  RefreshTracker left(sixty_hz);
  RefreshTracker right(sixty_hz);
  lock(left, left_flips);
  lock(right, right_flips);
  std::set<std::int64_t> taken;
  for (int i = 0; i < 1000; ++i) {
    const LocalInstant due =
        left_flips.refresh(200) + 2ms + Nanos(std::llround(static_cast<double>(i) * 1e9 / fps));
    const std::int64_t refresh = left_flips.nearest(left.choose(due));
    REQUIRE(refresh == right_flips.nearest(right.choose(due)));
    REQUIRE(taken.insert(refresh).second);
  }
}

TEST_CASE("due instants half-way between two refreshes do not toss to and fro", "[sync][pacing]") {
  FakeDisplay display(60, 0, 5);
  RefreshTracker tracker(sixty_hz);
  lock(tracker, display);
  std::minstd_rand random(17);
  std::normal_distribution<double> jitter_us(0, 100);
  std::set<std::int64_t> steps;
  std::int64_t before = 0;
  for (std::int64_t n = 200; n < 1200; n += 2) {
    const LocalInstant due =
        display.refresh(n) + sixty_hz / 2 + Nanos(std::llround(jitter_us(random) * 1000));
    const std::int64_t refresh = display.nearest(tracker.choose(due));
    if (before != 0) steps.insert(refresh - before);
    before = refresh;
  }
  CHECK(steps == std::set<std::int64_t>{2});
}

namespace {

/// A display whose stamps are exact, with a period of 10 ms by its mode.
struct ExactDisplay {
  static constexpr LocalInstant first{Nanos(1h)};
  RefreshTracker tracker{10ms};

  void flips(int count, Nanos period) {
    for (int i = 0; i < count; ++i) tracker.flipped(first + i * period);
  }
  /// Refreshes from number 200 to the one chosen for an instant so long after number 200.
  [[nodiscard]] double chosen(Nanos after) {
    const Nanos from_200 = tracker.choose(first + 2s + after) - (first + 2s);
    return as_double(from_200) / 1e7;
  }
};

}  // namespace

TEST_CASE("the period is that of the flips, within two percent of the mode's", "[sync][pacing]") {
  for (const Nanos period : {Nanos(9'850'000), Nanos(10'000'000), Nanos(10'150'000)}) {
    ExactDisplay display;
    display.flips(50, period);
    CHECK(std::abs(as_double(display.tracker.period() - period)) <= 1);
  }
  ExactDisplay slow;
  slow.flips(3, 10'300us);
  CHECK(slow.tracker.period() == 10'200us);
  ExactDisplay fast;
  fast.flips(3, 9'700us);
  CHECK(fast.tracker.period() == 9'800us);
}

TEST_CASE("refreshes are counted from the phase of all flips, not from the first one's stamp",
          "[sync][pacing]") {
  ExactDisplay display;
  display.tracker.flipped(ExactDisplay::first);  // 1 ms before its refresh
  for (int i = 1; i <= 100; ++i)
    display.tracker.flipped(ExactDisplay::first + i * Nanos(10ms) + 1ms);
  CHECK(std::abs(as_double(display.tracker.period() - 10ms)) <= 1);
  // Refresh 200 comes after 2001 ms.
  CHECK(display.chosen(2ms) == Approx(0.1).margin(1e-5));
  CHECK(display.chosen(5'400us) == Approx(0.1).margin(1e-5));  // 4.4 ms later
  CHECK(display.chosen(6'700us) == Approx(1.1).margin(1e-5));
  CHECK(display.chosen(-4'900us) == Approx(-0.9).margin(1e-5));
}

TEST_CASE("the boundary between two refreshes keeps a tenth of a period from due instants",
          "[sync][pacing]") {
  ExactDisplay display;
  display.flips(100, 10ms);
  REQUIRE(display.tracker.locked());
  CHECK(display.chosen(2ms) == Approx(0).margin(1e-6));  // too far away to move it
  CHECK(display.chosen(8ms) == Approx(1));
  // Each due instant before the boundary moves it on, by at most 2 ms from the middle.
  CHECK(display.chosen(4'900us) == Approx(0).margin(1e-6));
  CHECK(display.chosen(5'800us) == Approx(0).margin(1e-6));
  CHECK(display.chosen(6'700us) == Approx(0).margin(1e-6));  // else the boundary would be at 7.7 ms
  CHECK(display.chosen(7'100us) == Approx(1));               // back to 6.1 ms
  CHECK(display.chosen(6'000us) == Approx(0).margin(1e-6));  // to 7 ms
  CHECK(display.chosen(7'050us) == Approx(1));               // to 6.05 ms
  for (const Nanos after : {6'100us, 5'200us, 4'300us, 3'400us}) {
    CAPTURE(after.count());
    CHECK(display.chosen(after) == Approx(1));
  }
  CHECK(display.chosen(2'900us) == Approx(0).margin(1e-6));  // no lower than 3 ms
  CHECK(display.chosen(3'800us) == Approx(0).margin(1e-6));
}

TEST_CASE("eight stamps in a row beside their refreshes begin anew", "[sync][pacing]") {
  const auto phase_after = [](int strange, Nanos beside) {
    ExactDisplay display;
    display.flips(100, 10ms);
    for (int i = 0; i < strange; ++i)
      display.tracker.flipped(ExactDisplay::first + 1s + i * Nanos(10ms) + beside);
    return display.tracker.locked();
  };
  CHECK(phase_after(7, 1'600us));
  CHECK_FALSE(phase_after(8, 1'600us));
  CHECK(phase_after(8, 1'400us));  // within 15 % of a period
  ExactDisplay interrupted;
  interrupted.flips(100, 10ms);
  for (int i = 0; i < 9; ++i)
    interrupted.tracker.flipped(ExactDisplay::first + 1s + i * Nanos(10ms) +
                                (i % 7 == 6 ? 0us : 3'000us));
  CHECK(interrupted.tracker.locked());  // the seventh stamp fits
}

TEST_CASE("a swap is called half a period before its refresh, once that is known",
          "[sync][pacing]") {
  FakeDisplay display(60, 0, 3);
  RefreshTracker tracker(sixty_hz);
  const LocalInstant due = display.refresh(105) + 2ms;
  CHECK(tracker.swap_instant(due) == due);
  lock(tracker, display);
  const LocalInstant expected = display.refresh(105) - sixty_hz / 2;
  CHECK(std::chrono::abs(tracker.swap_instant(due) - expected) < 100us);
}

TEST_CASE("a flip is a swap's less than two periods before it returned, and never after it",
          "[sync][pacing]") {
  const RefreshTracker tracker(10ms);
  const LocalInstant returned{1h};
  CHECK(tracker.can_be_flip(returned, returned));
  CHECK_FALSE(tracker.can_be_flip(returned + 1ns, returned));
  CHECK(tracker.can_be_flip(returned - 20ms + 1ns, returned));
  CHECK_FALSE(tracker.can_be_flip(returned - 20ms, returned));
}
