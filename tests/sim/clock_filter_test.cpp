#include "sync/clock/clock_filter.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/sim/clock_simulation.hpp"
#include "tests/support/sanitized.hpp"

using namespace tilewall;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

/// Sorted absolute errors of the published mapping, in microseconds, over `span`.
std::vector<double> errors_us(ClockSimulation& simulation, Nanos span) {
  std::vector<double> errors;
  simulation.look = [&](LocalInstant at) {
    errors.push_back(std::abs(static_cast<double>(simulation.error_ns(at))) * 1e-3);
  };
  simulation.run_for(span);
  simulation.look = nullptr;
  std::sort(errors.begin(), errors.end());
  return errors;
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted.at(static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1)));
}

constexpr PathModel loopback{
    .to_daemon_us = 6, .to_host_us = 6, .jitter_us = 3, .shape = JitterShape::exponential};
constexpr PathModel jittery{.to_daemon_us = 250, .to_host_us = 250, .jitter_us = 500};

}  // namespace

TEST_CASE("the bound holds over a million exchanges of every kind of path", "[sync][clock][sim]") {
  // Under a sanitizer a tenth of the exchanges is enough: it runs the same code.
  const std::uint64_t exchanges_each = test::sanitized() ? 5'500 : 55'000;
  const PathModel paths[] = {
      loopback,
      jittery,
      {.to_daemon_us = 250, .to_host_us = 250, .jitter_us = 100, .shape = JitterShape::exponential},
      {.to_daemon_us = 8'000, .to_host_us = 12'000, .jitter_us = 100, .loss = 0.05},
      {.to_daemon_us = 50,
       .to_host_us = 5'000,
       .jitter_us = 2'000,
       .shape = JitterShape::exponential,
       .loss = 0.3},
  };
  const ClockTruth truths[] = {
      {},
      {.offset_ns = 3'000'000'000'000'000,
       .drift_ppb = 100'000,
       .wave_ppb = 500,
       .wave_period_s = 400},
      {.offset_ns = -900'000'000'000, .drift_ppb = -100'000, .wave_ppb = 300, .wave_period_s = 200},
      {.offset_ns = 12'345, .drift_ppb = 17'000, .wave_ppb = 950, .wave_period_s = 600},
  };
  std::uint64_t exchanges = 0;
  for (const PathModel& path : paths) {
    for (const ClockTruth& truth : truths) {
      ClockSimulation simulation(path, truth, exchanges + 1);
      while (simulation.exchanges < exchanges_each) simulation.exchange();
      CAPTURE(path.to_daemon_us, path.jitter_us, truth.drift_ppb);
      CHECK(simulation.violations == 0);
      CHECK(simulation.filter.status().state == ClockState::locked);
      CHECK(simulation.filter.status().rejected == 0);
      CHECK(simulation.filter.status().restarts == 0);
      exchanges += simulation.exchanges;
    }
  }
  CHECK(exchanges >= 20 * exchanges_each);
}

