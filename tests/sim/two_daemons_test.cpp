#include "tests/sim/two_daemons.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewall;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr PathModel lan{
    .to_daemon_us = 60, .to_host_us = 60, .jitter_us = 30, .shape = JitterShape::exponential};
constexpr PathModel lossy{.to_daemon_us = 500, .to_host_us = 500, .jitter_us = 500, .loss = 0.05};

constexpr MachineClock first_clock{};
constexpr MachineClock standby_clock{
    .offset_ns = -77'000'000'000, .drift_ppb = 60'000, .wave_ppb = 300};
constexpr MachineClock host_clocks[] = {
    {.offset_ns = 5'000'000'000, .drift_ppb = 100'000, .wave_ppb = 400},
    {.offset_ns = -3'000'000, .drift_ppb = -100'000},
    {.offset_ns = 123'456'789'000, .drift_ppb = 3'000, .wave_ppb = 500},
};

void add_three(TwoDaemons& wall) {
  for (const MachineClock& clock : host_clocks) std::ignore = wall.add_client(clock);
}

/// Nobody stepped, or was further off than it said; all serve one axis and follow `daemon`.
void check_all(const TwoDaemons& wall, std::uint32_t daemon) {
  for (const auto& client : wall.clients) {
    const ClockStatus& status = client->follower->status();
    CHECK(client->violations == 0);
    CHECK(client->largest_step_ns <= 2);
    CHECK(status.restarts == 0);
    CHECK(status.axis_boot_id == 1);
    CHECK(status.daemon == daemon);
    CHECK(status.state == ClockState::locked);
  }
}

}  // namespace

