// How a session finds the rate of a path: against a simulated one, with a queue before its narrow
// place.

#include "net/slab/send_rate.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <limits>

using namespace tilewall;
using namespace tilewall::net;
using namespace std::chrono_literals;

namespace {

struct SimulatedPath {
  double bytes_s = 500e6;
  Nanos one_way = 32ms;
  double queue_bytes = 32 << 20;
  Nanos stall{0};  ///< at the beginning of every quarter of a second nothing arrives
};

struct SimulatedRun {
  double share_of_path = 0;   ///< arrived, of what the path carries after the first round trip
  double lost_share = 0;      ///< Share of what was sent
  double standing_queue = 0;  ///< mean, of what the path holds, in the last second
};

/// A sender that always has something to send, for so long.
SimulatedRun simulate(const SimulatedPath& path, Nanos duration, std::uint64_t receive_buffer) {
  constexpr std::size_t batch_bytes = 7 * 8952;
  struct Batch {
    LocalInstant acked;
    LocalInstant sent;
    std::uint64_t delivered_before;
    LocalInstant delivered_at;
    bool lost;
  };
  SendRate rate(0, receive_buffer, 64 * 8952, path.one_way * 2);
  Pacer pacer;
  std::deque<Batch> under_way;
  std::uint64_t in_flight = 0, delivered = 0, sent = 0, lost = 0;
  double queued_sum = 0;
  int queued_count = 0;
  const LocalInstant start{1s};
  LocalInstant free_at = start, delivered_at = start;
  const auto after_stall = [&](LocalInstant at) {
    const Nanos in_period = at.since_epoch % Nanos(250ms);
    return in_period < path.stall ? at + (path.stall - in_period) : at;
  };
  for (LocalInstant now = start; now < start + duration; now = now + 50us) {
    while (!under_way.empty() && under_way.front().acked <= now) {
      const Batch batch = under_way.front();
      under_way.pop_front();
      in_flight -= batch_bytes;
      SendRate::Sample sample;
      (batch.lost ? sample.lost_bytes : sample.arrived_bytes) = batch_bytes;
      delivered += batch.lost ? 0 : batch_bytes;
      sample.delivered_bytes = delivered;
      sample.sent_delivered_bytes = batch.delivered_before;
      sample.counted_since = batch.delivered_at;
      if (!batch.lost) delivered_at = now;
      sample.round_trip = now - batch.sent;
      rate.on_ack(now, sample);
    }
    while (pacer.may_send(now) && in_flight < rate.window_bytes()) {
      const double queued = std::max(as_double(free_at - now), 0.0) * 1e-9 * path.bytes_s;
      const bool drops = queued + batch_bytes > path.queue_bytes;
      if (!drops)
        free_at = std::max(free_at, now) +
                  Nanos(static_cast<std::int64_t>(batch_bytes * 1e9 / path.bytes_s));
      under_way.push_back({after_stall(std::max(free_at, now) + path.one_way * 2), now, delivered,
                           delivered_at, drops});
      in_flight += batch_bytes;
      sent += batch_bytes;
      lost += drops ? batch_bytes : 0;
      pacer.sent(now, batch_bytes, rate.pace_bytes_s());
    }
    if (now + 1s >= start + duration) {
      queued_sum += std::max(as_double(free_at - now), 0.0);
      ++queued_count;
    }
  }
  const double seconds = as_double(duration - path.one_way * 2) * 1e-9;
  return {static_cast<double>(delivered) / (path.bytes_s * seconds),
          static_cast<double>(lost) / static_cast<double>(sent),
          queued_sum / queued_count / as_double(path.one_way * 2)};
}

}  // namespace

TEST_CASE("a long path is full after the first round trip, and no queue stays", "[slab]") {
  for (const double gbit_s : {0.5, 2.0, 4.0, 8.0})
    for (const double queue_of_path : {0.25, 1.0, 4.0}) {
      SimulatedPath path;
      path.bytes_s = gbit_s * 1e9 / 8;
      path.queue_bytes = path.bytes_s * 0.064 * queue_of_path;
      const SimulatedRun run = simulate(path, 5s, 32 << 20);
      CAPTURE(gbit_s, queue_of_path, run.share_of_path, run.lost_share, run.standing_queue);
      CHECK(run.share_of_path > (queue_of_path < 1 ? 0.93 : 0.96));
      CHECK(run.lost_share < 0.13);  // a receive buffer is let go at once
      CHECK(run.standing_queue < 0.1);
    }
}

