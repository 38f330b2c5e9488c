// Late policy "lower" on simulated walls: when the detail goes down and up.

#include "player/director/lateness/level_policy.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <vector>

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;

namespace {

constexpr Nanos period = std::chrono::milliseconds(40);
constexpr Nanos report_interval = std::chrono::milliseconds(200);

struct Change {
  double at_s = 0;
  LevelStep step;
};

/// Panels that take `draw_ms(panel, level, at_s)` for a picture and report five times a second.
class SimulatedWall {
 public:
  using DrawTime = std::function<double(std::size_t panel, int level, double at_s)>;

  SimulatedWall(std::size_t panels, int levels, DrawTime draw_ms)
      : levels_(levels), draw_ms_(std::move(draw_ms)), policy(panels), paces_(panels) {}

  void run_until(double end_s) {
    for (; now_s() < end_s; now_ = now_ + report_interval) {
      for (std::size_t i = 0; i < paces_.size(); ++i) report(i);
      if (const auto step = policy.step(now_, paused ? Nanos(0) : period, is_decimated))
        changes.push_back({now_s(), *step});
    }
  }

 private:
  [[nodiscard]] double now_s() const {
    return std::chrono::duration<double>(now_.since_epoch).count();
  }

  void report(std::size_t panel) {
    DrawPace& pace = paces_[panel];
    if (pace.coarser_by != policy.coarser_by()) pace.pictures = 0;
    pace.coarser_by = policy.coarser_by();
    const int drawn = std::min(policy.coarser_by(), levels_ - 1);
    const double draw_ms = draw_ms_(panel, drawn, now_s());
    const double due = static_cast<double>(report_interval / period);
    const double possible =
        std::chrono::duration<double, std::milli>(report_interval).count() / draw_ms;
    const auto shown = static_cast<std::uint64_t>(std::min(due, std::max(possible, 1.0)));
    pace.pictures += shown;
    pace.mean_ns = static_cast<std::int64_t>(draw_ms * 1e6);
    policy.take(panel, {static_cast<std::uint64_t>(due) - shown, pace, drawn}, now_);
  }

  const int levels_;
  const DrawTime draw_ms_;
  LocalInstant now_{std::chrono::seconds(100)};

 public:
  LevelPolicy policy;
  std::vector<Change> changes;
  bool paused = false;
  bool is_decimated = false;

 private:
  std::vector<DrawPace> paces_;
};

double by_pixels(double full_ms, int level) { return full_ms / std::pow(4, level); }

}  // namespace

TEST_CASE("a wall that keeps up stays at full detail", "[director][sim]") {
  SimulatedWall wall(15, 5, [](std::size_t, int level, double) { return by_pixels(30, level); });
  wall.run_until(700);
  CHECK(wall.changes.empty());
}

TEST_CASE("one slow panel takes the whole wall down, as far as it has to, and no further",
          "[director][sim]") {
  SimulatedWall wall(15, 5, [](std::size_t panel, int level, double) {
    return by_pixels(panel == 7 ? 400 : 10, level);
  });
  wall.run_until(700);
  REQUIRE(wall.changes.size() == 2);
  CHECK(wall.changes[0].step.coarser_by == 1);
  CHECK(wall.changes[1].step.coarser_by == 2);
  for (const Change& change : wall.changes) {
    CHECK(change.step.panel == 7u);
    CHECK(change.at_s < 110);
  }
}

TEST_CASE("detail comes back level by level once the load has gone", "[director][sim]") {
  SimulatedWall wall(4, 5, [](std::size_t, int level, double at_s) {
    return by_pixels(at_s < 130 ? 300 : 12, level);
  });
  wall.run_until(130);
  REQUIRE(wall.policy.coarser_by() == 2);
  wall.run_until(145);
  CHECK(wall.policy.coarser_by() == 0);
  CHECK(wall.changes.size() == 4);
  wall.run_until(300);
  CHECK(wall.changes.size() == 4);
}