TEST_CASE("the standby carries the axis on, for those that ask later as well",
          "[sync][clock][sim]") {
  for (const PathModel& path : {lan, lossy}) {
    CAPTURE(path.loss);
    TwoDaemons wall(path, first_clock, standby_clock, 21);
    add_three(wall);
    wall.run_for(60s);
    check_all(wall, 0);
    const std::int64_t limit_ns = path.loss > 0 ? 100'000 : 15'000;
    CHECK(wall.skew_ns() < limit_ns);

    wall.kill(0);
    wall.largest_skew_ns = 0;
    wall.run_for(3s);
    check_all(wall, 1);
    wall.add_client({.offset_ns = 99'000'000, .drift_ppb = -40'000});  // a restarted host
    wall.run_for(120s);
    check_all(wall, 1);
    CHECK(wall.largest_skew_ns < limit_ns);
    for (int i = 0; i < 3; ++i)
      CHECK(wall.clients[static_cast<std::size_t>(i)]->follower->status().failovers == 1);
    CHECK(wall.clients[3]->follower->status().failovers == 0);
    CHECK(wall.clients[3]->follower->status().utc_minus_global == 0ns);  // the first one's anchor

    wall.largest_skew_ns = 0;
    wall.start(0, false);
    wall.run_for(30s);
    check_all(wall, 0);
    CHECK(wall.largest_skew_ns < limit_ns);
    CHECK(wall.skew_ns() < limit_ns);
  }
}

TEST_CASE("after an hour on the standby the first daemon's return steps nobody",
          "[sync][clock][sim]") {
  TwoDaemons wall(lan, first_clock, standby_clock, 22);
  wall.daemons[1].clock.wave_ppb = 900;  // its clock and the first one's part in that hour
  add_three(wall);
  wall.run_for(30s);
  wall.kill(0);
  wall.run_for(1h);
  wall.largest_skew_ns = 0;
  wall.start(0, false);
  wall.run_for(15min);
  check_all(wall, 0);
  // The standby slews back to it, slowly, and takes all hosts along; only then they change over.
  CHECK(wall.largest_skew_ns < 15'000);
  CHECK(wall.skew_ns() < 15'000);
}

TEST_CASE("with both daemons gone everyone is in holdover, and comes back without a step",
          "[sync][clock][sim]") {
  TwoDaemons wall(lan, first_clock, standby_clock, 23);
  add_three(wall);
  wall.run_for(60s);
  wall.kill(0);
  wall.run_for(20s);
  wall.kill(1);
  Nanos bound{0};
  for (int round = 0; round < 5; ++round) {
    wall.run_for(20s);
    for (const auto& client : wall.clients)
      CHECK(client->follower->status().state == ClockState::holdover);
    const ClockStatus& status = wall.clients[0]->follower->status();
    const LocalInstant now = status.updated;
    CHECK(status.mapping.bound_at(now) > bound);
    CHECK(status.holdover_at(now) > 18s);
    bound = status.mapping.bound_at(now);
  }
  wall.start(0, false);
  wall.run_for(20s);
  check_all(wall, 0);
  CHECK(wall.skew_ns() < 5'000);
}

TEST_CASE("a first daemon whose machine started anew joins the axis it once began",
          "[sync][clock][sim]") {
  TwoDaemons wall(lan, first_clock, standby_clock, 24);
  add_three(wall);
  wall.run_for(30s);
  wall.kill(0);
  wall.run_for(10s);
  const MachineClock other{.offset_ns = -990'000'000'000, .drift_ppb = -30'000};
  SECTION("told of the standby") {
    wall.reboot(0, true, other);
    wall.run_for(30s);
    check_all(wall, 0);
    std::ignore = wall.add_client({.offset_ns = 1});
    wall.run_for(10s);
    check_all(wall, 0);
    wall.kill(1);  // it carries on alone
    wall.run_for(60s);
    check_all(wall, 0);
    wall.reboot(1, true, {.offset_ns = 12});
    wall.run_for(10s);
    wall.kill(0);
    wall.run_for(10s);
    check_all(wall, 1);
    CHECK(wall.skew_ns() < 10'000);
  }
  SECTION("not told: nobody follows it, not even who has just come") {
    wall.reboot(0, false, other);
    std::ignore = wall.add_client({.offset_ns = 1});
    wall.run_for(30s);
    check_all(wall, 1);
  }
}

TEST_CASE("a standby that is started again while the first is away still carries the axis",
          "[sync][clock][sim]") {
  TwoDaemons wall(lan, first_clock, standby_clock, 27);
  add_three(wall);
  wall.run_for(60s);
  wall.kill(0);
  wall.run_for(20s);
  const ClockStatus kept = wall.daemons[1].follower->status();
  wall.kill(1);
  wall.run_for(4s);
  wall.start(1, true, kept);
  wall.run_for(10s);
  check_all(wall, 1);
  std::ignore = wall.add_client({.offset_ns = 4'000'000'000});
  wall.run_for(10s);
  check_all(wall, 1);
}

TEST_CASE("a host that alone loses the first daemon stays in step with the others",
          "[sync][clock][sim]") {
  TwoDaemons wall(lan, first_clock, standby_clock, 25);
  add_three(wall);
  wall.run_for(30s);
  wall.clients[1]->loss_of_daemon[0] = 1;
  wall.largest_skew_ns = 0;
  wall.run_for(120s);
  CHECK(wall.clients[0]->follower->status().daemon == 0);
  CHECK(wall.clients[1]->follower->status().daemon == 1);
  CHECK(wall.largest_skew_ns < 10'000);
  wall.clients[1]->loss_of_daemon[0] = 0;
  wall.run_for(20s);
  check_all(wall, 0);
}

TEST_CASE("where nobody carries an axis on, the new one is taken after a while",
          "[sync][clock][sim]") {
  TwoDaemons wall(lan, first_clock, standby_clock, 26);
  wall.kill(1);
  add_three(wall);
  wall.run_for(10s);  // the standby never answers: chosen all the same
  check_all(wall, 0);
  wall.reboot(0, false, {.offset_ns = 50'000'000'000});
  wall.run_for(4s);
  for (const auto& client : wall.clients)  // the standby might still carry the old axis on
    CHECK(client->follower->status().state == ClockState::holdover);
  wall.run_for(4s);
  for (const auto& client : wall.clients) {
    CHECK(client->follower->status().state == ClockState::locked);
    CHECK(client->follower->status().restarts == 1);
    CHECK(client->follower->status().axis_boot_id == wall.daemons[0].boot_id);
  }
}

TEST_CASE("two daemons that follow each other begin one axis", "[sync][clock]") {
  const LocalInstant start{1s};
  const ClockStatus unheard;
  ClockStatus waits;  // heard, without an axis
  waits.daemon_boot_id = 7;
  ClockStatus serves = waits;
  serves.axis_boot_id = 9;
  serves.utc_minus_global = 5ns;
  const auto axis_of = [&](std::uint64_t own, bool follows, const ClockStatus& other, Nanos after) {
    return TimeAxisRole(own, 1ns, follows, start).word(other, start + after).axis_boot_id;
  };
  CHECK(axis_of(3, false, unheard, 0s) == 3);
  CHECK(axis_of(3, true, unheard, 2s) == 0);
  CHECK(axis_of(3, true, unheard, 3s) == 3);
  CHECK(axis_of(3, true, waits, 0s) == 3);
  CHECK(axis_of(8, true, waits, 1h) == 0);
  CHECK(axis_of(7, true, waits, 0s) == 7);  // both on one machine
  CHECK(axis_of(3, true, serves, 0s) == 9);
  CHECK(axis_of(9, true, serves, 0s) == 9);
  TimeAxisRole role(9, 1ns, true, start);
  CHECK(role.word(serves, start).utc_minus_global == 1ns);  // its own axis: it began that
  TimeAxisRole carries(3, 1ns, true, start);
  CHECK(carries.word(serves, start).utc_minus_global == 5ns);
  serves.axis_boot_id = 10;
  CHECK(carries.word(serves, start).axis_boot_id == 10);
}

TEST_CASE("a daemon that flaps is followed again only once it has answered for a while",
          "[sync][clock][sim]") {
  TwoDaemons wall(lan, first_clock, standby_clock, 28);
  add_three(wall);
  wall.run_for(30s);
  SimulatedClient& host = *wall.clients[1];
  for (int i = 0; i < 6; ++i) {  // away for 3 s, back for 8: less than the 10 s that are asked for
    CAPTURE(i);
    host.loss_of_daemon[0] = 1;
    wall.run_for(3s);
    CHECK(host.follower->status().daemon == 1);
    host.loss_of_daemon[0] = 0;
    wall.run_for(8s);
    CHECK(host.follower->status().daemon == 1);
  }
  CHECK(host.follower->status().failovers == 1);
  wall.run_for(4s);
  CHECK(host.follower->status().failovers == 2);
  check_all(wall, 0);
}