TEST_CASE("a path that stops now and then is not taken for a faster one", "[slab]") {
  SimulatedPath path;
  path.stall = 16ms;
  const SimulatedRun run = simulate(path, 5s, 32 << 20);
  CAPTURE(run.share_of_path, run.lost_share, run.standing_queue);
  CHECK(run.share_of_path > 0.96);
  CHECK(run.lost_share < 0.06);
  CHECK(run.standing_queue < 0.15);
}

namespace {

/// A path that delivers 1 MB in each round of 10 ms, and of what was sent loses a share of
/// `lost(round)`. Checks the pace after each round, once the rate is found.
template <typename Lost, typename Check>
void run_rounds(const Lost& lost, const Check& check) {
  constexpr std::uint64_t round_bytes = 1'000'000;
  SendRate rate(0, 1 << 20, 64 * 8952, Nanos{0});
  LocalInstant now{1s};
  for (std::uint64_t round = 1; round <= 60; ++round, now = now + 10ms) {
    SendRate::Sample sample;
    sample.delivered_bytes = round * round_bytes;
    sample.sent_delivered_bytes = (round - 1) * round_bytes;
    sample.counted_since = now - 10ms;
    sample.round_trip = 10ms;
    sample.arrived_bytes = round_bytes;
    sample.lost_bytes =
        static_cast<std::uint64_t>(round_bytes * lost(round) / (1 - lost(round)) + 0.5);
    rate.on_ack(now, sample);
    if (round > 20) check(rate.pace_bytes_s());
  }
}

}  // namespace

TEST_CASE("what a path loses at any rate is sent in addition", "[slab]") {
  // 100 MB/s arrive. Of eight rounds one tries a quarter more and one drains it again.
  int plain = 0, probing = 0, draining = 0;
  run_rounds([](std::uint64_t) { return 0.1; },
             [&](double pace) {
               plain += pace == Approx(100e6 / 0.9) ? 1 : 0;
               probing += pace == Approx(125e6 / 0.9) ? 1 : 0;
               draining += pace == Approx(75e6 / 0.9) ? 1 : 0;
             });
  CHECK(plain == 30);
  CHECK(probing == 5);
  CHECK(draining == 5);
}

TEST_CASE("loss of a part of the rounds is not the path's own", "[slab]") {
  run_rounds([](std::uint64_t round) { return round % 8 == 0 ? 0.0 : 0.2; },
             [](double pace) {
               CAPTURE(pace);
               CHECK((pace == Approx(100e6) || pace == Approx(125e6) || pace == Approx(75e6)));
             });
}

TEST_CASE("a steady loss of a half is not answered by twice the rate", "[slab]") {
  run_rounds([](std::uint64_t) { return 0.5; },
             [](double pace) {
               CAPTURE(pace);
               CHECK(pace <= 125e6 / (1 - 0.2) * 1.001);
             });
}

namespace {

/// A session that gets one ack for each round of its path. A round takes 10 ms unless told
/// otherwise.
struct AckedRounds {
  SendRate rate;
  LocalInstant now{1s};
  std::uint64_t delivered = 0;

  explicit AckedRounds(double cap_bytes_s = 0, std::uint64_t receive_buffer = 0)
      : rate(cap_bytes_s, receive_buffer, 64 * 1000, 8ms) {
    SendRate::Sample first_window;
    first_window.delivered_bytes = delivered = 64 * 1000;
    rate.on_ack(now, first_window);
  }

  struct Round {
    std::uint64_t arrived = 1'000'000;
    std::uint64_t lost = 0;
    Nanos round_trip = 10ms;
    Nanos took = 10ms;
    bool app_limited = false;
  };
  void ack(const Round& round) {
    now = now + round.took;
    SendRate::Sample sample;
    sample.sent_delivered_bytes = delivered;
    delivered += round.arrived;
    sample.delivered_bytes = delivered;
    sample.counted_since = now - round.took;
    sample.round_trip = round.round_trip;
    sample.arrived_bytes = round.arrived;
    sample.lost_bytes = round.lost;
    sample.app_limited = round.app_limited;
    rate.on_ack(now, sample);
  }
  void acks(int count, const Round& round) {
    for (int i = 0; i < count; ++i) ack(round);
  }
  /// An ack for a packet that was sent before this round began, so that the round goes on.
  void ack_within_round(Nanos round_trip) {
    now = now + 1ms;
    SendRate::Sample sample;
    sample.delivered_bytes = delivered;
    sample.sent_delivered_bytes = delivered - 1;
    sample.counted_since = now - 1ms;
    sample.round_trip = round_trip;
    rate.on_ack(now, sample);
  }
};

}  // namespace

