// What the report says of late frames.

#include "player/director/lateness/late_log.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;

TEST_CASE("late frames of one panel, cause and second are one event", "[director]") {
  LateLog log;
  CHECK(log.add({10.0, "c0r0", LateCause::decode, 2, 0}));
  CHECK_FALSE(log.add({10.2, "c0r0", LateCause::decode, 3, 0}));
  CHECK(log.add({10.2, "c0r0", LateCause::swap, 1, 0}));
  CHECK(log.add({10.4, "c1r0", LateCause::decode, 1, 0}));
  CHECK_FALSE(log.add({10.8, "c0r0", LateCause::decode, 1, 0}));
  CHECK(log.add({11.1, "c0r0", LateCause::decode, 4, 1}));
  REQUIRE(log.events().size() == 4);
  CHECK(log.events()[0].frames == 6);
  CHECK(log.events()[3].frames == 4);
  CHECK(log.last_cause("c0r0") == LateCause::decode);
  CHECK_FALSE(log.last_cause("c2r0"));
  CHECK(log.frames_of("c0r0") == LateByCause{{LateCause::decode, 10}, {LateCause::swap, 1}});
  CHECK(log.frames_of("c2r0").empty());
}

TEST_CASE("events of a show that is late for days are counted, not kept", "[director]") {
  LateLog log;
  for (int second = 0; second < 5000; ++second) {
    CHECK(log.add({static_cast<double>(second), "c0r0", LateCause::swap, 1, 0}));
    CHECK_FALSE(log.add({second + 0.5, "c0r0", LateCause::swap, 1, 0}));
  }
  CHECK(log.events().size() == 1000);
  CHECK(log.left_out() == 4000);
  CHECK(log.events().back().frames == 2);
  CHECK(log.frames_of("c0r0") == LateByCause{{LateCause::swap, 10000}});
  LateLog next;
  next.restore(log.checkpoint());
  CHECK(next.frames_of("c0r0") == log.frames_of("c0r0"));
}

TEST_CASE("a late event as the report has it", "[director]") {
  CHECK(
      to_json(LateEvent{1.5, "c0r0", LateCause::released_late, 2, 0}, "slow").dump() ==
      R"({"at_s":1.5,"cause":"released late","every_nth_tick":1,"frames":2,"level":0,"panel":"c0r0","policy":"slow"})");
  CHECK(to_json(LateEvent{2, "", LateCause::level_up, 0, 0}, "lower").at("panel").is_null());
}
