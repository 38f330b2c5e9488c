// One client of a slab server: what it asked for, what is on its way to it, what it has told of the
// arrivals. Knows no sockets of its own; the server hands it what comes and asks it what to send.
//
// One owner, the server's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "net/slab/handshake.hpp"
#include "net/slab/loss_estimate.hpp"
#include "net/slab/outgoing_slab.hpp"
#include "net/slab/pacer.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/received_packets.hpp"
#include "net/slab/sent_packets.hpp"
#include "net/slab/slab_buffer.hpp"
#include "net/slab/stripe.hpp"

namespace tilewall {

/// What a session has done so far.
struct SessionCounters {
  std::uint64_t slabs = 0;  ///< that arrived whole, as far as the client told
  std::uint64_t sent_bytes = 0;
  std::uint64_t data_pieces = 0;  // udp, as all below; those sent again counted each time
  std::uint64_t resent_pieces = 0;
  std::uint64_t parity_pieces = 0;
  std::uint64_t protected_groups = 0;  ///< with parity, of slabs that arrived
  std::uint64_t repaired_groups = 0;   ///< of those: for which parity was not enough

  SessionCounters& operator+=(const SessionCounters& other) noexcept;
};

class ServerSession {
 public:
  struct Job {
    std::uint32_t request = 0;
    std::vector<std::byte> words;  ///< what the application is asked
  };

  ServerSession(std::uint64_t id, const SlabHello& hello, const SessionKeys& keys,
                double rate_bytes_s);

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] SlabTransport transport() const noexcept { return hello_.transport; }
  [[nodiscard]] int stripes() const noexcept { return hello_.stripes; }
  [[nodiscard]] const SessionCounters& counters() const noexcept { return counters_; }

  /// A packet of this session. False where its tag is not right. New requests are added to `jobs`.
  [[nodiscard]] bool take(IncomingPacket& packet, const SocketAddress& from, LocalInstant now,
                          std::vector<Job>& jobs);
  /// A chunk of a stripe that is a request or a cancel, whole and the client's.
  void take(const StripeHeader& header, std::span<const std::byte> payload, std::vector<Job>& jobs);

  /// Requests that were cancelled before they were read, since the last time.
  [[nodiscard]] std::vector<std::uint32_t> take_cancelled() noexcept {
    return std::exchange(cancelled_, {});
  }

  /// What a request asked for; forgotten where nobody wants it any more.
  void slab_read(std::uint32_t request, std::shared_ptr<const SlabBuffer> slab, LocalInstant now);

  /// udp: sends a batch, if there is one, the path takes it and it is time. False otherwise.
  [[nodiscard]] bool send_batch(PacketSender& sender, LocalInstant now);
  /// udp: gives up packets that nothing was heard of for long.
  void on_timeout(LocalInstant now);
  /// udp: when send_batch() or on_timeout() has something to do, but for what acks change.
  [[nodiscard]] LocalInstant due() const noexcept;

  /// tcp: starts the next chunk on an idle stripe; false where there is none.
  [[nodiscard]] bool start_chunk(StripeWriter& stripe);

  [[nodiscard]] PacketSeal& to_client() noexcept { return to_client_; }
  [[nodiscard]] PacketSeal& to_server() noexcept { return to_server_; }

 private:
  struct Order {
    LocalInstant until;                // it is of use; `no_deadline`: always
    std::optional<OutgoingSlab> slab;  // empty: being read
    std::uint64_t next_byte = 0;       // tcp
  };
  using Orders = std::map<std::uint32_t, Order>;
  static constexpr LocalInstant no_deadline{Nanos::max()};

  void take_request(std::uint32_t request, std::span<const std::byte> payload, LocalInstant until,
                    std::vector<Job>& jobs);
  void take_cancel(std::span<const std::byte> payload);
  void take_ack(std::span<const std::byte> payload, LocalInstant now);
  void apply(const SentPackets::News& news, LocalInstant now);
  void note_arrived(const PieceRef& piece);
  void finish(Orders::iterator order);
  [[nodiscard]] bool needs_parity(LocalInstant until, LocalInstant now) const noexcept;
  [[nodiscard]] std::optional<PieceRef> next_piece();
  [[nodiscard]] bool has_more() const noexcept;
  void seal_packet(const PieceRef& piece, const OutgoingSlab& slab, OutgoingPacket& packet,
                   std::byte* sealed);

  const std::uint64_t id_;
  const SlabHello hello_;
  PacketSeal to_client_;
  PacketSeal to_server_;
  std::optional<SocketAddress> address_;  // of the client, once it has been heard

  Orders orders_;                    // by request
  std::deque<std::uint32_t> ready_;  // slabs that still have pieces never sent, oldest first
  std::deque<PieceRef> again_;       // lost ones
  std::vector<std::uint32_t> cancelled_;
  std::unordered_set<std::uint32_t> finished_;
  std::deque<std::uint32_t> finished_order_;
  std::uint32_t forgotten_ = 0;  // finished ones up to here are no longer known one by one

  ReceivedPackets received_;
  SentPackets sent_;
  SendRate rate_;
  LossEstimate loss_;
  Pacer pacer_;
  std::vector<OutgoingPacket> batch_;
  std::vector<std::byte> sealed_;  // where the seal encrypts
  SessionCounters counters_;
};

}  // namespace tilewall
