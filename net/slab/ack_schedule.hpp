// When a receiver of packets tells the sender what has come: soon where something is missing, else
// after a number of packets or a short time. An ack carries the fate of about as many packets as
// come in a quarter of a second.
//
// Pure; one owner.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall {

class AckSchedule {
 public:
  static constexpr std::size_t every_packets = 32;
  static constexpr Nanos longest_delay = std::chrono::milliseconds(2);
  static constexpr Nanos shortest_gap = std::chrono::microseconds(500);
  static constexpr Nanos rate_period = std::chrono::milliseconds(250);
  static constexpr std::uint32_t fewest_bits = 512;
  static constexpr std::uint32_t most_bits = 32'768;

  /// A packet came. `in_order`: it is the one after the newest before it.
  void note(bool in_order, LocalInstant now) noexcept {
    gap_ |= !in_order;
    ++rate_packets_;
    if (unacked_++ == 0) due_ = now + longest_delay;
  }

  /// Whether an ack goes at once.
  [[nodiscard]] bool goes_now(LocalInstant now) const noexcept {
    return unacked_ >= every_packets || (gap_ && now - rate_since_ >= shortest_gap);
  }
  /// When it goes otherwise; LocalInstant's end where there is nothing to tell.
  [[nodiscard]] LocalInstant due() const noexcept {
    return unacked_ > 0 ? due_ : LocalInstant{Nanos::max()};
  }

  /// An ack is sent now: how many packets before the newest it tells of.
  [[nodiscard]] std::uint32_t send(LocalInstant now) noexcept {
    if (now - rate_since_ >= rate_period) {
      bits_ = std::clamp(static_cast<std::uint32_t>(rate_packets_), fewest_bits, most_bits);
      rate_packets_ = 0;
      rate_since_ = now;
    }
    unacked_ = 0;
    gap_ = false;
    return bits_;
  }

 private:
  std::size_t unacked_ = 0;  // packets
  LocalInstant due_;
  bool gap_ = false;  // something is missing before the newest packet
  LocalInstant rate_since_;
  std::uint64_t rate_packets_ = 0;  // since then
  std::uint32_t bits_ = 1024;
};

}  // namespace tilewall
