#include "net/slab/server_session.hpp"

#include <utility>

namespace tilewall::net {

ServerSession::ServerSession(std::uint64_t id, const SlabHello& hello, const SessionKeys& keys,
                             const SlabPeer& peer, double rate_bytes_s, PacketSender& sender) {
  if (hello.transport == SlabTransport::udp)
    udp_.emplace(id, hello, keys, peer, rate_bytes_s, sender, orders_, counters_);
  else
    tcp_.emplace(hello, keys, orders_, counters_);
}

void ServerSession::slab_read(std::uint32_t request, std::shared_ptr<const SlabBuffer> slab,
                              LocalInstant now) {
  const SlabOrders::Order* const order = orders_.find(request);
  // A request that was dropped and repeated may be answered twice.
  if (order == nullptr || order->slab) return;
  orders_.set_read(request, udp_ ? udp_->outgoing(std::move(slab), order->until, now)
                                 : tcp_->outgoing(std::move(slab)));
}

}  // namespace tilewall::net
