// One client of a slab server: what it has asked for, and the transport that gives it that. Knows
// no sockets of its own; the server hands it what comes and asks it what to send.
//
// One owner, the server's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "net/slab/handshake.hpp"
#include "net/slab/server_tcp_transport.hpp"
#include "net/slab/server_udp_transport.hpp"
#include "net/slab/slab_orders.hpp"

namespace tilewall::net {

class ServerSession {
 public:
  ServerSession(std::uint64_t id, const SlabHello& hello, const SessionKeys& keys,
                double rate_bytes_s);
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  /// What the client chose; the other one is null.
  [[nodiscard]] ServerUdpTransport* udp() noexcept { return udp_ ? &*udp_ : nullptr; }
  [[nodiscard]] ServerTcpTransport* tcp() noexcept { return tcp_ ? &*tcp_ : nullptr; }

  [[nodiscard]] const SessionCounters& counters() const noexcept { return counters_; }

  /// Requests that were cancelled before they were read, since the last time.
  [[nodiscard]] std::vector<std::uint32_t> take_cancelled() noexcept {
    return orders_.take_cancelled();
  }

  /// What a request asked for; forgotten where nobody wants it any more.
  void slab_read(std::uint32_t request, std::shared_ptr<const SlabBuffer> slab, LocalInstant now);

 private:
  SlabOrders orders_;
  SessionCounters counters_;
  std::optional<ServerUdpTransport> udp_;
  std::optional<ServerTcpTransport> tcp_;
};

}  // namespace tilewall::net
