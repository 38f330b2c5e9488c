// Late policy "drop" on simulated walls: every how manieth tick is shown, and when that changes.

#include "player/director/lateness/decimation_policy.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using std::chrono::milliseconds;

namespace decimation_test {  // the simulated walls of other policies are built with this one

constexpr Nanos period = milliseconds(40);
constexpr Nanos report_interval = milliseconds(200);
constexpr int cpus = 2;

struct Change {
  double at_s = 0;
  DecimationStep step;
};

/// Panels that take `draw_ms(panel, at_s)` for a picture and report five times a second. A panel
/// misses a shown tick whenever its picture takes longer than the time between shown ticks.
class SimulatedWall {
 public:
  using DrawTime = std::function<double(std::size_t panel, double at_s)>;

  SimulatedWall(std::size_t panels, DrawTime draw_ms)
      : draw_ms_(std::move(draw_ms)), policy(panels), panels_(panels) {}

  void run_until(double end_s) {
    for (; now_s() < end_s; now_ = now_ + report_interval) {
      for (std::size_t i = 0; i < panels_.size(); ++i)
        if (!is_silent || !is_silent(i, now_s())) report(i);
      if (const auto step = policy.step(now_, is_paused ? Nanos(0) : period, progress())) {
        if (step->named > 0) {
          named_at_s.push_back(now_s());
          named_pause_s_ = std::chrono::duration<double>(step->pause).count();
          if (step->named > 1 && changes.back().step.named > 0) continue;
        }
        changes.push_back({now_s(), *step});
        every_ = step->every;
      }
    }
  }

  [[nodiscard]] std::int64_t every() const { return every_; }
  [[nodiscard]] LocalInstant now() const { return now_; }
  [[nodiscard]] double now_s() const {
    return std::chrono::duration<double>((now_ - LocalInstant{begin})).count();
  }

  /// One report, with so many missed ticks whatever the picture takes.
  void report(std::size_t panel, std::uint64_t missed = 0) {
    const double draw_ms = draw_ms_(panel, now_s());
    const double shown_ms = static_cast<double>(every_) * 40;
    Recent& recent = panels_[panel];
    recent.draw_ms.push_back(draw_ms);
    if (recent.draw_ms.size() > 5) recent.draw_ms.erase(recent.draw_ms.begin());
    std::vector<double> sorted = recent.draw_ms;
    std::sort(sorted.begin(), sorted.end());
    DecimationReport report;
    report.missed_decode = missed + (draw_ms > shown_ms ? 1 : 0);
    report.pace.median_ns = static_cast<std::int64_t>(sorted[(sorted.size() - 1) / 2] * 1e6);
    report.pace.median_of = sorted.size();
    report.pace.cpu_ns = static_cast<std::int64_t>(cpu_ms * 1e6);
    report.pace.ran_ns = report.pace.cpu_ns;
    report.pace.waited_ns = static_cast<std::int64_t>(waited_ms * 1e6);
    report.buffers = 3;
    report.cpus = cpus;
    policy.take(panel, "host", report, now_);
  }

 private:
  struct Recent {
    std::vector<double> draw_ms;
  };
  /// Panels draw a tick from when it is named on.
  [[nodiscard]] NamedTickProgress progress() const {
    NamedTickProgress progress;
    if (!policy.names_ticks() || named_at_s.empty()) return progress;
    progress = {true, 0, panels_.size()};
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      const double drawn_s = named_at_s.back() + draw_ms_(i, named_at_s.back()) / 1000;
      if (now_s() >= std::max(drawn_s, named_at_s.back() + named_pause_s_)) continue;
      ++progress.missing;
      progress.slowest = i;
    }
    return progress;
  }
  static constexpr Nanos begin = std::chrono::seconds(100);
  const DrawTime draw_ms_;
  LocalInstant now_{begin};
  std::int64_t every_ = 1;
  double named_pause_s_ = 0;

 public:
  DecimationPolicy policy;
  std::vector<Change> changes;
  std::vector<double> named_at_s;  // single ticks
  std::function<bool(std::size_t panel, double at_s)> is_silent;
  bool is_paused = false;
  double cpu_ms = 1;
  double waited_ms = 0;  // for a processor, by a thread that computes for cpu_ms

 private:
  std::vector<Recent> panels_;
};

}  // namespace decimation_test

TEST_CASE("a wall that keeps up shows every tick", "[director][sim]") {
  decimation_test::SimulatedWall wall(15, [](std::size_t, double) { return 36; });
  CHECK_FALSE(wall.policy.start(wall.now(), decimation_test::period));
  wall.run_until(600);
  CHECK(wall.changes.empty());
}

