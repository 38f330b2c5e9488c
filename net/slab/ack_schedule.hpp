// Decides when a receiver of packets sends an ack: soon after a gap in the sequence numbers, else
// after 32 packets or 2 ms. An ack's bitmap covers about as many packets as arrive in a quarter of
// a second, so a lost ack does no harm.
//
// Pure computation on the instants that it is given. Threads: one owner.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall::net {

class AckSchedule {
 public:
  static constexpr std::size_t every_packets = 32;  ///< an ack is sent after so many packets
  static constexpr Nanos longest_delay = std::chrono::milliseconds(2);  ///< delay of an ack
  static constexpr Nanos shortest_gap = std::chrono::microseconds(500);
  static constexpr Nanos rate_period = std::chrono::milliseconds(250);
  static constexpr std::uint32_t fewest_bits = 512;  ///< fewest bits of an ack's bitmap
  static constexpr std::uint32_t most_bits = 32'768;

  /// Notes the arrival of a packet. `in_order` means its number follows the largest before it.
  void note(bool in_order, LocalInstant now) noexcept {
    gap_ |= !in_order;
    ++rate_packets_;
    if (unacked_++ == 0) due_ = now + longest_delay;
  }

  /// Whether an ack is to be sent at once.
  [[nodiscard]] bool goes_now(LocalInstant now) const noexcept {
    return unacked_ >= every_packets || (gap_ && now - rate_since_ >= shortest_gap);
  }
  /// When the next ack is to be sent at the latest; LocalInstant's end if no packet is unacked.
  [[nodiscard]] LocalInstant due() const noexcept {
    return unacked_ > 0 ? due_ : LocalInstant{Nanos::max()};
  }

  /// Notes that an ack is sent now. Returns the length of its bitmap in packets.
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
  std::size_t unacked_ = 0;  // packets since the last ack
  LocalInstant due_;         // instant by which the first of them has to be acked
  bool gap_ = false;         // a packet since the last ack came out of order
  LocalInstant rate_since_;
  std::uint64_t rate_packets_ = 0;  // packets since rate_since_
  std::uint32_t bits_ = 1024;
};

}  // namespace tilewall::net
