// When a receiver of packets sends an ack.

#include "net/slab/ack_schedule.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::net;
using namespace std::chrono_literals;

namespace ack_schedule_test {

constexpr LocalInstant begin{Nanos(100s)};

/// A schedule that has sent its first ack at `begin`.
AckSchedule begun() {
  AckSchedule acks;
  static_cast<void>(acks.send(begin));
  return acks;
}

}  // namespace ack_schedule_test

TEST_CASE("an ack goes after so many packets, or after a short time", "[slab]") {
  AckSchedule acks = ack_schedule_test::begun();
  const LocalInstant now = ack_schedule_test::begin + 1ms;
  CHECK(acks.due() == LocalInstant{Nanos::max()});
  CHECK_FALSE(acks.goes_now(now));
  acks.note(true, now);
  acks.note(true, now + 1ms);
  CHECK(acks.due() == now + AckSchedule::longest_delay);
  for (std::size_t i = 2; i < AckSchedule::every_packets; ++i) {
    CHECK_FALSE(acks.goes_now(now + 1ms));
    acks.note(true, now + 1ms);
  }
  CHECK(acks.goes_now(now + 1ms));
  static_cast<void>(acks.send(now + 1ms));
  CHECK_FALSE(acks.goes_now(now + 1ms));
  CHECK(acks.due() == LocalInstant{Nanos::max()});
}

TEST_CASE("an ack goes at once where a packet is missing", "[slab]") {
  AckSchedule acks = ack_schedule_test::begun();
  acks.note(false, ack_schedule_test::begin + 499us);
  CHECK_FALSE(acks.goes_now(ack_schedule_test::begin + 499us));
  CHECK(acks.goes_now(ack_schedule_test::begin + 500us));
  static_cast<void>(acks.send(ack_schedule_test::begin + 500us));
  acks.note(true, ack_schedule_test::begin + 600us);
  CHECK_FALSE(acks.goes_now(ack_schedule_test::begin + 600us));
}

TEST_CASE("an ack tells of as many packets as come in a period", "[slab]") {
  const auto bits_after = [](int packets) {
    AckSchedule acks = ack_schedule_test::begun();
    for (int i = 0; i < packets; ++i) acks.note(true, ack_schedule_test::begin);
    CHECK(acks.send(ack_schedule_test::begin + AckSchedule::rate_period - 1ns) ==
          AckSchedule::fewest_bits);  // as there were none before the first ack
    return acks.send(ack_schedule_test::begin + AckSchedule::rate_period);
  };
  CHECK(bits_after(3) == AckSchedule::fewest_bits);
  CHECK(bits_after(5000) == 5000);
  CHECK(bits_after(100'000) == AckSchedule::most_bits);
}
