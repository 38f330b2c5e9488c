// By how much faster or slower sound runs for an error.

#include <catch2/catch.hpp>

#include "player/sound/device_clock.hpp"

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
