// How fast a session may send: as fast as its packets are seen to arrive, and by as much more as
// the path loses of them whatever the rate is. So a lost packet slows nothing down as long as the
// path carries the others.
//
// After BBR (Cardwell et al., ACM Queue 2016): the greatest delivery rate of the last rounds and
// the least round trip tell how much the path holds; now and then a little more is tried. One
// owner.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall {

class SendRate {
 public:
  /// `cap_bytes_s`: never faster; 0: as the path allows. `receive_buffer_bytes`: what the receiver
  /// can hold while its program sleeps: so much may always be on its way.
  SendRate(double cap_bytes_s, std::uint64_t receive_buffer_bytes) noexcept;

  /// An ack: so many bytes in all had arrived when it was sent; of `lost` and `arrived` bytes news
  /// came with it. `sent_delivered`, `counted_since`: what had arrived as the newest acked packet
  /// was sent, and when the last of that came: not when the packet went, or what a path holds up
  /// and brings at once would count as a faster one; `app_limited`: there was nothing more to send
  /// then.
  struct Sample {
    std::uint64_t delivered_bytes = 0;
    std::uint64_t sent_delivered_bytes = 0;
    LocalInstant counted_since;
    Nanos round_trip{0};
    std::uint64_t arrived_bytes = 0;
    std::uint64_t lost_bytes = 0;
    bool app_limited = false;
  };
  void on_ack(LocalInstant now, const Sample& sample) noexcept;

  /// Bytes a second; infinity where nothing limits it yet.
  [[nodiscard]] double pace_bytes_s() const noexcept;
  /// How many bytes may be on their way.
  [[nodiscard]] std::uint64_t window_bytes() const noexcept;
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
  std::array<double, rounds_kept> best_{};  // delivery rate of each of the last rounds, bytes/s
  std::array<double, rounds_kept> loss_{};  // share lost in each of them
  std::uint64_t round_ = 0;
  std::uint64_t round_ends_at_ = 0;  // delivered bytes
  bool starting_ = true;             // until the rate grows no more
  double start_best_ = 0;
  int flat_rounds_ = 0;
  int drain_rounds_ = 0;  // left of them: what the start has put before the narrow place
  Nanos round_least_{0};  // round trip of this round; 0: none yet
  Nanos smoothed_{0};
  Nanos least_{0};
  LocalInstant least_at_;
  std::uint64_t round_arrived_ = 0;
  std::uint64_t round_lost_ = 0;
};

/// Spaces what is sent in time: a token bucket over instants. One owner.
class Pacer {
 public:
  /// When the next packets may go.
  [[nodiscard]] LocalInstant next() const noexcept { return next_; }
  [[nodiscard]] bool may_send(LocalInstant now) const noexcept { return next_ <= now; }

  /// So much went at `now`, on a way of `bytes_s` (infinity: nothing is spaced).
  void sent(LocalInstant now, std::size_t bytes, double bytes_s) noexcept {
    if (std::isinf(bytes_s)) return;
    // A sender that woke late makes up for it, but for no more than this.
    const LocalInstant from = std::max(next_, now - catch_up);
    next_ = from + Nanos(static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 / bytes_s));
  }

  /// Nothing goes before `until`.
  void hold(LocalInstant until) noexcept { next_ = std::max(next_, until); }

 private:
  static constexpr Nanos catch_up =
      std::chrono::milliseconds(16);  // a machine that is busy stops so long
  LocalInstant next_;
};

/// The share of packets that a path loses, from what acks tell: over the last ten thousands of
/// packets, and at first a guess. One owner.
class LossEstimate {
 public:
  void note(std::uint64_t arrived, std::uint64_t lost) noexcept {
    const double all = static_cast<double>(arrived + lost);
    const double kept = all < memory_packets ? 1 - all / memory_packets : 0;
    lost_ = lost_ * kept + static_cast<double>(lost);
    all_ = all_ * kept + all;
  }

  /// 0 to 1.
  [[nodiscard]] double share() const noexcept { return lost_ / all_; }

 private:
  static constexpr double memory_packets = 50'000;
  static constexpr double first_packets = 300;  // the weight of the first guess
  static constexpr double first_share = 0.05;

  double lost_ = first_packets * first_share;
  double all_ = first_packets;
};

}  // namespace tilewall
