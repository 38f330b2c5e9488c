// What a session has sent and not yet heard of: the sending side of the acks. Tells what arrived,
// what is lost and to be sent again, and how long the way is.
//
// A packet is lost when later ones came and it did not (by a distance that grows where the path
// changes the order), or when nothing was heard of it for long. One owner.
#pragma once

#include <cstdint>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/slab/send_rate.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

/// A piece of a slab.
struct PieceRef {
  std::uint32_t request = 0;
  std::uint32_t piece = 0;
  PacketKind kind = PacketKind::data;
  bool operator==(const PieceRef&) const = default;
};

class SentPackets {
 public:
  /// The next packet's sequence number.
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }

  /// Whether another one can be remembered.
  [[nodiscard]] bool full() const noexcept { return next_ - oldest_ >= most_ack_bits; }

  /// Notes that packet next() carries the piece in so many bytes. `app_limited`: nothing else
  /// waits.
  /// @pre !full()
  void add(const PieceRef& piece, std::uint32_t bytes, LocalInstant now, bool app_limited);

  struct News {
    std::vector<PieceRef> arrived;
    std::vector<PieceRef> lost;
    bool has_sample = false;
    SendRate::Sample sample;
  };
  /// What an ack tells; one that cannot be (packets that were never sent) tells nothing.
  void on_ack(const Ack& ack, LocalInstant now, Nanos round_trip, News& news);

  /// Gives up the first of what has been silent for too long, so that they are sent again: the ack
  /// that they bring tells of the others.
  void on_timeout(LocalInstant now, Nanos round_trip, News& news);

  /// When on_timeout() has something to do; `never_due` where nothing is on its way.
  [[nodiscard]] LocalInstant timeout_at(Nanos round_trip) const noexcept;
  static constexpr LocalInstant never_due{Nanos::max()};

  [[nodiscard]] std::uint64_t in_flight_bytes() const noexcept { return in_flight_bytes_; }
  /// Packets given up that came after all.
  [[nodiscard]] std::uint64_t wrongly_lost() const noexcept { return wrongly_lost_; }

 private:
  enum class Fate : std::uint8_t { none, on_its_way, arrived, lost };
  struct Record {
    PieceRef piece;
    std::uint32_t bytes = 0;
    Fate fate = Fate::none;
    bool app_limited = false;
    LocalInstant sent;
    std::uint64_t delivered_bytes = 0;  // when it was sent
    LocalInstant delivered_at;          // when the last of those came
  };

  [[nodiscard]] Record& record(std::uint64_t sequence) noexcept;
  [[nodiscard]] const Record& record(std::uint64_t sequence) const noexcept;
  void settle(Record& record, bool came, News& news);
  void forget_settled() noexcept;
  [[nodiscard]] Nanos retransmit_timeout(Nanos round_trip) const noexcept;

  std::vector<Record> ring_ = std::vector<Record>(256);  // grows up to most_ack_bits
  std::uint64_t oldest_ = 1;                             // not settled
  std::uint64_t next_ = 1;
  std::uint64_t in_flight_bytes_ = 0;
  std::uint64_t delivered_bytes_ = 0;
  LocalInstant delivered_at_;
  std::uint64_t reach_ = 3;  // a packet so far behind the largest that came is lost
  int silent_rounds_ = 0;
  LocalInstant probed_;  // when the last ones were given up in silence
  std::uint64_t wrongly_lost_ = 0;
};

}  // namespace tilewall
