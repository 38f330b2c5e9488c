#include "net/slab/server_udp_transport.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace tilewall::net {
namespace {

constexpr Nanos full_socket_pause = std::chrono::milliseconds(1);
constexpr double group_loss = 2e-6;  // wanted probability that a group with parity is incomplete
constexpr Nanos repair_slack = std::chrono::milliseconds(5);
constexpr Nanos shortest_hello_gap = std::chrono::milliseconds(20);
constexpr Nanos longest_hello_gap = std::chrono::seconds(1);
constexpr std::uint64_t most_amplification = 3;  // RFC 9000, section 8.1
// To an address to which this side has connected by itself.
constexpr std::uint64_t credit_of_own_choice = std::numeric_limits<std::uint64_t>::max() / 2;

OutgoingSlab::Piece piece_of(const PieceRef& ref) { return {ref.kind, ref.piece}; }

bool is_same_address(const SocketAddress& a, const SocketAddress& b) {
  return a.port() == b.port() && is_same_host(a, b);
}

}  // namespace

ServerUdpTransport::ServerUdpTransport(std::uint64_t session, const SlabHello& hello,
                                       const SessionKeys& keys, const SlabPeer& peer,
                                       double rate_bytes_s, PacketSender& sender,
                                       SlabOrders& orders, SessionCounters& counters)
    : session_(session),
      packet_bytes_(hello.packet_bytes),
      peer_(peer.address),
      sender_(sender),
      orders_(orders),
      counters_(counters),
      to_client_(hello.seal, keys.to_client),
      to_server_(hello.seal, keys.to_server),
      // Half, because the kernel's count of a full buffer includes its own memory for each packet.
      rate_(rate_bytes_s, std::min(hello.receive_buffer_bytes, most_receive_buffer_bytes) / 2,
            first_window_packets * hello.packet_bytes, peer.round_trip),
      batch_(PacketSender::batch_of(hello.packet_bytes)) {
  if (hello.seal == SealKind::encrypted) sealed_.resize(batch_.size() * hello.packet_bytes);
}

void ServerUdpTransport::open_path(const SocketAddress& address, LocalInstant now) {
  begin_path(address, now, credit_of_own_choice);
}

void ServerUdpTransport::begin_path(const SocketAddress& address, LocalInstant now,
                                    std::uint64_t credit_bytes) {
  path_ = {address, false, sent_.next(), credit_bytes, now, shortest_hello_gap};
}

// A client acks it at once, but it does not count as lost without that: a client that it does not
// reach cannot send an ack.
void ServerUdpTransport::send_hello(LocalInstant now) {
  path_.hello_due = SentPackets::never_due;
  if (path_.credit_bytes < packet_head_bytes || sent_.full()) return;
  path_.credit_bytes -= packet_head_bytes;
  OutgoingPacket packet;
  const PacketHeader header{
      packet_magic, PacketKind::hello, 0, 0, session_, sent_.use_unacked(), 0, 0, 0};
  std::memcpy(packet.head, &header, sizeof header);
  const SealTag tag = to_client_.seal(header.sequence, {packet.head, sizeof header}, {}, nullptr);
  std::memcpy(packet.head + sizeof header, tag.data(), tag.size());
  static_cast<void>(sender_.send({&packet, 1}, &*path_.address));
  path_.hello_due = now + path_.hello_gap;
  path_.hello_gap = std::min(path_.hello_gap * 2, longest_hello_gap);
}

bool ServerUdpTransport::take(IncomingPacket& packet, const SocketAddress& from, LocalInstant now,
                              std::vector<SlabJob>& jobs) {
  if (!is_same_host(from, peer_)) return false;
  if (!received_.is_new(packet.header.sequence)) return true;
  if (!to_server_.open(packet.header.sequence, packet.head, packet.payload, packet.tag))
    return false;
  // The client's port may change, by NAT for example. An overtaken packet does not change it.
  const bool is_here = path_.address && is_same_address(*path_.address, from);
  if (!is_here && packet.header.sequence > received_.largest()) begin_path(from, now, 0);
  static_cast<void>(received_.note(packet.header.sequence, now));
  if (!path_.is_confirmed && is_same_address(*path_.address, from)) {
    const std::uint64_t bytes = packet_head_bytes + packet.payload.size();
    if (path_.credit_bytes < credit_of_own_choice) path_.credit_bytes += most_amplification * bytes;
    if (path_.hello_due == SentPackets::never_due) path_.hello_due = now;
  }
  switch (packet.header.kind) {
    case PacketKind::request: {
      const std::chrono::microseconds within(packet.header.slab_bytes);
      orders_.take_request(packet.header.request, packet.payload,
                           within.count() == 0 ? SlabOrders::no_deadline : now + within, now, jobs);
      break;
    }
    case PacketKind::ack:
      take_ack(packet.payload, from, now);
      break;
    case PacketKind::cancel:
      orders_.take_cancel(packet.payload);
      break;
    case PacketKind::hello:
    case PacketKind::data:
    case PacketKind::parity:
      break;
  }
  return true;
}

OutgoingSlab ServerUdpTransport::outgoing(std::shared_ptr<const SlabBuffer> slab,
                                          LocalInstant until, LocalInstant now) const {
  // A piece arrives after half a round trip, and its repair a round trip later. If that is too
  // late, parity is sent with the slab.
  const bool needs_parity =
      until != SlabOrders::no_deadline && until - now < rate_.round_trip() * 3 / 2 + repair_slack;
  return {std::move(slab), packet_bytes_ - static_cast<std::uint32_t>(packet_head_bytes),
          needs_parity};
}

