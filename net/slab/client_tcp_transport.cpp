#include "net/slab/client_tcp_transport.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilewall::net {

StripeListener listen_for_stripes(const SocketAddress& address, int stripes, Nanos round_trip) {
  StripeListener listener;
  // An accepted connection has the buffers of the listening socket.
  listener.socket = listen_tcp_without_blocking(with_port(address, 0), [&](int socket) {
    listener.window =
        widen_tcp(socket, TcpEnd::receives,
                  tcp_window_bytes(assumed_path_bytes_s / stripes, round_trip, stripes));
  });
  return listener;
}

ClientTcpTransport::ClientTcpTransport(const SocketAddress& server,
                                       const SlabSessionOptions& options,
                                       const SessionStart& session, Nanos round_trip,
                                       const StripeListener& listener, SlabRequests& requests,
                                       ReceiveCounters& counters, SealKind seal,
                                       std::chrono::milliseconds limit)
    : requests_(requests),
      counters_(counters),
      to_client_(seal, session.keys.to_client),
      to_server_(seal, session.keys.to_server) {
  tuning_.round_trip = round_trip;
  const auto shares = options.interfaces.empty()
                          ? std::vector<InterfaceShare>(static_cast<std::size_t>(options.stripes))
                          : share_interfaces(options.interfaces, options.stripes);
  for (int i = 0; i < options.stripes; ++i) {
    if (listener.socket.empty()) {
      connect_stripe(server, options, session.id, i, shares[static_cast<std::size_t>(i)], limit);
      continue;
    }
    const LocalInstant until = local_now() + limit;
    begin_stripe(accept_from_server(listener.socket.get(), server, until), server, options.key,
                 {session.id, i, 0}, listener.window, until);
  }
}

void ClientTcpTransport::connect_stripe(const SocketAddress& server,
                                        const SlabSessionOptions& options, std::uint64_t session,
                                        int index, const InterfaceShare& share,
                                        std::chrono::milliseconds limit) {
  const LocalInstant until = local_now() + limit;
  TcpWindow window;
  MessageStream stream = connect_to_server(server, limit, [&](int socket) {
    if (!options.interfaces.empty())
      bind_to_interface(socket, options.interfaces[share.interface], server.family());
    const double bytes_s =
        share.bytes_s > 0 ? share.bytes_s : assumed_path_bytes_s / options.stripes;
    window = widen_tcp(socket, TcpEnd::receives,
                       tcp_window_bytes(bytes_s, tuning_.round_trip, options.stripes));
  });
  begin_stripe(std::move(stream), server, options.key,
               {session, index, static_cast<std::uint64_t>(share.bytes_s)}, window, until);
}

void ClientTcpTransport::begin_stripe(MessageStream stream, const SocketAddress& server,
                                      const std::optional<AuthKey>& key,
                                      const SlabHandshake::Stripe& stripe, const TcpWindow& window,
                                      LocalInstant until) {
  const SlabChallenge challenge = await_challenge(stream, server, key.has_value(), until);
  const SlabHandshake handshake(key, challenge.nonce, challenge.provides);
  stream.queue({text_of(handshake.stripe(stripe)), {}});
  const auto joined = handshake.parse_joined(stripe, await_message(stream, server, until));
  if (stripes_.empty()) tuning_.congestion_control = joined.congestion_control;
  tuning_.window_bytes += std::min(window.bytes, joined.window_bytes);
  tuning_.wanted_window_bytes += std::min(window.wanted_bytes, joined.wanted_window_bytes);
  UniqueFd socket = stream.release();
  const int fd = socket.get();
  stripes_.push_back({std::move(socket), StripeReader(fd, stripe.index, to_client_),
                      StripeWriter(fd, stripe.index, to_server_)});
}

void ClientTcpTransport::send_request(std::uint32_t request, const PendingSlab& pending,
                                      LocalInstant /*now*/) {
  Waiting& waiting = waiting_.emplace_back();
  waiting.header.kind = PacketKind::request;
  waiting.header.request = request;
  waiting.payload = pending.payload;
  static_cast<void>(write_stripes());
}

void ClientTcpTransport::cancel(std::span<const std::uint32_t> requests) {
  for (const std::uint32_t request : requests) forget(request);
  for_each_cancel(requests, [&](std::span<const std::byte> payload) {
    Waiting& waiting = waiting_.emplace_back();
    waiting.header.kind = PacketKind::cancel;
    waiting.payload.assign(payload.begin(), payload.end());
  });
  static_cast<void>(write_stripes());
}

void ClientTcpTransport::forget(std::uint32_t request) {
  for (Stripe& stripe : stripes_) stripe.reader.forget(request);
}

void ClientTcpTransport::watch(std::vector<pollfd>& watched) const {
  for (const Stripe& stripe : stripes_) {
    const auto events = static_cast<short>(stripe.writer.idle() ? POLLIN : POLLIN | POLLOUT);
    watched.push_back({stripe.socket.get(), events, 0});
  }
}

bool ClientTcpTransport::step(LocalInstant now, std::vector<FinishedSlab>& finished) {
  return read_stripes(now, finished) && write_stripes();
}

bool ClientTcpTransport::read_stripes(LocalInstant now, std::vector<FinishedSlab>& finished) {
  StripeReader::Handler handler;
  handler.place = [&](const StripeHeader& header) -> std::byte* {
    if (header.kind != PacketKind::data || header.offset % largest_chunk_bytes != 0) return nullptr;
    const auto request = requests_.piece_came(header.request, header.slab_bytes, now);
    const auto piece = static_cast<std::uint32_t>(header.offset / largest_chunk_bytes);
    const bool fits = request != requests_.end() && request->second.slab->wants(piece) &&
                      request->second.slab->shape().bytes_of(piece) == header.bytes;
    return fits ? request->second.slab->place(piece) : nullptr;
  };
  handler.done = [&](const StripeHeader& header, std::span<const std::byte> payload) {
    const auto request = requests_.find(header.request);
    const auto piece = static_cast<std::uint32_t>(header.offset / largest_chunk_bytes);
    ++counters_.packets;
    if (request == requests_.end() || !request->second.slab) return;
    IncomingSlab& slab = *request->second.slab;
    // The bytes of a chunk that was dropped, or cancelled while it arrived, lie elsewhere.
    if (!slab.wants(piece) || slab.place(piece) != payload.data()) return;
    slab.mark(piece);
    if (slab.missing() > 0) return;
    forget(header.request);
    requests_.finish(request, finished);
  };
  for (Stripe& stripe : stripes_)
    if (stripe.reader.read_some(handler) != StripeStatus::open) return false;
  return true;
}

bool ClientTcpTransport::write_stripes() {
  StripeWriter& first = stripes_.front().writer;
  for (;;) {
    if (first.write_some() != StripeStatus::open) return false;
    if (!first.idle() || waiting_.empty()) return true;
    const auto payload =
        std::make_shared<const std::vector<std::byte>>(std::move(waiting_.front().payload));
    first.start(waiting_.front().header, *payload, payload);
    waiting_.pop_front();
  }
}

}  // namespace tilewall::net
