#include "sync/clock/clock_follower.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::sync;
using namespace std::chrono_literals;

namespace {

/// Adds an exchange of 0.2 ms with a daemon whose clock is this host's.
void answer(ClockFollower& follower, std::size_t daemon, Nanos received) {
  DaemonWord word;
  word.boot_id = daemon + 1;
  word.axis_boot_id = 1;
  follower.add(daemon, {{received - 200us}, {received - 100us}, {received - 100us}, {received}},
               word);
}

}  // namespace

TEST_CASE("an answer that is read late makes its daemon no older", "[sync][clock]") {
  ClockFollower follower({}, 2);
  for (Nanos at = 1s; at <= 2s; at += 20ms) {
    answer(follower, 0, at);
    answer(follower, 1, at);
    follower.steer({at});
  }
  REQUIRE(follower.status().state == ClockState::locked);
  REQUIRE(follower.status().daemon == 0);
  answer(follower, 0, 1700ms);
  // Daemon 0 was heard at 2 s, and counts as gone a second after that.
  for (const Nanos at : {2500ms, 2990ms}) {
    answer(follower, 1, at);
    follower.steer({at});
    CHECK(follower.status().daemon == 0);
  }
  follower.steer({3s});
  CHECK(follower.status().daemon == 1);
  CHECK(follower.status().failovers == 1);
}