TEST_CASE("until its path's rate is known, a session spaces its first window", "[slab]") {
  const SendRate free(0, 1 << 20, 64 * 1000, 8ms);
  CHECK(free.pace_bytes_s() == Approx(16e6));  // 64 kB in half a round trip
  CHECK(free.window_bytes() == 64 * 1000);
  CHECK(free.round_trip() == Nanos{0});
  const SendRate unknown(0, 1 << 20, 64 * 1000, Nanos{0});
  CHECK(unknown.pace_bytes_s() == Approx(640e6));  // as if a round trip took 200 us
  const SendRate capped(5e6, 1000, 64 * 1000, 8ms);
  CHECK(capped.pace_bytes_s() == 5e6);
  CHECK(capped.window_bytes() == 64 * 1000);
}

TEST_CASE("the first ack lets a session fill the receiver's buffer, spaced until a rate is known",
          "[slab]") {
  SendRate rate(0, 1 << 20, 64 * 1000, 8ms);
  SendRate::Sample first_window;
  first_window.delivered_bytes = first_window.arrived_bytes = 64 * 1000;
  first_window.round_trip = 16ms;
  rate.on_ack(LocalInstant{1s}, first_window);
  CHECK(rate.window_bytes() == 1 << 20);
  CHECK(rate.pace_bytes_s() == Approx((1 << 20) / 8e-3));         // in half of 16 ms
  CHECK(AckedRounds(0, 1000).rate.window_bytes() == 128 * 1024);  // no later window is smaller
}

TEST_CASE("the round trip is smoothed by an eighth of the newest", "[slab]") {
  AckedRounds session;
  session.ack({.round_trip = 80ms});
  CHECK(session.rate.round_trip() == 80ms);
  session.ack({.round_trip = 160ms});
  CHECK(session.rate.round_trip() == 90ms);
}

TEST_CASE("the start sends twice what arrives, until three rounds bring no growth", "[slab]") {
  AckedRounds session;
  session.ack({});
  CHECK(session.rate.pace_bytes_s() == Approx(200e6));
  CHECK(session.rate.window_bytes() == 4'000'000);        // twice as much as later
  session.acks(2, {.arrived = 1'250'000, .took = 10ms});  // grows by a quarter, then is flat
  session.ack({.arrived = 1'250'000});
  CHECK(session.rate.pace_bytes_s() == Approx(250e6));
  session.ack({.arrived = 1'250'000});  // the third flat round
  CHECK(session.rate.pace_bytes_s() == Approx(125e6));
}

