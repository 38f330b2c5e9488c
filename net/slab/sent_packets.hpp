// Packets that a session has sent and that are not acked yet: the sender's side of acks. It finds
// which packets arrived and which are lost, and measures round trip and delivery rate.
//
// Loss detection resembles QUIC's (RFC 9002): a packet is lost if one that was sent three later
// arrived before it, or if it is not acked for 1.5 round trips and 25 ms. The three is doubled, up
// to 4096, whenever a packet regarded as lost arrives after all, because the path then changes the
// order.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/slab/send_rate.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

/// Identifies a piece of a slab within a session.
struct PieceRef {
  std::uint32_t request = 0;
  std::uint32_t piece = 0;
  PacketKind kind = PacketKind::data;
  bool operator==(const PieceRef&) const = default;
};

class SentPackets {
 public:
  /// Sequence number of the next packet.
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }

  /// Whether no further packet can be remembered.
  [[nodiscard]] bool full() const noexcept { return next_ - oldest_ >= most_ack_bits; }

  /// Notes that packet next(), of `bytes` bytes, carries the piece. `app_limited` means that no
  /// further piece waits to be sent.
  /// @pre !full()
  void add(const PieceRef& piece, std::uint32_t bytes, LocalInstant now, bool app_limited);

  /// Uses up next() for a packet that no ack is awaited for, and returns it. @pre !full()
  [[nodiscard]] std::uint64_t use_unacked();

  /// What changed since the last ack or timeout.
  struct News {
    std::vector<PieceRef> arrived;
    std::vector<PieceRef> lost;
    bool has_sample = false;  ///< whether rate and round trip of `sample` are valid
    SendRate::Sample sample;
  };
  /// Applies an ack, and adds to `news`. `round_trip` is the smoothed one. An ack of packets that
  /// were never sent is ignored.
  void on_ack(const Ack& ack, LocalInstant now, Nanos round_trip, News& news);

  /// Regards the two oldest overdue packets as lost, so that their pieces are sent again as probes.
  /// The ack that they cause tells about the others.
  void on_timeout(LocalInstant now, Nanos round_trip, News& news);

  /// Instant at which on_timeout() has work; `never_due` if no packet is in flight.
  [[nodiscard]] LocalInstant timeout_at(Nanos round_trip) const noexcept;
  static constexpr LocalInstant never_due{Nanos::max()};

  [[nodiscard]] std::uint64_t in_flight_bytes() const noexcept { return in_flight_bytes_; }
  [[nodiscard]] std::uint64_t delivered_bytes() const noexcept { return delivered_bytes_; }
  /// Whether nothing was acked for some 3 s although packets were on their way.
  [[nodiscard]] bool is_unheard() const noexcept { return silent_rounds_ >= unheard_rounds; }
  /// Number of packets that were regarded as lost and arrived after all.
  [[nodiscard]] std::uint64_t wrongly_lost() const noexcept { return wrongly_lost_; }

 private:
  // 25 ms and a round trip, doubled so often, are 3.2 s together.
  static constexpr int unheard_rounds = 7;
  enum class Fate : std::uint8_t { none, on_its_way, arrived, lost };
  struct Record {
    PieceRef piece;
    std::uint32_t bytes = 0;
    Fate fate = Fate::none;
    bool app_limited = false;
    LocalInstant sent;
    std::uint64_t delivered_bytes = 0;  // delivered_bytes_ when it was sent
    LocalInstant delivered_at;          // delivered_at_ when it was sent
  };

  [[nodiscard]] Record& add_record();
  [[nodiscard]] Record& record(std::uint64_t sequence) noexcept;
  [[nodiscard]] const Record& record(std::uint64_t sequence) const noexcept;
  void settle(Record& record, bool came, News& news);
  void forget_settled() noexcept;
  [[nodiscard]] Nanos retransmit_timeout(Nanos round_trip) const noexcept;

  std::vector<Record> ring_ = std::vector<Record>(256);  // grows up to most_ack_bits
  std::uint64_t oldest_ = 1;                             // oldest packet on its way, or next_
  std::uint64_t next_ = 1;
  std::uint64_t in_flight_bytes_ = 0;
  std::uint64_t delivered_bytes_ = 0;  // bytes of all acked packets
  LocalInstant delivered_at_;          // when the last of them was acked
  std::uint64_t reach_ = 3;            // a packet so far behind the largest acked one is lost
  int silent_rounds_ = 0;              // timeouts since the last ack
  LocalInstant probed_;                // when the last timeout was
  std::uint64_t wrongly_lost_ = 0;
};

}  // namespace tilewall::net