TEST_CASE("a climb that does not hold is tried ever more rarely", "[director][sim]") {
  // Full detail is far slower than the level below leads to expect.
  SimulatedWall wall(4, 5, [](std::size_t, int level, double) { return level == 0 ? 900. : 2.; });
  wall.run_until(100 + 600);
  CHECK(wall.policy.coarser_by() <= 1);
  CHECK(wall.changes.size() >= 3);
  CHECK(wall.changes.size() <= 32);
  double longest = 0;
  for (std::size_t i = 1; i < wall.changes.size(); ++i)
    longest = std::max(longest, wall.changes[i].at_s - wall.changes[i - 1].at_s);
  CHECK(longest >= 50);
}

TEST_CASE("where nothing is coarser the wall goes back up, once", "[director][sim]") {
  SimulatedWall wall(4, 1, [](std::size_t, int, double) { return 100; });
  wall.run_until(200);
  REQUIRE(wall.changes.size() == 2);
  CHECK(wall.changes[0].step.coarser_by == 1);
  CHECK(wall.changes[1].step.coarser_by == 0);
  CHECK(wall.changes[1].step.no_coarser);
  wall.policy.show_another();
  wall.run_until(300);
  CHECK(wall.changes.size() == 4);
}

TEST_CASE("a few late frames and a pause change no detail", "[director][sim]") {
  LevelPolicy policy(1);
  LocalInstant now{std::chrono::seconds(100)};
  for (int i = 0; i < 100; ++i, now = now + report_interval) {
    policy.take(0, {i % 5 == 0 ? 3u : 0u, {0, 100, 20'000'000}, 0}, now);
    CHECK_FALSE(policy.step(now, period));
  }
  policy.take(0, {100, {0, 100, 90'000'000}, 0}, now);
  CHECK_FALSE(policy.step(now, Nanos(0)));
  CHECK(policy.step(now, period));
}

TEST_CASE("a panel that is gone holds no level down", "[director][sim]") {
  LevelPolicy policy(2);
  const LocalInstant now{std::chrono::seconds(100)};
  policy.take(1, {50, {0, 100, 90'000'000}, 0}, now);
  policy.leave(1);
  CHECK_FALSE(policy.step(now, period));
}

TEST_CASE("a finer level comes back only where it leaves room in the period", "[director][sim]") {
  // Of a period of 40 ms a picture may take 28: 27 come back, 32 do not.
  for (const double full_ms : {27.0, 32.0}) {
    CAPTURE(full_ms);
    SimulatedWall wall(2, 2, [&](std::size_t, int level, double at_s) {
      return by_pixels(at_s < 110 ? 100 : full_ms, level);
    });
    wall.run_until(110);
    REQUIRE(wall.policy.coarser_by() == 1);
    wall.run_until(300);
    CHECK(wall.policy.coarser_by() == (full_ms < 28 ? 0 : 1));
  }
}

TEST_CASE("the cost of a finer level is that of the slowest panel, not of the first late one",
          "[director][sim]") {
  // At full detail the second panel takes twice as long as the first, one level below as long as
  // it. From 110 s on all take half as long: full detail would need 48 ms of a period of 40 ms.
  SimulatedWall wall(2, 2, [](std::size_t panel, int level, double at_s) {
    const double full_ms = panel == 0 ? 48 : 96;
    return (level == 0 ? full_ms : 24) / (at_s < 110 ? 1 : 2);
  });
  wall.policy.take(1, {0, {0, 100, 96'000'000}, 0}, LocalInstant{std::chrono::seconds(99)});
  wall.run_until(300);
  CHECK(wall.policy.coarser_by() == 1);
  CHECK(wall.changes.size() == 1);
}

TEST_CASE("a wall that leaves out ticks goes down only as far as that shortens its pictures",
          "[director][sim]") {
  SECTION("other work delays them") {
    SimulatedWall wall(2, 6, [](std::size_t, int level, double) { return 70 - level; });
    wall.is_decimated = true;
    wall.run_until(140);
    REQUIRE(wall.changes.size() == 2);
    CHECK(wall.policy.coarser_by() == 0);
    CHECK_FALSE(wall.changes[1].step.no_coarser);
  }
  SECTION("drawing takes that long") {
    SimulatedWall wall(2, 6,
                       [](std::size_t, int level, double) { return 120 / std::pow(2, level); });
    wall.is_decimated = true;
    wall.run_until(140);
    CHECK(wall.policy.coarser_by() == 2);
  }
}
