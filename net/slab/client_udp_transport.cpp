#include "net/slab/client_udp_transport.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

constexpr int batches_a_wakeup = 64;  // step() sends acks and repeats requests after so many

/// Reads the head of the socket's next datagram, which stays there. Returns whether there is one.
bool peek(int socket, std::span<std::byte> head, SocketAddress& from) {
  from.length = sizeof from.storage;
  const ssize_t got = retry_eintr([&] {
    return ::recvfrom(socket, head.data(), head.size(), MSG_PEEK | MSG_DONTWAIT, from.raw(),
                      &from.length);
  });
  return got == static_cast<ssize_t>(head.size());
}

}  // namespace

void await_path(int socket, std::uint64_t session, SealKind seal, const SessionKeys& keys,
                const SocketAddress& server, LocalInstant until) {
  PacketSeal to_client(seal, keys.to_client);
  for (Nanos left = until - local_now(); left > Nanos{0}; left = until - local_now()) {
    pollfd waiting = {socket, POLLIN, 0};
    ::poll(&waiting, 1,
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    if (waiting.revents == 0) continue;
    std::array<std::byte, packet_head_bytes> bytes = {};
    SocketAddress from;
    if (peek(socket, bytes, from)) {
      PacketHeader header;
      SealTag tag;
      std::memcpy(&header, bytes.data(), sizeof header);
      std::memcpy(tag.data(), bytes.data() + sizeof header, tag.size());
      const bool is_hello =
          check_packet(header, bytes.size()) && header.kind == PacketKind::hello &&
          header.session == session &&
          to_client.open(header.sequence, std::span(bytes).first(sizeof header), {}, tag);
      // The packet stays in the socket's queue, and is noted like all others.
      if (is_hello && ::connect(socket, from.raw(), from.length) == 0) return;
    }
    std::byte dropped[1];
    static_cast<void>(::recv(socket, dropped, sizeof dropped, MSG_DONTWAIT));
  }
  throw JobError(
      fmt::format("{}: expected its first packet over UDP, found none: does a firewall drop it?",
                  to_string(server)));
}

ClientUdpTransport::ClientUdpTransport(UniqueFd socket, std::uint64_t session,
                                       const SlabHello& hello, const SessionKeys& keys,
                                       SlabRequests& requests, ReceiveCounters& counters)
    : session_(session),
      packet_bytes_(hello.packet_bytes),
      requests_(requests),
      counters_(counters),
      to_client_(hello.seal, keys.to_client),
      to_server_(hello.seal, keys.to_server),
      socket_(std::move(socket)),
      receiver_(socket_.get(), packet_bytes_ - static_cast<std::uint32_t>(packet_head_bytes)),
      sender_(socket_.get()) {
  send_packet(PacketKind::hello, 0, {});
}

void ClientUdpTransport::send_packet(PacketKind kind, std::uint32_t request,
                                     std::span<const std::byte> payload, std::uint64_t within_us) {
  OutgoingPacket packet;
  const PacketHeader header{
      packet_magic, kind,        0,       static_cast<std::uint16_t>(payload.size()),
      session_,     ++sequence_, request, 0,
      within_us};
  std::memcpy(packet.head, &header, sizeof header);
  const bool is_encrypted = to_server_.kind() == SealKind::encrypted;
  std::vector<std::byte> sealed(is_encrypted ? payload.size() : 0);
  const SealTag tag =
      to_server_.seal(header.sequence, {packet.head, sizeof header}, payload, sealed.data());
  std::memcpy(packet.head + sizeof header, tag.data(), tag.size());
  packet.payload = is_encrypted ? std::span<const std::byte>(sealed) : payload;
  static_cast<void>(sender_.send({&packet, 1}, nullptr));  // requests are repeated, acks overlap
}

void ClientUdpTransport::send_request(std::uint32_t request, const PendingSlab& pending,
                                      LocalInstant now) {
  std::uint64_t within_us = 0;
  if (pending.until != SlabRequests::no_deadline)
    // The time travels in the header's slab_bytes, whose limit the server checks. 0 would mean that
    // the request has no deadline.
    within_us = static_cast<std::uint64_t>(
        std::clamp<std::int64_t>((pending.until - now).count() / 1000, 1, largest_slab_bytes));
  send_packet(PacketKind::request, request, pending.payload, within_us);
}

void ClientUdpTransport::cancel(std::span<const std::uint32_t> requests) {
  for_each_cancel(requests, [&](std::span<const std::byte> payload) {
    send_packet(PacketKind::cancel, 0, payload);
  });
}

void ClientUdpTransport::watch(std::vector<pollfd>& watched) const {
  watched.push_back({socket_.get(), POLLIN, 0});
}

LocalInstant ClientUdpTransport::due() const {
  return std::min(acks_.due(), requests_.ask_again_due());
}

bool ClientUdpTransport::step(LocalInstant now, std::vector<FinishedSlab>& finished) {
  for (int turn = 0; turn < batches_a_wakeup; ++turn) {
    const auto packets = receiver_.receive(expected());
    if (!receiver_.got_anything()) break;
    take_batch(packets, now, finished);
  }
  if (acks_.due() <= now) send_ack(now);
  requests_.ask_again(now, [&](std::uint32_t request, const PendingSlab& pending) {
    send_request(request, pending, now);
  });
  return true;
}

// Predicts where the next packets' payloads belong: in the pieces after the newest one. The kernel
// scatters a batch before anybody has read its headers, so a wrong guess costs a copy in sort().
std::vector<std::byte*> ClientUdpTransport::expected() const {
  std::vector<std::byte*> places;
  const auto found = std::as_const(requests_).find(last_request_);
  if (found == std::as_const(requests_).end() || !found->second.slab) return places;
  const IncomingSlab& slab = *found->second.slab;
  for (std::size_t i = 0; i < receiver_.batch(); ++i) {
    const std::uint32_t piece = next_piece_ + static_cast<std::uint32_t>(i);
    // The last piece is shorter than a packet's payload may be: a full one would overrun the slab.
    const bool whole =
        slab.wants(piece) && slab.shape().bytes_of(piece) == slab.shape().piece_bytes;
    places.push_back(whole ? slab.place(piece) : nullptr);
  }
  return places;
}

bool ClientUdpTransport::lies_aside(const IncomingPacket& packet) const {
  return packet.payload.data() >= misplaced_.data() &&
         packet.payload.data() < misplaced_.data() + misplaced_.size();
}

/// Whether the payload lies in its own place and the piece has not arrived before.
bool ClientUdpTransport::is_in_place(const IncomingPacket& packet) const {
  const auto request = std::as_const(requests_).find(packet.header.request);
  return packet.header.kind == PacketKind::data && request != std::as_const(requests_).end() &&
         request->second.slab && request->second.slab->wants(packet.header.piece) &&
         request->second.slab->place(packet.header.piece) == packet.payload.data();
}

void ClientUdpTransport::take_batch(std::span<IncomingPacket> packets, LocalInstant now,
                                    std::vector<FinishedSlab>& finished) {
  sort(packets, now);
  for (IncomingPacket& packet : packets) take(packet, now, finished);
  if (acks_.goes_now(now)) send_ack(now);
}

// Puts all payloads aside that do not lie in their places. This is a pass of its own: when packets
// arrive swapped, each lies where the other belongs, so copying the first one to its place at once
// would overwrite the second before it is read.
void ClientUdpTransport::sort(std::span<IncomingPacket> packets, LocalInstant now) {
  std::size_t aside = 0;
  misplaced_.resize(packets.size() * packet_bytes_);
  for (IncomingPacket& packet : packets) {
    const PacketHeader& header = packet.header;
    const bool is_known = header.session == session_ &&
                          (header.kind == PacketKind::data || header.kind == PacketKind::parity ||
                           header.kind == PacketKind::hello) &&
                          packet.payload.size() <= packet_bytes_ - packet_head_bytes;
    if (!is_known || !received_.is_new(header.sequence)) {
      counters_.malformed_packets += is_known ? 0 : 1;
      // A repeated number is noted for the count; note() changes nothing else.
      if (is_known) static_cast<void>(received_.note(header.sequence, now));
      packet.payload = {};
      packet.header.sequence = 0;  // so take() skips it
      continue;
    }
    if (is_in_place(packet)) continue;
    std::memcpy(misplaced_.data() + aside, packet.payload.data(), packet.payload.size());
    packet.payload = {misplaced_.data() + aside, packet.payload.size()};
    aside += packet.payload.size();
  }
}

void ClientUdpTransport::take(IncomingPacket& packet, LocalInstant now,
                              std::vector<FinishedSlab>& finished) {
  const PacketHeader& header = packet.header;
  if (header.sequence == 0 || !received_.is_new(header.sequence)) return;
  // Checked again although sort() checked it: a copy of the same piece earlier in this batch may
  // have filled this place or completed the slab, whose memory is then gone. Opening an encrypted
  // packet writes to its payload, and would destroy the piece or write to freed memory. Its number
  // stays unnoted, so to the server it is lost.
  if (!lies_aside(packet) && !is_in_place(packet)) return;
  if (!to_client_.open(header.sequence, packet.head, packet.payload, packet.tag)) {
    ++counters_.malformed_packets;
    return;
  }
  // Only now, as a forged packet must not use up the number of a genuine one.
  const std::uint64_t before = received_.largest();
  if (!received_.note(header.sequence, now)) return;
  if (header.kind == PacketKind::hello) {
    send_ack(now);  // the server sends slabs only once it knows that packets arrive here
    return;
  }
  ++counters_.packets;
  acks_.note(header.sequence == before + 1, now);
  if (header.kind == PacketKind::parity)
    take_parity(packet, now, finished);
  else
    take_piece(packet, now, finished);
}

void ClientUdpTransport::take_piece(const IncomingPacket& packet, LocalInstant now,
                                    std::vector<FinishedSlab>& finished) {
  const PacketHeader& header = packet.header;
  const std::span<const std::byte> payload = packet.payload;
  const auto request = requests_.piece_came(header.request, header.slab_bytes, now);
  if (request == requests_.end()) return;
  IncomingSlab& slab = *request->second.slab;
  if (!slab.wants(header.piece) || slab.shape().bytes_of(header.piece) != payload.size()) return;
  std::byte* const place = slab.place(header.piece);
  if (place != payload.data() && !payload.empty()) {
    std::memcpy(place, payload.data(), payload.size());
    ++counters_.copied_pieces;
  }
  // A piece behind the expected one of its slab was sent again, and does not move the prediction of
  // expected() back.
  const bool in_order = header.request == last_request_ && header.piece == next_piece_;
  if (!in_order && header.request == last_request_ && header.piece < next_piece_)
    ++counters_.repaired_packets;
  slab.mark(header.piece);
  if (in_order || header.request > last_request_ || header.piece >= next_piece_) {
    last_request_ = header.request;
    next_piece_ = header.piece + 1;
  }
  if (request->second.parity)
    recover(request->second, request->second.parity->groups().of(header.piece));
  if (slab.missing() == 0) requests_.finish(request, finished);
}

void ClientUdpTransport::take_parity(const IncomingPacket& packet, LocalInstant now,
                                     std::vector<FinishedSlab>& finished) {
  const auto request = requests_.piece_came(packet.header.request, packet.header.slab_bytes, now);
  if (request == requests_.end()) return;
  PendingSlab& pending = request->second;
  const ParityPiece piece = ParityPiece::from(packet.header.piece);
  if (!pending.parity) pending.parity.emplace(pending.slab->shape());
  pending.parity->add(piece, packet.payload, *pending.slab);
  recover(pending, piece.group);
  if (pending.slab->missing() == 0) requests_.finish(request, finished);
}

void ClientUdpTransport::recover(PendingSlab& pending, std::uint32_t group) {
  if (pending.parity->has(group))
    counters_.recovered_pieces += pending.parity->recover(group, *pending.slab);
}

void ClientUdpTransport::send_ack(LocalInstant now) {
  send_packet(PacketKind::ack, 0, received_.ack(now, acks_.send(now)));
}

void ClientUdpTransport::count(ReceiveCounters& counters) const {
  counters.lost_packets =
      received_.largest() > received_.received() ? received_.largest() - received_.received() : 0;
  counters.repeated_packets = received_.repeated();
  counters.malformed_packets += receiver_.malformed();
}

}  // namespace tilewall::net
