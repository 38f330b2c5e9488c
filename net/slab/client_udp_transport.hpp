// Transport of a client's session over UDP: receives packets in batches with each payload in its
// place in its slab, sends acks, and repeats requests that got no answer.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/slab/ack_schedule.hpp"
#include "net/slab/client_transport.hpp"
#include "net/slab/handshake.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/received_packets.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::net {

/// Waits for the hello packet of a server that connected, and connects `socket` to where it came
/// from. `socket` is bound, and prepared by prepare_packet_socket(). Throws JobError if none comes
/// by `until`.
void await_path(int socket, std::uint64_t session, SealKind seal, const SessionKeys& keys,
                const SocketAddress& server, LocalInstant until);

class ClientUdpTransport final : public ClientTransport {
 public:
  /// Sends the hello packet. `socket` is connected to the server, and prepared by
  /// prepare_packet_socket(). `requests` and `counters` are the session's and outlive this.
  ClientUdpTransport(UniqueFd socket, std::uint64_t session, const SlabHello& hello,
                     const SessionKeys& keys, SlabRequests& requests, ReceiveCounters& counters);

  void send_request(std::uint32_t request, const PendingSlab& pending, LocalInstant now) override;
  void cancel(std::span<const std::uint32_t> requests) override;
  void watch(std::vector<pollfd>& watched) const override;
  [[nodiscard]] LocalInstant due() const override;
  [[nodiscard]] bool step(LocalInstant now, std::vector<FinishedSlab>& finished) override;
  void count(ReceiveCounters& counters) const override;

 private:
  void send_packet(PacketKind kind, std::uint32_t request, std::span<const std::byte> payload,
                   std::uint64_t within_us = 0);
  void send_ack(LocalInstant now);
  [[nodiscard]] std::vector<std::byte*> expected() const;
  void take_batch(std::span<IncomingPacket> packets, LocalInstant now,
                  std::vector<FinishedSlab>& finished);
  void sort(std::span<IncomingPacket> packets, LocalInstant now);
  void take(IncomingPacket& packet, LocalInstant now, std::vector<FinishedSlab>& finished);
  [[nodiscard]] bool lies_aside(const IncomingPacket& packet) const;
  [[nodiscard]] bool is_in_place(const IncomingPacket& packet) const;
  void take_piece(const IncomingPacket& packet, LocalInstant now,
                  std::vector<FinishedSlab>& finished);
  void take_parity(const IncomingPacket& packet, LocalInstant now,
                   std::vector<FinishedSlab>& finished);
  void recover(PendingSlab& pending, std::uint32_t group);

  const std::uint64_t session_;
  const std::uint32_t packet_bytes_;
  SlabRequests& requests_;
  ReceiveCounters& counters_;
  PacketSeal to_client_;
  PacketSeal to_server_;
  UniqueFd socket_;
  PacketReceiver receiver_;
  PacketSender sender_;
  std::uint64_t sequence_ = 0;  // number of the newest packet to the server
  ReceivedPackets received_;
  AckSchedule acks_;
  std::uint32_t last_request_ = 0;    // request of the newest piece
  std::uint32_t next_piece_ = 0;      // piece that is expected after it
  std::vector<std::byte> misplaced_;  // payloads of a batch that did not arrive in their places
};

}  // namespace tilewall::net
