#include "net/slab/server_tcp_transport.hpp"

#include <algorithm>

namespace tilewall::net {

ServerTcpTransport::ServerTcpTransport(const SlabHello& hello, const SessionKeys& keys,
                                       SlabOrders& orders, SessionCounters& counters)
    : stripes_(hello.stripes),
      piece_bytes_(hello.packet_bytes - static_cast<std::uint32_t>(packet_head_bytes)),
      to_client_(hello.seal, keys.to_client),
      to_server_(hello.seal, keys.to_server),
      orders_(orders),
      counters_(counters) {}

void ServerTcpTransport::take(const StripeHeader& header, std::span<const std::byte> payload,
                              std::vector<SlabJob>& jobs) {
  if (header.kind == PacketKind::request)
    orders_.take_request(header.request, payload, SlabOrders::no_deadline, SlabOrders::not_repeated,
                         jobs);
  if (header.kind == PacketKind::cancel) orders_.take_cancel(payload);
}

bool ServerTcpTransport::start_chunk(StripeWriter& stripe) {
  const auto [request, order] = orders_.front();
  if (order == nullptr) return false;
  const std::uint64_t slab_bytes = order->slab->shape().slab_bytes;
  const std::uint64_t at = order->next_byte;
  const std::size_t size =
      static_cast<std::size_t>(std::min<std::uint64_t>(largest_chunk_bytes, slab_bytes - at));
  StripeHeader header = {};
  header.kind = PacketKind::data;
  header.request = request;
  header.slab_bytes = slab_bytes;
  header.offset = at;
  stripe.start(header, order->slab->bytes()->bytes().subspan(at, size), order->slab->bytes());
  counters_.sent_bytes += size;
  order->next_byte += size;
  if (order->next_byte == slab_bytes) {
    orders_.pop_front();
    ++counters_.slabs;
    orders_.finish(request);
  }
  return true;
}

}  // namespace tilewall::net
