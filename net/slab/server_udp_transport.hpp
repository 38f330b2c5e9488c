// How a server's session gives its slabs by UDP: takes requests and acks from packets, sends pieces
// as fast as the path takes them, and sends again what was lost. Knows no socket of its own.
//
// One owner, the server's thread.
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
  /// `orders` and `counters` are the session's and outlive this.
  ServerUdpTransport(std::uint64_t session, const SlabHello& hello, const SessionKeys& keys,
                     double rate_bytes_s, SlabOrders& orders, SessionCounters& counters);

  /// A packet of this session. False where its tag is not right. New requests are added to `jobs`.
  [[nodiscard]] bool take(IncomingPacket& packet, const SocketAddress& from, LocalInstant now,
                          std::vector<SlabJob>& jobs);

  /// What is sent of the slab, which is of use until `until`.
  [[nodiscard]] OutgoingSlab outgoing(std::shared_ptr<const SlabBuffer> slab, LocalInstant until,
                                      LocalInstant now) const;

  /// Sends a batch, if there is one, the path takes it and it is time. False otherwise.
  [[nodiscard]] bool send_batch(PacketSender& sender, LocalInstant now);
  /// Gives up packets that nothing was heard of for long.
  void on_timeout(LocalInstant now);
  /// When send_batch() or on_timeout() has something to do, but for what acks change.
  [[nodiscard]] LocalInstant due() const noexcept;

 private:
  void take_ack(std::span<const std::byte> payload, LocalInstant now);
  void apply(const SentPackets::News& news, LocalInstant now);
  void note_arrived(const PieceRef& piece);
  [[nodiscard]] std::optional<PieceRef> next_piece();
  [[nodiscard]] bool has_more() const noexcept {
    return !again_.empty() || orders_.may_have_front();
  }
  void seal_packet(const PieceRef& piece, const OutgoingSlab& slab, OutgoingPacket& packet,
                   std::byte* sealed);

  const std::uint64_t session_;
  const std::uint32_t packet_bytes_;
  SlabOrders& orders_;
  SessionCounters& counters_;
  PacketSeal to_client_;
  PacketSeal to_server_;
  std::optional<SocketAddress> address_;  // of the client, once it has been heard
  ReceivedPackets received_;
  SentPackets sent_;
  std::deque<PieceRef> again_;  // lost ones
  SendRate rate_;
  LossEstimate loss_;
  Pacer pacer_;
  std::vector<OutgoingPacket> batch_;
  std::vector<std::byte> sealed_;  // where the seal encrypts
};

}  // namespace tilewall::net
