// How a session finds the rate of a path: against a simulated one, with a queue before its narrow
// place.

#include "net/slab/send_rate.hpp"

#include <catch2/catch.hpp>
#include <deque>

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
  double share_of_path = 0;   ///< arrived, of what the path carries in that time
  double lost_share = 0;      ///< of what was sent
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
  SendRate rate(0, receive_buffer);
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
  const double seconds = as_double(duration) * 1e-9;
  return {static_cast<double>(delivered) / (path.bytes_s * seconds),
          static_cast<double>(lost) / static_cast<double>(sent),
          queued_sum / queued_count / as_double(path.one_way * 2)};
}

}  // namespace

TEST_CASE("a long path is full from the first round trip on, and no queue stays", "[slab]") {
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
  SendRate rate(0, 1 << 20);
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
