#include "player/director/clock_watch.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace std::chrono_literals;

namespace {

ReportedClock locked(int daemon = 0, std::uint64_t failovers = 0) {
  return {"locked", 1'500, 0, daemon, failovers};
}

ReportedClock alone(std::chrono::nanoseconds since) {
  return {"holdover", 9'000, since.count(), 0, 0};
}

}  // namespace

TEST_CASE("the operator is told of each change once, and not too often", "[director][clock]") {
  ClockWatch watch;
  ClockWatch::Instant now{1h};
  watch.take("h1", locked());
  watch.take("h2", locked());
  CHECK_FALSE(watch.news(now));
  watch.take("h1", alone(1s));
  auto line = watch.news(now);
  REQUIRE(line);
  CHECK_THAT(*line, Catch::Contains("no clock daemon answers h1:"));
  watch.take("h1", alone(2s));
  now += 2s;
  CHECK_FALSE(watch.news(now));
  watch.take("h2", locked(1, 1));
  line = watch.news(now);
  REQUIRE(line);
  CHECK_THAT(*line,
             Catch::Contains("answers h1:") && Catch::Contains("; h2 in step with the standby"));
  watch.take("h1", locked());
  watch.take("h2", locked());
  CHECK_FALSE(watch.news(now + 999ms));
  CHECK(watch.news(now + 1s) == "clock: all hosts are in step with the clock daemon again");
  CHECK_FALSE(watch.news(now + 10s));
}

TEST_CASE("a line names a few hosts and counts the others", "[director][clock]") {
  ClockWatch few;
  for (const char* name : {"a", "b", "c", "d"}) few.take(name, alone(1s));
  CHECK_THAT(few.news(ClockWatch::Instant{1h}).value_or(""), Catch::Contains("a, b, c, d:"));
  ClockWatch watch;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) watch.take(name, alone(1s));
  CHECK_THAT(watch.news(ClockWatch::Instant{1h}).value_or(""),
             Catch::Contains("a, b, c, d and 2 more:"));
}

TEST_CASE("holdovers are counted and their time adds up", "[director][clock]") {
  ClockWatch watch;
  watch.take("h1", alone(1s));
  watch.take("h1", alone(3s));
  watch.take("h1", locked());
  watch.take("h1", alone(2s));
  const auto report = watch.report();
  REQUIRE(report.size() == 1);
  CHECK(report[0].at("host") == "h1");
  CHECK(report[0].at("state") == "holdover");
  CHECK(report[0].at("holdovers") == 2);
  CHECK(report[0].at("holdover_s") == Approx(5));
  CHECK(report[0].at("bound_us") == Approx(9));
}

TEST_CASE("of several holdovers that are over the sum is told", "[director][clock]") {
  ClockWatch watch;
  for (const auto time : {3s, 2s, 4s}) {
    watch.take("h1", alone(time));
    watch.take("h1", locked());
  }
  const auto report = watch.report();
  CHECK(report[0].at("holdovers") == 3);
  CHECK(report[0].at("holdover_s") == 9);
}
