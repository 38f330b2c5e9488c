// Transport of a server's session over UDP: accepts requests and acks, sends pieces as fast as the
// path carries them, and sends lost pieces again. It owns no socket.
//
// Nothing is sent to any host but the one at the other end of the session's control connection.
// Slabs go to an address of it only once it is confirmed: an ack for a packet that was sent there
// has come from there. Until then it is sent hello packets, which are three times the bytes that it
// has sent at most (the limit of RFC 9000, section 8.1).
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

/// The other end of a session's control connection.
struct SlabPeer {
  SocketAddress address;
  Nanos round_trip{0};  ///< TCP's round trip on the control connection; 0 if it is unknown
};

class ServerUdpTransport {
 public:
  /// Packets in flight until the path's rate is known.
  static constexpr std::uint64_t first_window_packets = 64;
  /// So much of the receive buffer that a client claims to have is believed: as much as
  /// prepare_packet_socket() asks for, counted by the kernel.
  static constexpr std::uint64_t most_receive_buffer_bytes = std::uint64_t{64} << 20;

  /// `rate_bytes_s` is the cap of SendRate; 0 means none. `sender`, `orders` and `counters` are the
  /// session's and outlive this.
  ServerUdpTransport(std::uint64_t session, const SlabHello& hello, const SessionKeys& keys,
                     const SlabPeer& peer, double rate_bytes_s, PacketSender& sender,
                     SlabOrders& orders, SessionCounters& counters);

  /// Opens the path to a client that this side connected to: from now on, on_timeout() sends hello
  /// packets to `address`, at growing intervals, until a packet of the client has arrived.
  void open_path(const SocketAddress& address, LocalInstant now);

  /// Handles a packet of this session. Returns false if it comes from another host than the
  /// session's peer, or its tag is wrong. New requests are added to `jobs`.
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
  /// Bytes of all packets that have arrived.
  [[nodiscard]] std::uint64_t delivered_bytes() const noexcept { return sent_.delivered_bytes(); }
  /// See SentPackets::is_unheard().
  [[nodiscard]] bool is_unheard() const noexcept { return sent_.is_unheard(); }

 private:
  struct Path {
    std::optional<SocketAddress> address;  // the client's; empty until it is known
    bool is_confirmed = false;
    std::uint64_t first_sequence = 0;  // sequence number of the first packet that was sent there
    std::uint64_t credit_bytes = 0;    // bytes that may be sent there until it is confirmed
    LocalInstant hello_due = SentPackets::never_due;
    Nanos hello_gap{0};  // from the last hello packet to the next
  };

  void begin_path(const SocketAddress& address, LocalInstant now, std::uint64_t credit_bytes);
  void take_ack(std::span<const std::byte> payload, const SocketAddress& from, LocalInstant now);
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
  const SocketAddress peer_;
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
