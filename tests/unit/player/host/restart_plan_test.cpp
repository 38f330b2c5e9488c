// When programs that have died are started again, and how keepers of panels are started.

#include "player/host/restart_plan.hpp"

#include <catch2/catch.hpp>

#include "player/host/host_keeper.hpp"
#include "sync/base/child_process.hpp"

using namespace tilewall;
using namespace tilewall::host;
using namespace std::chrono_literals;

namespace {

constexpr RestartPlan::TimePoint first_death(1h);

/// The time from a death at `died` to the planned start, in whole milliseconds.
std::chrono::milliseconds pause_after(RestartPlan& plan, RestartPlan::TimePoint died) {
  for (auto pause = 0ms; pause < 1min; ++pause)
    if (plan.take_start(died + pause)) return pause;
  return 1min;
}

}  // namespace

TEST_CASE("the pauses after deaths in a row grow fourfold, and the first death has none",
          "[host]") {
  RestartLimits limits;
  limits.first_pause = 20ms;
  limits.rest = 5s;
  RestartPlan plan(limits);
  CHECK_FALSE(plan.waits());
  CHECK_FALSE(plan.take_start(first_death));
  auto died = first_death;
  for (const auto pause : {0ms, 20ms, 80ms, 320ms, 1280ms}) {
    plan.take_death(std::nullopt, died);
    CHECK(plan.waits());
    CHECK_FALSE(plan.rests());
    CHECK(pause_after(plan, died) == pause);
    CHECK_FALSE(plan.waits());
    died += pause + 1ms;
  }
  plan.take_death(1, died);  // the sixth
  CHECK(plan.rests());
  CHECK(pause_after(plan, died) == 5s);
  CHECK_FALSE(plan.rests());
  died += 5001ms;
  plan.take_death(1, died);  // after a rest it begins anew
  CHECK(pause_after(plan, died) == 0ms);
}

TEST_CASE("deaths count for as long as their window", "[host]") {
  RecentDeaths deaths(10s);
  CHECK(deaths.add(first_death) == 1);
  CHECK(deaths.add(first_death + 4s) == 2);
  CHECK(deaths.add(first_death + 10s) == 3);
  CHECK(deaths.add(first_death + 10s + 1ns) == 3);
  CHECK(deaths.add(first_death + 14s + 1ns) == 3);
  deaths.forget();
  CHECK(deaths.add(first_death + 15s) == 1);
}

TEST_CASE("the rest code alone brings a rest at once", "[host]") {
  RestartLimits limits;
  limits.rest_code = 2;
  limits.rest = 3s;
  for (const std::optional<int> code : {std::optional(2), std::optional(1), std::optional<int>()}) {
    RestartPlan plan(limits);
    plan.take_death(code, first_death);
    CHECK(plan.rests() == (code == 2));
    CHECK(pause_after(plan, first_death) == (code == 2 ? 3s : 0ms));
  }
  RestartPlan without(RestartLimits{});
  without.take_death(std::nullopt, first_death);  // a signal has no code
  CHECK_FALSE(without.rests());
}

TEST_CASE("a rest that is cut short lasts its least length, and never longer than planned",
          "[host]") {
  RestartLimits limits;
  limits.most = 1;
  limits.rest = 60s;
  limits.least_rest = 2s;
  SECTION("of a long rest the least length is left") {
    RestartPlan plan(limits);
    plan.take_death(1, first_death);
    plan.rouse();
    CHECK(plan.rests());
    CHECK(pause_after(plan, first_death) == 2s);
  }
  SECTION("a shorter rest stays") {
    limits.rest = 1s;
    RestartPlan plan(limits);
    plan.take_death(1, first_death);
    plan.rouse();
    CHECK(pause_after(plan, first_death) == 1s);
  }
  SECTION("a start that the host puts off is no rest") {
    RestartPlan plan(limits);
    plan.put_off(first_death + 5s);
    plan.rouse();
    CHECK_FALSE(plan.rests());
    CHECK(pause_after(plan, first_death) == 5s);
  }
}

TEST_CASE("keepers of panels get their seats in the order of the host's panels", "[host]") {
  HostKeeperOptions options;
  options.director = "wall:7000";
  options.run_dir = "/run/show";
  options.panels = {7, 3, 12};
  const std::vector<std::string> expected = {own_program("tilewall-keeper").string(),
                                             "--director",
                                             "wall:7000",
                                             "--run-dir",
                                             "/run/show",
                                             "--panel",
                                             "12",
                                             "--seat",
                                             "2",
                                             "--seats",
                                             "3"};
  CHECK(keeper_arguments(options, 2) == expected);
  CHECK(keeper_arguments(options, 0)[6] == "7");
  CHECK(keeper_arguments(options, 0)[8] == "0");
  options.trace = "wall:7001";
  const std::vector<std::string> traced = keeper_arguments(options, 2);
  REQUIRE(traced.size() == expected.size() + 2);
  CHECK(traced[expected.size()] == "--trace");
  CHECK(traced.back() == "wall:7001");
}
