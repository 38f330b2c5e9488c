// The server's side of one client's session: its open requests and its transport. It owns no
// socket: the server passes in what arrives, and asks what to send.
//
// Threads: one owner, the server's network thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "net/slab/handshake.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/server_tcp_transport.hpp"
#include "net/slab/server_udp_transport.hpp"
#include "net/slab/slab_orders.hpp"

namespace tilewall::net {

class ServerSession {
 public:
  /// Over UDP, `sender` sends the session's packets, and outlives this.
  ServerSession(std::uint64_t id, const SlabHello& hello, const SessionKeys& keys,
                const SlabPeer& peer, double rate_bytes_s, PacketSender& sender);
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  /// The transport that the client chose; the other one is null.
  [[nodiscard]] ServerUdpTransport* udp() noexcept { return udp_ ? &*udp_ : nullptr; }
  [[nodiscard]] ServerTcpTransport* tcp() noexcept { return tcp_ ? &*tcp_ : nullptr; }

  /// Whether it has had slabs to send for some 10 s, and none of their bytes were taken. Call it at
  /// least once a second where it matters.
  [[nodiscard]] bool is_stalled(LocalInstant now) noexcept;

  [[nodiscard]] const SessionCounters& counters() const noexcept { return counters_; }

  /// Accepts the slab of a request from the application. It is dropped if the request was
  /// cancelled.
  void slab_read(std::uint32_t request, std::shared_ptr<const SlabBuffer> slab, LocalInstant now);

 private:
  SlabOrders orders_;
  SessionCounters counters_;
  std::optional<ServerUdpTransport> udp_;
  std::optional<ServerTcpTransport> tcp_;
  std::uint64_t taken_bytes_ = 0;  // when is_stalled() last looked
  LocalInstant taken_at_;          // when they had changed
};

}  // namespace tilewall::net