TEST_CASE("one slow panel has the wall leave out as many ticks as it needs, at once",
          "[director][sim]") {
  decimation_test::SimulatedWall wall(
      15, [](std::size_t panel, double) { return panel == 7 ? 150 : 20; });
  wall.run_until(60);
  REQUIRE(wall.changes.size() == 1);
  CHECK(wall.changes[0].at_s < 1);
  CHECK(wall.changes[0].step.every == 5);
  CHECK(wall.changes[0].step.interval == 5 * decimation_test::period);
  CHECK(wall.changes[0].step.panel == 7U);
  CHECK(wall.changes[0].step.cause == LateCause::decode);
  CHECK(wall.changes[0].step.pause == milliseconds(300));
}

TEST_CASE("where pictures take long each tick is named when all have shown the one before",
          "[director][sim]") {
  decimation_test::SimulatedWall wall(4, [](std::size_t, double) { return 2000; });
  wall.run_until(120);
  REQUIRE(wall.changes.size() == 1);
  CHECK(wall.changes[0].at_s < 2.5);
  CHECK(wall.changes[0].step.named == 1);
  REQUIRE(wall.named_at_s.size() > 10);
  for (std::size_t i = 1; i < wall.named_at_s.size(); ++i) {
    const double turn_s = wall.named_at_s[i] - wall.named_at_s[i - 1];
    CHECK(turn_s > 1.9);
    CHECK(turn_s < 2.9);
  }
}

