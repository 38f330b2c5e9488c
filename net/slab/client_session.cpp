#include "net/slab/client_session.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "net/slab/client_udp_transport.hpp"
#include "net/slab/tcp_window.hpp"
#include "sync/base/error.hpp"

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
  if (options.transport == SlabTransport::udp)
    begin_udp(server, options, connect_udp(server), until);
  else
    begin_tcp(server, options, {}, limit, until);
}

ClientSession::ClientSession(Offered offered, const SlabSessionOptions& options, SlabPool& pool,
                             std::chrono::milliseconds limit)
    : control_(std::move(offered.control), std::move(offered.challenge)),
      hello_(hello_of(offered.from, options)),
      requests_(pool, piece_bytes_of(hello_), counters_) {
  if (!options.interfaces.empty())
    throw InputError({to_string(offered.from)}, "interfaces",
                     "none, as the other side connected and chooses the way",
                     std::to_string(options.interfaces.size()));
  const LocalInstant until = local_now() + limit;
  const SocketAddress here = with_port(local_address(control_.fd()), 0);
  if (options.transport == SlabTransport::udp) {
    UniqueFd packets = bind_udp(here);
    hello_.udp_port = local_address(packets.get()).port();
    begin_udp(offered.from, options, std::move(packets), until);
    return;
  }
  const StripeListener listener =
      listen_for_stripes(here, options.stripes, tcp_round_trip(control_.fd()));
  hello_.stripe_port = local_address(listener.socket.get()).port();
  begin_tcp(offered.from, options, listener, limit, until);
}

void ClientSession::begin_udp(const SocketAddress& server, const SlabSessionOptions& options,
                              UniqueFd packets, LocalInstant until) {
  hello_.receive_buffer_bytes = prepare_packet_socket(packets.get());
  const SessionStart start = control_.begin(server, options, hello_, until);
  if (hello_.udp_port != 0)
    await_path(packets.get(), start.id, hello_.seal, start.keys, server, until);
  transport_ = std::make_unique<ClientUdpTransport>(std::move(packets), start.id, hello_,
                                                    start.keys, requests_, counters_);
}

void ClientSession::begin_tcp(const SocketAddress& server, const SlabSessionOptions& options,
                              const StripeListener& listener, std::chrono::milliseconds limit,
                              LocalInstant until) {
  const SessionStart start = control_.begin(server, options, hello_, until);
  auto stripes =
      std::make_unique<ClientTcpTransport>(server, options, start, tcp_round_trip(control_.fd()),
                                           listener, requests_, counters_, hello_.seal, limit);
  tuning_ = stripes->tuning();
  transport_ = std::move(stripes);
}

std::uint32_t ClientSession::fetch(std::span<const std::byte> payload, LocalInstant until,
                                   RequestKind kind, std::uint64_t most_bytes) {
  const LocalInstant now = local_now();
  const auto& [request, pending] = requests_.add(payload, until, now, kind, most_bytes);
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
  return !requests_.is_exhausted() && control_.step(events.answers, events.told) &&
         transport_->step(now, events.slabs);
}

ReceiveCounters ClientSession::counters() const {
  ReceiveCounters counters = counters_;
  transport_->count(counters);
  return counters;
}

}  // namespace tilewall::net
