// Transport of a server's session over TCP: accepts requests from its stripes, and cuts slabs that
// have been read into chunks, each for whichever stripe is idle. It owns no socket.
//
// Threads: one owner, the server's network thread.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "net/slab/handshake.hpp"
#include "net/slab/slab_orders.hpp"
#include "net/slab/stripe.hpp"

namespace tilewall::net {

class ServerTcpTransport {
 public:
  /// `orders` and `counters` are the session's and outlive this.
  ServerTcpTransport(const SlabHello& hello, const SessionKeys& keys, SlabOrders& orders,
                     SessionCounters& counters);

  [[nodiscard]] int stripes() const noexcept { return stripes_; }

  /// Handles a request or cancel, complete and with a valid tag. New requests are added to `jobs`.
  void take(const StripeHeader& header, std::span<const std::byte> payload,
            std::vector<SlabJob>& jobs);

  /// Wraps a slab for sending, without parity: TCP repairs losses itself.
  [[nodiscard]] OutgoingSlab outgoing(std::shared_ptr<const SlabBuffer> slab) const {
    return {std::move(slab), piece_bytes_, false};
  }

  /// Starts the next chunk on a stripe. Returns false if no slab waits. @pre stripe.idle()
  [[nodiscard]] bool start_chunk(StripeWriter& stripe);

  // Shared by all stripes, whose sequence numbers differ in their upper bits (stripe.hpp).
  [[nodiscard]] PacketSeal& to_client() noexcept { return to_client_; }
  [[nodiscard]] PacketSeal& to_server() noexcept { return to_server_; }

 private:
  const int stripes_;
  const std::uint32_t piece_bytes_;
  PacketSeal to_client_;
  PacketSeal to_server_;
  SlabOrders& orders_;
  SessionCounters& counters_;
};

}  // namespace tilewall::net
