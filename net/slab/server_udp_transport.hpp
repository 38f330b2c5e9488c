// Transport of a server's session over UDP: accepts requests and acks, sends pieces as fast as the
// path carries them, and sends lost pieces again. It owns no socket.
//
// Threads: one owner, the server's network thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "net/slab/handshake.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/received_packets.hpp"
#include "net/slab/send_rate.hpp"
#include "net/slab/sent_packets.hpp"
#include "net/slab/slab_orders.hpp"

namespace tilewall::net {

class ServerUdpTransport {
 public:
  /// `rate_bytes_s` is the cap of SendRate; 0 means none. `sender`, `orders` and `counters` are the
  /// session's and outlive this.
  ServerUdpTransport(std::uint64_t session, const SlabHello& hello, const SessionKeys& keys,
                     double rate_bytes_s, PacketSender& sender, SlabOrders& orders,
                     SessionCounters& counters);

  /// Opens the path to a client that this side connected to: from now on, on_timeout() sends hello
  /// packets to `address`, at growing intervals, until a packet of the client has arrived.
  void open_path(const SocketAddress& address, LocalInstant now);

  /// Handles a packet of this session. Returns false if its tag is wrong. New requests are added to
  /// `jobs`.
  [[nodiscard]] bool take(IncomingPacket& packet, const SocketAddress& from, LocalInstant now,
                          std::vector<SlabJob>& jobs);

  /// Wraps a slab for sending; `until` is when it is no longer of use, and decides on parity.
  [[nodiscard]] OutgoingSlab outgoing(std::shared_ptr<const SlabBuffer> slab, LocalInstant until,
                                      LocalInstant now) const;

  /// Sends one batch if pieces wait and both window and pacing allow it. Returns whether it did.
  [[nodiscard]] bool send_batch(LocalInstant now);
  /// Regards overdue packets as lost (SentPackets::on_timeout), and opens the path.
  void on_timeout(LocalInstant now);
  /// Instant at which send_batch() or on_timeout() has work, unless an ack arrives before.
  [[nodiscard]] LocalInstant due() const noexcept;
  /// See SentPackets::is_unheard().
  [[nodiscard]] bool is_unheard() const noexcept { return sent_.is_unheard(); }

 private:
  struct Path {
    std::optional<SocketAddress> address;  // the client's; empty until it is known
    LocalInstant hello_due = SentPackets::never_due;
    Nanos hello_gap{0};  // from the last hello packet to the next
  };

  void take_ack(std::span<const std::byte> payload, LocalInstant now);
  void apply(const SentPackets::News& news, LocalInstant now);
  void note_arrived(const PieceRef& piece);
  [[nodiscard]] std::optional<PieceRef> next_piece();
  [[nodiscard]] bool has_more() const noexcept {
    return !again_.empty() || orders_.may_have_front();
  }
  void seal_packet(const PieceRef& piece, const OutgoingSlab& slab, OutgoingPacket& packet,
                   std::byte* sealed);
  void send_hello(LocalInstant now);

  const std::uint64_t session_;
  const std::uint32_t packet_bytes_;
  PacketSender& sender_;
  SlabOrders& orders_;
  SessionCounters& counters_;
  PacketSeal to_client_;
  PacketSeal to_server_;
  Path path_;
  ReceivedPackets received_;
  SentPackets sent_;
  std::deque<PieceRef> again_;  // lost pieces that are to be sent again
  SendRate rate_;
  LossEstimate loss_;
  Pacer pacer_;
  std::vector<OutgoingPacket> batch_;
  std::vector<std::byte> sealed_;  // ciphertext of a batch; empty without encryption
};

}  // namespace tilewall::net
