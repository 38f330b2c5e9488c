// What is learned of a sound device from when it asks.

#include "player/sound/device_clock.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace tilewall;
using namespace tilewall::sound;
using namespace std::chrono_literals;

namespace {

constexpr int rate_hz = 48000;
constexpr std::int64_t buffer_frames = 960;
constexpr Nanos latency = 40ms;
constexpr LocalInstant power_on{777s};

/// When a device whose clock is off by so much asks for `frame`.
LocalInstant asks(std::int64_t frame, double rate_error) {
  return power_on +
         Nanos(std::llround(static_cast<double>(frame) / rate_hz / (1.0 + rate_error) * 1e9));
}

double error_ms(const DeviceClock& clock, std::int64_t frame, LocalInstant truth) {
  return std::chrono::duration<double, std::milli>(clock.heard(frame) - truth).count();
}

/// Seldom on time, now and then kept off its core for long.
Nanos lateness(std::mt19937& random) {
  std::exponential_distribution<double> usual(1 / 0.3e6);
  std::uniform_real_distribution<double> chance(0, 1);
  const double stall = chance(random) < 0.05 ? chance(random) * 18e6 : 0;
  return Nanos(static_cast<std::int64_t>(usual(random) + stall));
}

}  // namespace

TEST_CASE("the first request says where a device is", "[sound]") {
  DeviceClock clock(rate_hz, latency);
  clock.add(0, power_on);
  CHECK(clock.heard(0) == power_on + latency);
  CHECK(clock.heard(480) == power_on + latency + 10ms);
}

TEST_CASE("buffers filled in a hurry at the start do not count", "[sound]") {
  DeviceClock clock(rate_hz, latency);
  clock.add(0, power_on);
  clock.add(buffer_frames, power_on);
  clock.add(2 * buffer_frames, power_on);
  for (std::int64_t n = 3; n < 200; ++n) {
    const LocalInstant asked = power_on + (n - 2) * 20ms;
    clock.add(n * buffer_frames, asked);
    CHECK(std::abs(error_ms(clock, n * buffer_frames, asked + latency)) < 0.01);
  }
}

TEST_CASE("a device's place is known to a millisecond through late requests", "[sound][sim]") {
  for (const double rate_error : {-200e-6, 0.0, 200e-6, 0.01}) {
    CAPTURE(rate_error);
    std::mt19937 random(1);
    DeviceClock clock(rate_hz, latency);
    double worst_ms = 0;
    for (std::int64_t n = 0; n < 50 * 120; ++n) {
      const std::int64_t frame = n * buffer_frames;
      clock.add(frame, asks(frame, rate_error) + lateness(random));
      if (n > 50 * 3)
        worst_ms =
            std::max(worst_ms, std::abs(error_ms(clock, frame, asks(frame, rate_error) + latency)));
    }
    CHECK(worst_ms < 1.0);
    CHECK(clock.rate_error() == Approx(rate_error).margin(100e-6));
    CHECK(clock.steps() == 0);
  }
}

TEST_CASE("a device that stood still for a while is found again within a second", "[sound]") {
  DeviceClock clock(rate_hz, latency);
  for (std::int64_t n = 0; n < 50 * 20; ++n)
    clock.add(n * buffer_frames, asks(n * buffer_frames, 0));
  const Nanos stop = 300ms;
  for (std::int64_t n = 50 * 20; n < 50 * 22; ++n)
    clock.add(n * buffer_frames, asks(n * buffer_frames, 0) + stop);
  const std::int64_t frame = 50 * 22 * buffer_frames;
  CHECK(clock.steps() == 1);
  CHECK(std::abs(error_ms(clock, frame, asks(frame, 0) + stop + latency)) < 0.1);
  for (std::int64_t n = 50 * 22; n < 50 * 24; ++n)  // and again
    clock.add(n * buffer_frames, asks(n * buffer_frames, 0) + 2 * stop);
  const std::int64_t later = 50 * 24 * buffer_frames;
  CHECK(clock.steps() == 2);
  CHECK(std::abs(error_ms(clock, later, asks(later, 0) + 2 * stop + latency)) < 0.1);
}

TEST_CASE("a quarter of a second of late requests does not lead astray", "[sound]") {
  DeviceClock clock(rate_hz, latency);
  for (std::int64_t n = 0; n < 50 * 20; ++n) {
    const bool starved = n >= 500 && n < 520;
    const std::int64_t frame = n * buffer_frames;
    clock.add(frame, asks(frame, 0) + (starved ? Nanos(9ms) : Nanos(0)));
    CHECK(std::abs(error_ms(clock, frame, asks(frame, 0) + latency)) < 1.0);
  }
}

using namespace tilewall;

TEST_CASE("sound that is ahead runs slower, and catches up in two seconds", "[sound]") {
  // Half of the error per second, at most 5 in a thousand; beyond 15 ms it jumps.
  struct Step {
    double error_s;
    bool jumps;
    double steer;
  };
  for (const Step& expected :
       {Step{0, false, 0}, Step{0.004, false, -0.002}, Step{-0.004, false, 0.002},
        Step{0.010, false, -0.005}, Step{0.014, false, -0.005}, Step{-0.014, false, 0.005},
        Step{0.016, true, 0}, Step{-0.016, true, 0}}) {
    CAPTURE(expected.error_s);
    const ServoStep step = DriftServo::step(expected.error_s);
    CHECK(step.jump == expected.jumps);
    CHECK(step.steer == Approx(expected.steer).margin(1e-12));
  }
}

TEST_CASE("a device stands still once enough looks in a row find no new request", "[sound]") {
  StandstillWatch watch(2);
  CHECK_FALSE(watch.stands_still(LocalInstant{1s}));
  CHECK_FALSE(watch.stands_still(LocalInstant{1s}));
  CHECK_FALSE(watch.stands_still(LocalInstant{1s}));
  CHECK(watch.stands_still(LocalInstant{1s}));
  CHECK_FALSE(watch.stands_still(LocalInstant{2s}));
  CHECK_FALSE(watch.stands_still(LocalInstant{2s}));
  StandstillWatch before_the_first(1);
  CHECK_FALSE(before_the_first.stands_still(std::nullopt));
  CHECK(before_the_first.stands_still(std::nullopt));
}
