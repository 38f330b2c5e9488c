// How fast a session may send: the rate at which its packets are seen to arrive, plus the share
// that the path loses at any rate. Random loss therefore slows nothing down.
//
// After BBR (Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 2016;
// draft-cardwell-iccrg-bbr-congestion-control). The greatest delivery rate of the last ten rounds
// and the least round trip of the last ten seconds model the path; every eighth round probes for
// more. A round is one round trip, counted by delivered bytes.
//
// Units: bytes, bytes per second, nanoseconds. Threads: one owner each.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall::net {

class SendRate {
 public:
  /// `cap_bytes_s` is a fixed rate, bytes per second; 0 means as fast as the path allows.
  /// `receive_buffer_bytes` is what the receiver holds while its program sleeps: so many bytes may
  /// always be in flight once an ack has shown that there is a receiver. Until then it is
  /// `first_window_bytes`. Until the path's rate is known, a window is spaced over half a round
  /// trip: over half of `round_trip`, which another connection to the receiver has measured (0:
  /// unknown), before the first ack.
  SendRate(double cap_bytes_s, std::uint64_t receive_buffer_bytes, std::uint64_t first_window_bytes,
           Nanos round_trip) noexcept;

  /// A delivery-rate sample of an ack (draft-cheng-iccrg-delivery-rate-estimation). The rate is
  /// (delivered_bytes - sent_delivered_bytes) / (now - counted_since).
  struct Sample {
    std::uint64_t delivered_bytes = 0;       ///< bytes delivered in all, as of this ack
    std::uint64_t sent_delivered_bytes = 0;  ///< the same when the newest acked packet was sent
    LocalInstant counted_since;              ///< arrival of the last of sent_delivered_bytes
    Nanos round_trip{0};                     ///< round trip of the newest acked packet
    std::uint64_t arrived_bytes = 0;         ///< first reported as arrived by this ack
    std::uint64_t lost_bytes = 0;            ///< first regarded as lost by this ack
    bool app_limited = false;                ///< nothing more waited when the packet was sent
  };
  void on_ack(LocalInstant now, const Sample& sample) noexcept;

  /// Rate to send at, bytes per second. Without a cap, the window decides until a sample tells the
  /// path's rate: one of a packet of a later window than the first, behind which more waited.
  [[nodiscard]] double pace_bytes_s() const noexcept;
  /// Most bytes that may be in flight.
  [[nodiscard]] std::uint64_t window_bytes() const noexcept;
  /// Smoothed round trip (RFC 6298); 0 before the first sample.
  [[nodiscard]] Nanos round_trip() const noexcept { return smoothed_; }

 private:
  void note_round_trip(LocalInstant now, Nanos round_trip) noexcept;
  void begin_round(std::uint64_t delivered_bytes) noexcept;
  void look_for_end_of_start(double lost_share) noexcept;
  [[nodiscard]] double path_bytes_s() const noexcept;
  [[nodiscard]] double steady_loss() const noexcept;

  static constexpr std::size_t rounds_kept = 10;

  const double cap_bytes_s_;
  const std::uint64_t receive_buffer_bytes_;
  const std::uint64_t first_window_bytes_;
  const Nanos first_round_trip_;
  bool is_acked_ = false;                   // an ack has come
  std::array<double, rounds_kept> best_{};  // delivery rate of each of the last rounds, bytes/s
  std::array<double, rounds_kept> loss_{};  // share of bytes lost in each of the last rounds
  std::uint64_t round_ = 0;
  std::uint64_t round_ends_at_ = 0;  // sent_delivered_bytes of the ack that ends this round
  bool starting_ = true;             // until the delivery rate stops growing
  double start_best_ = 0;            // best delivery rate before this round, bytes/s
  int flat_rounds_ = 0;              // rounds in a row without growth
  int drain_rounds_ = 0;             // rounds left to drain the queue that the start has made
  Nanos round_least_{0};             // least round trip of this round; 0: none yet
  Nanos smoothed_{0};
  Nanos least_{0};                   // least round trip of the last ten seconds
  LocalInstant least_at_;            // when it was measured
  std::uint64_t round_arrived_ = 0;  // bytes of this round
  std::uint64_t round_lost_ = 0;     // bytes of this round
};

/// Spaces packets in time: a token bucket over instants. Threads: one owner.
class Pacer {
 public:
  /// Instant from which the next packets may be sent.
  [[nodiscard]] LocalInstant next() const noexcept { return next_; }
  [[nodiscard]] bool may_send(LocalInstant now) const noexcept { return next_ <= now; }

  /// Notes that `bytes` were sent at `now`, at a rate of `bytes_s` (infinity: no spacing).
  void sent(LocalInstant now, std::size_t bytes, double bytes_s) noexcept {
    if (std::isinf(bytes_s)) return;
    // A sender that woke late catches up, but not by more than this.
    const LocalInstant from = std::max(next_, now - catch_up);
    next_ = from + Nanos(static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 / bytes_s));
  }

  /// Sends nothing before `until`.
  void hold(LocalInstant until) noexcept { next_ = std::max(next_, until); }

 private:
  static constexpr Nanos catch_up =
      std::chrono::milliseconds(16);  // a busy machine may suspend the sender for so long
  LocalInstant next_;
};

/// Estimates the share of packets that a path loses, with an exponential memory of 50,000 packets;
/// it begins with a guess of 5 %. Threads: one owner.
class LossEstimate {
 public:
  void note(std::uint64_t arrived, std::uint64_t lost) noexcept {
    const double all = static_cast<double>(arrived + lost);
    const double kept = all < memory_packets ? 1 - all / memory_packets : 0;
    lost_ = lost_ * kept + static_cast<double>(lost);
    all_ = all_ * kept + all;
  }

  /// Estimated share, 0 to 1.
  [[nodiscard]] double share() const noexcept { return lost_ / all_; }

 private:
  static constexpr double memory_packets = 50'000;
  static constexpr double first_packets = 300;  // the weight of the first guess
  static constexpr double first_share = 0.05;

  double lost_ = first_packets * first_share;
  double all_ = first_packets;
};

}  // namespace tilewall::net
