// How a server's session gives its slabs by TCP: takes requests from its stripes, and cuts what is
// ready into chunks for whichever stripe is idle. Knows no socket of its own.
//
// One owner, the server's thread.
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

  /// A chunk of a stripe that is a request or a cancel, whole and the client's.
  void take(const StripeHeader& header, std::span<const std::byte> payload,
            std::vector<SlabJob>& jobs);

  /// What is sent of the slab.
  [[nodiscard]] OutgoingSlab outgoing(std::shared_ptr<const SlabBuffer> slab) const {
    return {std::move(slab), piece_bytes_, false};
  }

  /// Starts the next chunk on an idle stripe; false where there is none.
  [[nodiscard]] bool start_chunk(StripeWriter& stripe);

  // Of all stripes.
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