TEST_CASE("errors are small once settled, at any drift", "[sync][clock][sim]") {
  struct Goal {
    PathModel path;
    double p99_us;
  };
  PathModel lossy = jittery;
  lossy.loss = 0.05;
  for (const Goal& goal : {Goal{loopback, 0.3}, Goal{jittery, 10}, Goal{lossy, 10}})
    for (const double drift_ppb : {0.0, 100'000.0, -100'000.0}) {
      ClockSimulation simulation(
          goal.path,
          {.offset_ns = 77, .drift_ppb = drift_ppb, .wave_ppb = 500, .wave_period_s = 400}, 5);
      simulation.run_for(2s);
      CAPTURE(goal.path.jitter_us, goal.path.loss, drift_ppb);
      CHECK(quantile(errors_us(simulation, 600s), 0.99) <= goal.p99_us);
      CHECK(simulation.filter.status().drift_ppb == Approx(-drift_ppb).margin(5'000));
      CHECK(simulation.largest_step_ns <= 2);  // it slews, and only rounds
    }
}

TEST_CASE("the bound is no wider than twice the best exchange and drift", "[sync][clock][sim]") {
  for (const PathModel& path : {loopback, jittery}) {
    ClockSimulation simulation(path, {.drift_ppb = 50'000}, 8);
    simulation.run_for(2s);
    std::uint64_t wider = 0;
    simulation.look = [&](LocalInstant at) {
      const ClockStatus& status = simulation.filter.status();
      const double half_ns = static_cast<double>(status.round_trip_min.count()) / 2;
      const double aged_ns = 50e-6 * static_cast<double>((at - status.updated).count());
      if (static_cast<double>(status.mapping.bound_at(at).count()) > 2 * (half_ns + aged_ns))
        wider++;
    };
    simulation.run_for(120s);
    CHECK(wider == 0);
  }
}

TEST_CASE("an uneven path misleads by half its unevenness, which the bound contains",
          "[sync][clock][sim]") {
  ClockSimulation simulation({.to_daemon_us = 8'000, .to_host_us = 12'000, .jitter_us = 10}, {}, 3);
  simulation.run_for(10s);
  const auto errors = errors_us(simulation, 10s);
  CHECK(errors.front() > 1'950);
  CHECK(errors.back() < 2'050);
  CHECK(simulation.violations == 0);
  CHECK(simulation.filter.status().mapping.bound_at_anchor < 10'100us);
}

TEST_CASE("it locks after one burst and asks for exchanges ever less often", "[sync][clock][sim]") {
  ClockSimulation simulation(loopback, {.offset_ns = -5}, 2);
  CHECK(simulation.filter.status().state == ClockState::collecting);
  CHECK(simulation.filter.status().mapping.bound_at(simulation.now()) == Nanos::max());
  CHECK(simulation.filter.next_interval() == 0ns);
  const LocalInstant start = simulation.now();
  while (simulation.filter.status().state == ClockState::collecting) simulation.exchange();
  CHECK(simulation.filter.status().samples == 16);
  CHECK(simulation.now() - start < 50ms);
  simulation.run_for(10s);
  const std::uint64_t before = simulation.exchanges;
  simulation.run_for(10s);
  CHECK(simulation.exchanges - before <= 204);
  CHECK(simulation.exchanges - before >= 196);
}

TEST_CASE("a changed axis is learned anew within two seconds", "[sync][clock][sim]") {
  for (const Nanos step : {Nanos{5ms}, Nanos{-40s}, Nanos{9h}}) {
    CAPTURE(step.count());
    ClockSimulation simulation(jittery, {.drift_ppb = 100'000}, 4);
    simulation.run_for(30s);
    simulation.step_axis(step);
    simulation.exchange();  // nobody can know before it is over
    simulation.violations = 0;
    const LocalInstant learned = simulation.now();
    while (simulation.filter.status().restarts == 0) simulation.exchange();
    CHECK(simulation.filter.status().state == ClockState::collecting);
    while (simulation.filter.status().state != ClockState::locked) simulation.exchange();
    CHECK(simulation.now() - learned < 1s);
    simulation.run_for(2s - (simulation.now() - learned));
    CHECK(quantile(errors_us(simulation, 30s), 0.99) <= 10);
    CHECK(simulation.violations == 0);
    CHECK(simulation.filter.status().restarts == 1);
  }
}

TEST_CASE("one wild exchange widens the bound for a moment and moves nothing",
          "[sync][clock][sim]") {
  ClockSimulation simulation(loopback, {.drift_ppb = 20'000}, 6);
  simulation.run_for(10s);
  const Nanos bound = simulation.filter.status().mapping.bound_at_anchor;
  simulation.step_axis(1s);
  simulation.exchange();
  simulation.step_axis(-1s);
  simulation.violations = 0;
  CHECK(simulation.filter.status().mapping.bound_at_anchor > 1s);
  simulation.run_for(1s);
  CHECK(simulation.filter.status().mapping.bound_at_anchor < 2 * bound);
  CHECK(simulation.filter.status().rejected == 1);
  CHECK(simulation.filter.status().restarts == 0);
  CHECK(simulation.largest_step_ns <= 2);
  CHECK(simulation.violations == 0);
}

TEST_CASE("without the daemon the mapping runs on and the bound grows with it",
          "[sync][clock][sim]") {
  ClockSimulation simulation(jittery,
                             {.drift_ppb = -100'000, .wave_ppb = 500, .wave_period_s = 400}, 7);
  simulation.run_for(60s);
  simulation.silence(700ms);
  CHECK(simulation.filter.status().state == ClockState::locked);
  simulation.silence(1s);
  CHECK(simulation.filter.status().state == ClockState::holdover);
  Nanos bound = simulation.filter.status().mapping.bound_at_anchor;
  for (int minute = 0; minute < 60; ++minute) {
    simulation.silence(60s);
    CHECK(simulation.filter.status().mapping.bound_at_anchor > bound);
    bound = simulation.filter.status().mapping.bound_at_anchor;
  }
  // 500 ppb of wave that nobody can foresee make 1.8 ms an hour; the rest is what the rate is known
  // to.
  CHECK(std::abs(simulation.error_ns(simulation.now())) < 2'500'000);
  simulation.run_for(60s);  // what an hour has added up to is slewed back, at 500 ppm
  CHECK(simulation.filter.status().state == ClockState::locked);
  CHECK(simulation.filter.status().restarts == 0);
  CHECK(simulation.largest_step_ns <= 2);
  CHECK(quantile(errors_us(simulation, 30s), 0.99) <= 20);
  CHECK(simulation.violations == 0);
}

TEST_CASE("a trimmed clock is followed without a step", "[sync][clock][sim]") {
  ClockSimulation simulation(loopback, {}, 9);
  for (int trim = 0; trim < 20; ++trim) {  // within the model: the bound holds throughout
    simulation.run_for(61s);
    simulation.jump_rate(trim % 2 == 0 ? 950 : -950);
  }
  CHECK(simulation.violations == 0);
  simulation.jump_rate(30'000);  // beyond it
  simulation.run_for(5s);
  simulation.violations = 0;
  CHECK(quantile(errors_us(simulation, 10s), 0.99) <= 1);
  CHECK(simulation.violations == 0);
  CHECK(simulation.filter.status().restarts == 0);
  CHECK(simulation.largest_step_ns <= 2);
}

TEST_CASE("another boot id forgets the axis; an earlier mapping is steered on from",
          "[sync][clock][sim]") {
  ClockSimulation simulation(loopback, {.offset_ns = 1'000'000}, 10);
  simulation.run_for(5s);
  const ClockMapping good = simulation.filter.status().mapping;
  simulation.filter.restart();
  CHECK(simulation.filter.status().state == ClockState::collecting);
  CHECK(simulation.filter.status().mapping.bound_at(simulation.now()) == Nanos::max());
  simulation.run_for(1s);
  CHECK(simulation.filter.status().state == ClockState::locked);

  simulation.filter = ClockFilter();
  simulation.filter.continue_from(good);
  simulation.exchange();
  const LocalInstant now = simulation.now();
  CHECK(
      std::abs((simulation.filter.status().mapping.to_global(now) - good.to_global(now)).count()) <
      2'000);
  simulation.run_for(5s);
  CHECK(simulation.violations == 0);
}

TEST_CASE("stamps that no exchange can have are refused", "[sync][clock]") {
  const auto rejects = [](std::int64_t sent, std::int64_t remote_received, std::int64_t remote_sent,
                          std::int64_t received) {
    ClockFilter filter;
    filter.add({{Nanos{1'000'000}}, {Nanos{2'000'000}}, {Nanos{2'010'000}}, {Nanos{1'050'000}}});
    filter.add({{Nanos{sent}}, {Nanos{remote_received}}, {Nanos{remote_sent}}, {Nanos{received}}});
    filter.steer({Nanos{3'000'000}});
    return filter.status().rejected == 1 && filter.status().samples == 1;
  };
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(rejects(2'000'000, 3'000'000, 3'010'000, 2'050'000));
  CHECK(rejects(2'000'000, 3'000'000, 3'010'000, 1'999'999));  // back before it was sent
  CHECK(rejects(2'000'000, 3'010'000, 3'000'000, 2'050'000));  // sent on before it came
  CHECK(rejects(2'000'000, 3'000'000, 3'060'000, 2'050'000));  // longer there than away
  CHECK(rejects(1'000'000, 3'000'000, 3'010'000, 2'050'000));  // out of order
  CHECK(rejects(2'000'000, -1, 3'010'000, 2'050'000));
  CHECK(rejects(2'000'000, 3'000'000, huge, 2'050'000));
  CHECK(rejects(2'000'000, huge - 1, huge, 2'050'000));
  CHECK(rejects(-huge, huge, huge, huge));
}

TEST_CASE("the bound's growth covers a rate that wanders while nobody refreshes the mapping",
          "[sync][clock]") {
  // In 10 s a rate that wanders by w a second moves the clock by w * 10 * 10 / 2 ns: what 5 w ppb
  // of growth allow. Nothing else grows: the rate itself is known.
  for (const double wander_ppb_per_s : {10.0, 100.0, 1000.0}) {
    CAPTURE(wander_ppb_per_s);
    ClockFilterOptions options;
    options.model.max_rate_ppb = 0;
    options.model.wander_ppb_per_s = wander_ppb_per_s;
    ClockFilter filter(options);
    for (std::int64_t i = 0; i < 100; ++i) {  // exchanges of 2 us with a clock that is the same
      const LocalInstant sent{100s + i * 10ms};
      const Nanos middle = sent.since_epoch + 1us;
      filter.add({sent, {middle}, {middle}, sent + 2us});
      filter.steer(sent + 2us);
    }
    REQUIRE(filter.status().state == ClockState::locked);
    CHECK(filter.status().mapping.bound_growth_ppb == Approx(5 * wander_ppb_per_s).margin(1));
  }
}

TEST_CASE("an estimate is widened by what is not known of the axis it is taken to",
          "[sync][clock]") {
  const CorrectionEstimate measured = {{Nanos{1'000'000}, -100, 300, -20, 40}, {50, 10}};
  const LocalInstant at{10s};
  ClockMapping axis;  // the daemon's clock, a second after it was placed
  axis.anchor_local = at + 1ms - 1s;
  axis.anchor_global = {axis.anchor_local.since_epoch + 5s};
  axis.rate_ppb = 0;
  axis.bound_at_anchor = 50ns;
  axis.bound_growth_ppb = 999.5;  // rounded up after a second
  const CorrectionEstimate seen = seen_through(measured, axis, 20, at);
  CHECK(seen.certain.base == 1ms + 5s);
  // 50 ns, 999.5 ppb and 20 / 2 ppb of wander for a second, and 1 ns of rounding.
  CHECK(seen.certain.low_ns == Approx(-100 - 1061));
  CHECK(seen.certain.high_ns == Approx(300 + 1061));
  CHECK(seen.certain.rate_low_ppb == Approx(-20 - 1019.5));
  CHECK(seen.certain.rate_high_ppb == Approx(40 + 1019.5));
  CHECK(seen.likely.correction_ns == Approx(50));
  CHECK(seen.likely.rate_ppb == Approx(10));
}