void ServerUdpTransport::take_ack(std::span<const std::byte> payload, const SocketAddress& from,
                                  LocalInstant now) {
  const auto ack = parse_ack(payload);
  if (!ack) return;
  if (!path_.is_confirmed && is_same_address(*path_.address, from) &&
      ack->header.largest >= path_.first_sequence && ack->header.largest < sent_.next()) {
    path_.is_confirmed = true;
    path_.hello_due = SentPackets::never_due;
  }
  SentPackets::News news;
  sent_.on_ack(*ack, now, rate_.round_trip(), news);
  apply(news, now);
}

void ServerUdpTransport::on_timeout(LocalInstant now) {
  if (path_.hello_due <= now) send_hello(now);
  SentPackets::News news;
  sent_.on_timeout(now, rate_.round_trip(), news);
  apply(news, now);
}

void ServerUdpTransport::note_arrived(const PieceRef& piece) {
  SlabOrders::Order* const order = orders_.find(piece.request);
  if (order == nullptr || !order->slab->note_arrived(piece_of(piece))) return;
  const OutgoingSlab& slab = *order->slab;
  ++counters_.slabs;
  counters_.protected_groups += slab.has_parity() ? slab.groups() : 0;
  counters_.repaired_groups += slab.has_parity() ? slab.repaired_groups() : 0;
  orders_.finish(piece.request);
}

void ServerUdpTransport::apply(const SentPackets::News& news, LocalInstant now) {
  if (news.has_sample) rate_.on_ack(now, news.sample);
  loss_.note(news.arrived.size(), news.lost.size());
  for (const PieceRef& piece : news.arrived) note_arrived(piece);
  for (const PieceRef& piece : news.lost) {
    SlabOrders::Order* const order = orders_.find(piece.request);
    if (order == nullptr) continue;
    const auto again = order->slab->note_lost(piece_of(piece));
    if (again) again_.push_back({piece.request, again->number, again->kind});
  }
}

// Lost pieces come first: the rest of their slab has arrived and waits for them.
std::optional<PieceRef> ServerUdpTransport::next_piece() {
  while (!again_.empty()) {
    const PieceRef piece = again_.front();
    again_.pop_front();
    const SlabOrders::Order* const order = orders_.find(piece.request);
    if (order == nullptr || !order->slab->wants(piece_of(piece))) continue;
    ++counters_.resent_pieces;
    return piece;
  }
  for (;;) {
    const auto [request, order] = orders_.front();
    if (order == nullptr) return std::nullopt;
    const auto piece = order->slab->next(loss_.share(), group_loss);
    if (!piece || !order->slab->has_next()) orders_.pop_front();
    if (piece) return PieceRef{request, piece->number, piece->kind};
  }
}

void ServerUdpTransport::seal_packet(const PieceRef& piece, const OutgoingSlab& slab,
                                     OutgoingPacket& packet, std::byte* sealed) {
  const auto payload = slab.payload(piece_of(piece));
  const PacketHeader header{packet_magic,
                            piece.kind,
                            0,
                            static_cast<std::uint16_t>(payload.size()),
                            session_,
                            sent_.next(),
                            piece.request,
                            piece.piece,
                            slab.shape().slab_bytes};
  std::memcpy(packet.head, &header, sizeof header);
  const SealTag tag =
      to_client_.seal(header.sequence, {packet.head, sizeof header}, payload, sealed);
  std::memcpy(packet.head + sizeof header, tag.data(), tag.size());
  const bool encrypted = to_client_.kind() == SealKind::encrypted;
  packet.payload = encrypted ? std::span<const std::byte>(sealed, payload.size()) : payload;
}

bool ServerUdpTransport::send_batch(LocalInstant now) {
  if (!path_.is_confirmed || !has_more() || !pacer_.may_send(now) ||
      sent_.in_flight_bytes() >= rate_.window_bytes())
    return false;
  std::size_t count = 0;
  std::size_t bytes = 0;
  // Segmentation needs packets of equal size, so a shorter one ends the batch.
  for (bool full = true; full && count < batch_.size() && !sent_.full();) {
    const auto piece = next_piece();
    if (!piece) break;
    (piece->kind == PacketKind::data ? counters_.data_pieces : counters_.parity_pieces) += 1;
    OutgoingPacket& packet = batch_[count];
    seal_packet(*piece, *orders_.find(piece->request)->slab, packet,
                sealed_.empty() ? nullptr : sealed_.data() + count * packet_bytes_);
    const std::size_t size = packet_head_bytes + packet.payload.size();
    sent_.add(*piece, static_cast<std::uint32_t>(size), now, !has_more());
    full = size == packet_bytes_;
    bytes += size;
    ++count;
  }
  if (count == 0) return false;
  counters_.sent_bytes += bytes;
  pacer_.sent(now, bytes, rate_.pace_bytes_s());
  if (sender_.send({batch_.data(), count}, &*path_.address)) return true;
  pacer_.hold(now + full_socket_pause);  // the batch counts as lost on the way, and is sent again
  return false;
}

LocalInstant ServerUdpTransport::due() const noexcept {
  const LocalInstant timeout = std::min(sent_.timeout_at(rate_.round_trip()), path_.hello_due);
  const bool waits_for_time = path_.is_confirmed && has_more() && !sent_.full() &&
                              sent_.in_flight_bytes() < rate_.window_bytes();
  return waits_for_time ? std::min(timeout, pacer_.next()) : timeout;
}

}  // namespace tilewall::net
