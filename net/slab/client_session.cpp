#include "net/slab/client_session.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "net/slab/client_udp_transport.hpp"
#include "net/slab/tcp_window.hpp"

namespace tilewall::net {
namespace {

SealKind seal_of(const SlabSessionOptions& options) {
  if (!options.key) return SealKind::checksum;
  return options.encrypt ? SealKind::encrypted : SealKind::tag;
}

SlabHello hello_of(const SocketAddress& server, const SlabSessionOptions& options) {
  SlabHello hello;
  hello.nonce = random_nonce_hex();
  hello.transport = options.transport;
  hello.stripes = options.stripes;
  hello.packet_bytes = options.packet_bytes != 0 ? options.packet_bytes : packet_bytes_to(server);
  hello.seal = seal_of(options);
  return hello;
}

/// Bytes of the pieces into which this transport cuts slabs.
std::uint32_t piece_bytes_of(const SlabHello& hello) {
  return hello.transport == SlabTransport::udp
             ? hello.packet_bytes - static_cast<std::uint32_t>(packet_head_bytes)
             : largest_chunk_bytes;
}

}  // namespace

ClientSession::ClientSession(const SocketAddress& server, const SlabSessionOptions& options,
                             SlabPool& pool, std::chrono::milliseconds limit)
    : ClientSession(server, options, pool, limit, local_now() + limit) {}

ClientSession::ClientSession(const SocketAddress& server, const SlabSessionOptions& options,
                             SlabPool& pool, std::chrono::milliseconds limit, LocalInstant until)
    : control_(server, options.key, limit, until),
      hello_(hello_of(server, options)),
      requests_(pool, piece_bytes_of(hello_), counters_) {
  UniqueFd packets;
  if (options.transport == SlabTransport::udp) {
    packets = connect_udp(server);
    hello_.receive_buffer_bytes = prepare_packet_socket(packets.get());
  }
  const SessionStart start = control_.begin(server, options.key, hello_, until);
  if (options.transport == SlabTransport::udp) {
    transport_ = std::make_unique<ClientUdpTransport>(std::move(packets), start.id, hello_,
                                                      start.keys, requests_, counters_);
    return;
  }
  auto stripes =
      std::make_unique<ClientTcpTransport>(server, options, start, tcp_round_trip(control_.fd()),
                                           requests_, counters_, hello_.seal, limit);
  tuning_ = stripes->tuning();
  transport_ = std::move(stripes);
}

std::uint32_t ClientSession::fetch(std::span<const std::byte> payload, LocalInstant until,
                                   RequestKind kind) {
  const LocalInstant now = local_now();
  const auto& [request, pending] = requests_.add(payload, until, now, kind);
  transport_->send_request(request, pending, now);
  return request;
}

void ClientSession::cancel(const std::vector<std::uint32_t>& requests) {
  // The transport first: a stripe may be receiving into the memory that forget() frees.
  transport_->cancel(requests);
  for (const std::uint32_t request : requests) requests_.forget(request);
}

std::vector<pollfd> ClientSession::watched() const {
  std::vector<pollfd> watched = {control_.watched()};
  transport_->watch(watched);
  return watched;
}

bool ClientSession::step(LocalInstant now, Events& events) {
  return control_.step(events.answers, events.told) && transport_->step(now, events.slabs);
}

ReceiveCounters ClientSession::counters() const {
  ReceiveCounters counters = counters_;
  transport_->count(counters);
  return counters;
}

}  // namespace tilewall::net