TEST_CASE("a named tick waits no longer than seconds for a few panels, and for most panels",
          "[director][sim]") {
  const std::size_t slow_panels = GENERATE(1U, 3U);
  decimation_test::SimulatedWall wall(
      4, [=](std::size_t panel, double) { return panel < slow_panels ? 60'000 : 700; });
  wall.run_until(60);
  REQUIRE(wall.named_at_s.size() > 3);
  const double turn_s = wall.named_at_s.back() - wall.named_at_s[wall.named_at_s.size() - 2];
  CHECK(turn_s >= (slow_panels == 1 ? 4 : 8));
  CHECK(turn_s < (slow_panels == 1 ? 6.5 : 10.5));
}

TEST_CASE("once pictures fit again no tick is named any more", "[director][sim]") {
  decimation_test::SimulatedWall wall(
      4, [](std::size_t, double at_s) { return at_s < 20 ? 1000 : 20; });
  wall.run_until(20);
  CHECK(wall.policy.names_ticks());
  wall.run_until(30);
  CHECK_FALSE(wall.policy.names_ticks());
  wall.run_until(40);
  CHECK(wall.every() == 1);
}

TEST_CASE("a show among much other work begins with ticks that leave time for it",
          "[director][sim]") {
  decimation_test::SimulatedWall wall(15, [](std::size_t, double) { return 30; });
  wall.cpu_ms = 5;           // 15 of them in 40 ms fit into the two processors' time
  wall.waited_ms = 5 * 6.5;  // as fifteen panels alone delay each other
  SECTION("alone") {
    for (std::size_t i = 0; i < 15; ++i) wall.report(i);
    CHECK_FALSE(wall.policy.start(wall.now(), decimation_test::period));
  }
  SECTION("beside as much other work") {
    wall.waited_ms *= 2;
    for (std::size_t i = 0; i < 15; ++i) wall.report(i);
    const auto step = wall.policy.start(wall.now(), decimation_test::period);
    REQUIRE(step);
    CHECK(step->every == 4);
    CHECK(step->named == 0);
  }
  SECTION("beside ten times as much") {
    wall.waited_ms *= 10;
    for (std::size_t i = 0; i < 15; ++i) wall.report(i);
    const auto step = wall.policy.start(wall.now(), decimation_test::period);
    REQUIRE(step);
    CHECK(step->named == 1);
  }
}

TEST_CASE("one stall of a panel leaves the rate as it is", "[director][sim]") {
  decimation_test::SimulatedWall wall(15, [](std::size_t panel, double at_s) {
    return panel == 3 && at_s > 4.9 && at_s < 5.3 ? 300 : 20;
  });
  wall.run_until(30);
  CHECK(wall.changes.empty());
}

TEST_CASE("misses that recur lower the rate, whatever pictures take", "[director][sim]") {
  decimation_test::SimulatedWall wall(4, [](std::size_t, double) { return 20; });
  for (int i = 0; i < 20 && wall.changes.empty(); ++i) {
    wall.report(2, 1);
    wall.run_until(wall.now_s() + 0.4);
  }
  REQUIRE(wall.changes.size() == 1);
  CHECK(wall.changes[0].step.every == 2);
  CHECK(wall.changes[0].step.panel == 2U);
}

TEST_CASE("where every tick is missed the rate falls in large steps", "[director][sim]") {
  decimation_test::SimulatedWall wall(4, [](std::size_t, double) { return 20; });
  for (int i = 0; i < 30; ++i) {
    wall.report(2, 1);
    wall.run_until(wall.now_s() + 0.2);
  }
  REQUIRE(wall.changes.size() >= 3);
  CHECK(wall.changes[0].step.every == 2);
  CHECK(wall.changes[1].step.every == 4);
  CHECK(wall.changes[2].step.every == 8);
}

TEST_CASE("what panels have drawn ahead is waited for where n becomes no multiple",
          "[director][sim]") {
  decimation_test::SimulatedWall* of = nullptr;
  decimation_test::SimulatedWall wall(
      2, [&](std::size_t, double at_s) { return at_s < 5 ? 60 : (of->every() >= 3 ? 20 : 90); });
  of = &wall;
  wall.run_until(20);
  REQUIRE(wall.changes.size() >= 2);
  CHECK(wall.changes[0].step.every == 2);
  CHECK(wall.changes[1].step.every == 3);
  CHECK(wall.changes[1].step.pictures_ahead == 4);
}

TEST_CASE("seldom misses are borne", "[director][sim]") {
  decimation_test::SimulatedWall wall(4, [](std::size_t, double) { return 20; });
  for (int i = 0; i < 100; ++i) {
    wall.report(static_cast<std::size_t>(i) % 4, 1);
    wall.run_until(wall.now_s() + 2);
  }
  CHECK(wall.changes.empty());
}

TEST_CASE("once the load is gone every tick is shown again", "[director][sim]") {
  decimation_test::SimulatedWall wall(
      15, [](std::size_t, double at_s) { return at_s < 20 ? 130 : 20; });
  wall.run_until(20);
  CHECK(wall.every() == 4);
  wall.run_until(25);
  CHECK(wall.every() == 1);
  CHECK(wall.changes.back().step.interval == Nanos(0));
  CHECK(wall.changes.back().step.pictures_ahead == 4);
}

TEST_CASE("a fall that does not hold is tried more and more seldom", "[director][sim]") {
  decimation_test::SimulatedWall* of = nullptr;
  decimation_test::SimulatedWall wall(
      4, [&](std::size_t, double) { return of->every() >= 3 ? 20 : 100; });
  of = &wall;
  wall.run_until(600);
  std::size_t falls = 0;
  for (const decimation_test::Change& change : wall.changes) falls += change.step.panel ? 0U : 1U;
  CHECK(falls > 1);
  CHECK(falls < 24);
}

TEST_CASE("a panel that is stopped or gone does not slow the wall", "[director][sim]") {
  decimation_test::SimulatedWall wall(
      4, [](std::size_t panel, double at_s) { return panel == 1 && at_s < 2 ? 150 : 20; });
  wall.is_silent = [](std::size_t panel, double at_s) { return panel == 1 && at_s >= 2; };
  wall.run_until(2);
  CHECK(wall.every() == 5);
  SECTION("stopped") { wall.run_until(12); }
  SECTION("gone") {
    wall.policy.leave(1);
    wall.run_until(12);
  }
  CHECK(wall.every() == 1);
}

TEST_CASE("a panel that comes back is given time to catch up", "[director][sim]") {
  decimation_test::SimulatedWall wall(4, [](std::size_t panel, double at_s) {
    return panel == 1 && at_s > 5 && at_s < 6.5 ? 300 : 20;
  });
  wall.run_until(5);
  wall.policy.leave(1);
  wall.run_until(20);
  CHECK(wall.changes.empty());
}

TEST_CASE("a pause changes nothing", "[director][sim]") {
  decimation_test::SimulatedWall wall(4,
                                      [](std::size_t, double at_s) { return at_s < 2 ? 100 : 20; });
  wall.run_until(2);
  REQUIRE(wall.changes.size() == 1);
  wall.is_paused = true;
  wall.run_until(60);
  CHECK(wall.changes.size() == 1);
}

TEST_CASE("a show that cannot fit begins with fewer ticks", "[director][sim]") {
  decimation_test::SimulatedWall wall(15, [](std::size_t, double) { return 30; });
  wall.cpu_ms = 20;  // 15 of them in 40 ms take 3.75 times the two processors' time
  for (std::size_t i = 0; i < 15; ++i) wall.report(i);
  const auto step = wall.policy.start(wall.now(), decimation_test::period);
  REQUIRE(step);
  CHECK(step->every == 5);
}

TEST_CASE("a slow start of the panels alone does not lower the rate", "[director][sim]") {
  decimation_test::SimulatedWall wall(15, [](std::size_t, double) { return 75; });
  wall.cpu_ms = 5;
  for (std::size_t i = 0; i < 15; ++i) wall.report(i);
  CHECK_FALSE(wall.policy.start(wall.now(), decimation_test::period));
}

TEST_CASE("one stall before the start does not lower the rate", "[director][sim]") {
  decimation_test::SimulatedWall wall(4, [](std::size_t, double) { return 1800; });
  for (std::size_t i = 0; i < 4; ++i) wall.report(i);
  CHECK_FALSE(wall.policy.start(wall.now(), decimation_test::period));
}

TEST_CASE("an interval is the same for ticks of another rate", "[director]") {
  CHECK(every_of(Nanos(0), decimation_test::period) == 1);
  CHECK(every_of(3 * decimation_test::period, decimation_test::period) == 3);
  CHECK(every_of(3 * decimation_test::period, decimation_test::period / 2) == 6);
  CHECK(every_of(3 * decimation_test::period, 2 * decimation_test::period) == 2);
  CHECK(every_of(Nanos(83'333'332), Nanos(16'666'666)) == 5);
  CHECK(every_of(std::chrono::seconds(30), decimation_test::period) == 200);
}

namespace {

/// Reports at instants in ms, each of one panel, of a wall whose ticks are 40 ms apart.
struct ReportedWall {
  explicit ReportedWall(std::size_t panels) : policy(panels) {}

  static LocalInstant at(std::int64_t ms) { return LocalInstant{milliseconds(100'000 + ms)}; }
  /// Pictures that take so long, of which some came too late.
  void report(std::size_t panel, std::int64_t at_ms, std::int64_t picture_ms,
              std::uint64_t missed_decode = 0, std::uint64_t missed_swap = 0) {
    DecimationReport report;
    report.missed_decode = missed_decode;
    report.missed_swap = missed_swap;
    report.pace.median_ns = picture_ms * 1'000'000;
    report.pace.median_of = pictures;
    report.pace.cpu_ns = cpu_ms * 1'000'000;
    report.pace.ran_ns = 1'000'000;
    report.buffers = buffers;
    report.cpus = cpus;
    policy.take(panel, host, report, at(at_ms));
  }
  std::int64_t every_at(std::int64_t ms) {
    const auto step = policy.step(at(ms), decimation_test::period);
    return step ? step->every : 0;
  }

  DecimationPolicy policy;
  std::string host = "host";
  std::uint64_t pictures = 3;
  std::int64_t cpu_ms = 1;
  std::int64_t buffers = 3;
  int cpus = 2;
};

}  // namespace

TEST_CASE("while a show plays a panel has a say for a second after its report", "[director]") {
  const std::int64_t later_ms = GENERATE(999, 1000);
  ReportedWall wall(2);
  CHECK(wall.every_at(0) == 0);  // the show has begun
  wall.report(1, 0, 150, 1);
  CHECK(wall.every_at(later_ms) == (later_ms < 1000 ? 5 : 0));
}

TEST_CASE("before the start a panel has a say however long ago its report is", "[director]") {
  ReportedWall wall(2);
  wall.report(0, 0, 30);
  wall.report(1, 0, 150);
  const auto step = wall.policy.start(ReportedWall::at(60'000), decimation_test::period);
  REQUIRE(step);
  CHECK(step->every == 2);  // 150 ms, half of it for the disturbance, in ticks of 40 ms
  CHECK(step->panel == 1U);
}

TEST_CASE("a panel that is back has no say for two seconds, and all of it after that",
          "[director]") {
  ReportedWall wall(2);
  CHECK(wall.every_at(0) == 0);
  wall.policy.leave(1);
  wall.report(1, 1000, 150, 1);
  CHECK(wall.every_at(1000) == 0);
  wall.report(1, 2999, 150, 1);
  CHECK(wall.every_at(2999) == 0);
  wall.report(1, 3000, 150, 1);
  CHECK(wall.every_at(3000) == 5);
}

TEST_CASE("how long pictures take counts once there are three of them", "[director]") {
  ReportedWall wall(1);
  CHECK(wall.every_at(0) == 0);
  wall.pictures = 2;
  wall.report(0, 0, 150, 1);
  CHECK(wall.every_at(0) == 0);
  wall.pictures = 3;
  wall.report(0, 10, 150);
  CHECK(wall.every_at(10) == 5);
}

TEST_CASE("a picture that takes as long as a tick fits, after one miss", "[director]") {
  ReportedWall wall(1);
  CHECK(wall.every_at(0) == 0);
  wall.report(0, 0, 40, 1);
  CHECK(wall.every_at(0) == 0);
  wall.report(0, 200, 41, 1);
  CHECK(wall.every_at(200) > 1);
}

TEST_CASE("panels share the processors of their own host alone", "[director]") {
  ReportedWall wall(4);
  wall.cpu_ms = 40;
  wall.cpus = 1;
  for (std::size_t panel = 0; panel < 4; ++panel) {
    wall.host = panel < 2 ? "both" : (panel == 2 ? "one" : "other");
    wall.report(panel, 0, 30);
  }
  SECTION("the busiest of them decides") {  // 80 ms in shares of 0.85 of 40 ms
    const auto step = wall.policy.start(ReportedWall::at(10), decimation_test::period);
    REQUIRE(step);
    CHECK(step->every == 3);
  }
  SECTION("one that knows how many processors it has says so for its host") {
    wall.host = "both";
    wall.cpus = 2;
    wall.report(0, 5, 30);
    CHECK_FALSE(wall.policy.start(ReportedWall::at(10), decimation_test::period));
  }
}

TEST_CASE("the panel that missed most in a report interval is to blame, with its cause",
          "[director]") {
  ReportedWall wall(3);
  CHECK(wall.every_at(0) == 0);
  for (const std::int64_t at_ms : {0, 200, 400, 600}) {
    wall.report(0, at_ms, 20, 1);
    wall.report(1, at_ms + 50, 20, 1, 2);
    wall.report(2, at_ms + 100, 20, 2);
    if (at_ms < 600) CHECK(wall.every_at(at_ms + 100) == 0);
  }
  const auto step = wall.policy.step(ReportedWall::at(700), decimation_test::period);
  REQUIRE(step);
  CHECK(step->every == 2);
  CHECK(step->panel == 1U);
  CHECK(step->cause == LateCause::swap);
  CHECK(step->pause == milliseconds(40));
  CHECK(step->pictures_ahead == 4);
}

TEST_CASE("misses of one report interval are one", "[director]") {
  ReportedWall wall(4);
  CHECK(wall.every_at(0) == 0);
  for (const std::int64_t at_ms : {0, 60, 120, 179}) wall.report(0, at_ms, 20, 1);
  CHECK(wall.every_at(179) == 0);
  for (const std::int64_t at_ms : {180, 360, 540}) {
    CHECK(wall.every_at(at_ms - 1) == 0);
    wall.report(0, at_ms, 20, 1);
  }
  CHECK(wall.every_at(540) == 2);
}

TEST_CASE("misses right after a change belong to the time before it", "[director]") {
  ReportedWall wall(1);
  CHECK(wall.every_at(0) == 0);
  wall.report(0, 0, 70, 1);
  REQUIRE(wall.every_at(0) == 3);
  const std::int64_t settled_ms = 400 + 140;  // after the change and its pause of two pictures
  wall.report(0, settled_ms - 1, 150, 1);
  CHECK(wall.every_at(settled_ms - 1) == 0);
  CHECK(wall.every_at(settled_ms) == 0);
  wall.report(0, settled_ms, 150, 1);
  CHECK(wall.every_at(settled_ms) == 6);  // nothing else is known of the new ticks: twice as many
}

TEST_CASE("every tick is shown again after four quiet seconds", "[director]") {
  ReportedWall wall(1);
  CHECK(wall.every_at(0) == 0);
  wall.report(0, 0, 60, 1);
  REQUIRE(wall.every_at(0) == 2);
  const std::int64_t settled_ms = 400 + 120;  // every second tick follows every tick at once
  wall.report(0, settled_ms + 3500, 30);
  CHECK(wall.every_at(settled_ms + 3999) == 0);
  wall.report(0, settled_ms + 3999, 30);
  const auto step = wall.policy.step(ReportedWall::at(settled_ms + 4000), decimation_test::period);
  REQUIRE(step);
  CHECK(step->every == 1);
  CHECK_FALSE(step->panel);
  CHECK(step->pictures_ahead == 4);
}
