// Shows on several hosts with clocks of their own, where this user may emulate them.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/emulation/clock_skew.hpp"
#include "tests/emulation/emulated_show.hpp"

using namespace tilewall;
using namespace tilewall::test;

TEST_CASE("a movie on 15 panels of three hosts with clocks of their own", "[emulation]") {
  EmulatedShowOptions options;
  options.seconds = 5;
  options.path.loss = 0.05;
  options.sound = true;
  options.date_step_at_s = 3;
  std::string reason;
  const auto result = play_on_emulated_hosts(options, reason);
  if (!result) {
    WARN("skipped: " << reason);
    return;
  }
  CAPTURE(result->err, result->report.value("error", ""));
  REQUIRE(result->exit_code == 0);
  CHECK(result->pictures > 0);
  CHECK(result->wrong_pictures == 0);
  CHECK(result->report.at("frames_scheduled") == 120);
  CHECK(result->report.at("clock").size() == 3);
  const nlohmann::json audio = result->report.at("audio");
  CAPTURE(audio);
  CHECK(audio.at("state") == "played");
  CHECK(audio.at("host") == result->report.at("per_panel").at(2).at("host"));
  CHECK(result->violations == 0);
  REQUIRE(!result->skews_ns.empty());
  // Two days apart and 200 ppm by themselves; nothing here depends on how busy the machine is.
  const std::int64_t bound_ns =
      *std::max_element(result->bounds_ns.begin(), result->bounds_ns.end());
  CHECK(*std::max_element(result->skews_ns.begin(), result->skews_ns.end()) <= 2 * bound_ns);
}

TEST_CASE("a skewed clock's instants are converted both ways to the nanosecond", "[emulation]") {
  ClockSkew skew;
  skew.offset_ns = 7'777'777'777'777;
  skew.anchor_monotonic_ns = 1'000'000'000'000;
  skew.anchor_realtime_ns = 1'700'000'000'000'000'000;
  skew.date_step_ns = -1'000'000'000;
  for (const double drift_ppm : {0.0, 100.0, -100.0, 37.5}) {
    skew.drift_ppm = drift_ppm;
    for (const std::int64_t at : {0L, 1L, 123'456'789L, 86'400'000'000'000L}) {
      const std::int64_t monotonic_ns = skew.anchor_monotonic_ns + at;
      const std::int64_t realtime_ns = skew.anchor_realtime_ns + at;
      CHECK(std::abs(skew.machine_monotonic_ns(skew.monotonic_ns(monotonic_ns)) - monotonic_ns) <=
            1);
      CHECK(std::abs(skew.machine_realtime_ns(skew.realtime_ns(realtime_ns)) - realtime_ns) <= 1);
    }
  }
}
