#include "net/slab/server_session.hpp"

#include <utility>

namespace tilewall::net {
namespace {

constexpr Nanos longest_stall = std::chrono::seconds(10);

}  // namespace

ServerSession::ServerSession(std::uint64_t id, const SlabHello& hello, const SessionKeys& keys,
                             const SlabPeer& peer, double rate_bytes_s, PacketSender& sender) {
  if (hello.transport == SlabTransport::udp)
    udp_.emplace(id, hello, keys, peer, rate_bytes_s, sender, orders_, counters_);
  else
    tcp_.emplace(hello, keys, orders_, counters_);
}

bool ServerSession::is_stalled(LocalInstant now) noexcept {
  const std::uint64_t taken = udp_ ? udp_->delivered_bytes() : counters_.sent_bytes;
  if (!orders_.has_slabs() || taken != taken_bytes_ || taken_at_ == LocalInstant{}) {
    taken_bytes_ = taken;
    taken_at_ = now;
  }
  return now - taken_at_ > longest_stall;
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