TEST_CASE("a flat round with a queue or with losses ends the start at once", "[slab]") {
  const auto pace_after = [](const AckedRounds::Round& second) {
    AckedRounds session;
    session.ack({});
    session.ack(second);
    return session.rate.pace_bytes_s();
  };
  CHECK(pace_after({.round_trip = 12ms}) == Approx(200e6));
  CHECK(pace_after({.round_trip = 13ms}) == Approx(100e6));  // a quarter more than 10 ms is 12.5
  CHECK(pace_after({.lost = 10'000}) == Approx(200e6));
  CHECK(pace_after({.lost = 30'000}) == Approx(100e6));  // 2.9 %, of which 2 % are allowed
  CHECK(pace_after({.arrived = 1'300'000, .lost = 100'000}) == Approx(260e6));  // it grew
}

TEST_CASE("a round's queue is told by its shortest round trip", "[slab]") {
  AckedRounds session;
  session.ack({});
  session.ack_within_round(20ms);
  session.ack({});
  CHECK(session.rate.pace_bytes_s() == Approx(200e6));
  session.ack_within_round(10ms);
  session.ack({.round_trip = 20ms});
  CHECK(session.rate.pace_bytes_s() == Approx(200e6));
}

TEST_CASE("after the start a narrow window drains the queue, for four rounds at most", "[slab]") {
  const auto window = [](const AckedRounds& session) {
    return static_cast<double>(session.rate.window_bytes());
  };
  AckedRounds session;
  session.acks(4, {});
  CHECK(window(session) == Approx(1.1e6));
  for (int round = 0; round < 3; ++round) {
    session.ack({.round_trip = 12ms});
    CHECK(window(session) == Approx(1.1e6));
  }
  session.ack({.round_trip = 12ms});
  CHECK(window(session) == Approx(2e6));
  AckedRounds drained;
  drained.acks(4, {});
  drained.ack({.round_trip = 11ms});  // the queue is gone
  CHECK(window(drained) == Approx(2e6));
}

TEST_CASE("a session with a given rate keeps it, and has a window for it", "[slab]") {
  AckedRounds session(50e6);
  session.acks(10, {.arrived = 100'000});  // 10 MB/s arrive
  CHECK(session.rate.pace_bytes_s() == 50e6);
  CHECK(session.rate.window_bytes() == 1'000'000);
  session.acks(10, {});  // 100 MB/s arrive
  CHECK(session.rate.pace_bytes_s() == 50e6);
  CHECK(session.rate.window_bytes() == 2'000'000);
}

TEST_CASE("the least round trip is forgotten after ten seconds", "[slab]") {
  AckedRounds session(100e6);
  session.acks(10, {});
  CHECK(session.rate.window_bytes() == 2'000'000);
  session.acks(10, {.round_trip = 20ms, .took = 1s});
  CHECK(session.rate.window_bytes() == 2'000'000);
  session.ack({.round_trip = 20ms, .took = 1s});
  CHECK(session.rate.window_bytes() == 4'000'000);
}

TEST_CASE("a rate holds for ten rounds, the one under way included", "[slab]") {
  AckedRounds session;
  session.acks(20, {});
  session.ack({.arrived = 2'000'000});
  // One round of eight has a quarter more, another one a quarter less.
  for (int round = 0; round < 9; ++round) {
    CAPTURE(round);
    CHECK(session.rate.pace_bytes_s() > 0.7 * 200e6);
    session.ack({});
  }
  CHECK(session.rate.pace_bytes_s() < 1.3 * 100e6);
}

TEST_CASE("a round that loses more than a quarter takes 15 percent off the rate", "[slab]") {
  AckedRounds session;
  session.acks(21, {});
  session.ack({.arrived = 750'000, .lost = 250'000});
  CHECK(session.rate.pace_bytes_s() == Approx(100e6));
  session.ack({.arrived = 750'000, .lost = 251'000});
  CHECK(session.rate.pace_bytes_s() == Approx(85e6));
}

TEST_CASE("a session that had nothing to send does not forget the path's rate", "[slab]") {
  AckedRounds session;
  session.acks(20, {});
  session.acks(22, {.arrived = 500'000, .app_limited = true});  // 42 rounds: 2 beyond a cycle
  CHECK(session.rate.pace_bytes_s() == Approx(100e6));
  session.ack({.arrived = 2'000'000, .app_limited = true});
  CHECK(session.rate.pace_bytes_s() == Approx(200e6));
  session.acks(31, {.arrived = 500'000});
  CHECK(session.rate.pace_bytes_s() == Approx(50e6));
}

TEST_CASE("a small first slab tells no rate", "[slab]") {
  AckedRounds session;
  session.ack({.arrived = 224, .took = 30ms, .app_limited = true});
  CHECK(session.rate.pace_bytes_s() == Approx(128 * 1024 / 5e-3));  // a window in half of 10 ms
  CHECK(session.rate.round_trip() > Nanos{0});
  session.ack({});
  CHECK(session.rate.pace_bytes_s() == Approx(2 * 100e6));
}

TEST_CASE("what comes in less than 200 us is counted as if it took as long", "[slab]") {
  AckedRounds session;
  session.ack({.arrived = 100'000, .took = 100us});
  CHECK(session.rate.pace_bytes_s() == Approx(2 * 500e6));
}

TEST_CASE("packets are spaced by their bytes, and a late sender catches up 16 ms", "[slab]") {
  const LocalInstant start{10s};
  Pacer pacer;
  CHECK(pacer.may_send(start));
  pacer.sent(start, 1000, std::numeric_limits<double>::infinity());
  CHECK(pacer.next() == LocalInstant{});
  pacer.sent(start, 20'000, 1e6);  // 20 ms for these bytes, counted from 16 ms ago
  CHECK(pacer.next() == start + 4ms);
  CHECK_FALSE(pacer.may_send(start + 4ms - 1ns));
  CHECK(pacer.may_send(start + 4ms));
  pacer.sent(start + 10ms, 20'000, 1e6);  // 6 ms late, which is caught up
  CHECK(pacer.next() == start + 24ms);
  pacer.hold(start + 30ms);
  CHECK(pacer.next() == start + 30ms);
  pacer.hold(start + 29ms);
  CHECK(pacer.next() == start + 30ms);
}
