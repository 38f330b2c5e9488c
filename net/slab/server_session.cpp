#include "net/slab/server_session.hpp"

#include <algorithm>
#include <cstring>

namespace tilewall {
namespace {

constexpr std::size_t most_slabs = 512;  // asked for and not arrived
constexpr Nanos full_socket_pause = std::chrono::milliseconds(1);
constexpr std::size_t most_finished = 8192;  // remembered, so that no request counts twice
constexpr double group_loss = 2e-6;          // that parity leaves
constexpr Nanos repair_slack = std::chrono::milliseconds(5);

std::uint32_t piece_bytes_of(const SlabHello& hello) {
  return hello.packet_bytes - static_cast<std::uint32_t>(packet_head_bytes);
}

OutgoingSlab::Piece piece_of(const PieceRef& ref) { return {ref.kind, ref.piece}; }

}  // namespace

SessionCounters& SessionCounters::operator+=(const SessionCounters& other) noexcept {
  slabs += other.slabs;
  sent_bytes += other.sent_bytes;
  data_pieces += other.data_pieces;
  resent_pieces += other.resent_pieces;
  parity_pieces += other.parity_pieces;
  protected_groups += other.protected_groups;
  repaired_groups += other.repaired_groups;
  return *this;
}

ServerSession::ServerSession(std::uint64_t id, const SlabHello& hello, const SessionKeys& keys,
                             double rate_bytes_s)
    : id_(id),
      hello_(hello),
      to_client_(hello.seal, keys.to_client),
      to_server_(hello.seal, keys.to_server),
      // Half: the kernel counts each packet with what it spends on it.
      rate_(rate_bytes_s, hello.receive_buffer_bytes / 2) {
  if (hello.transport != SlabTransport::udp) return;
  batch_.resize(PacketSender::batch_of(hello.packet_bytes));
  if (hello.seal == SealKind::encrypted) sealed_.resize(batch_.size() * hello.packet_bytes);
}

bool ServerSession::take(IncomingPacket& packet, const SocketAddress& from, LocalInstant now,
                         std::vector<Job>& jobs) {
  if (!received_.is_new(packet.header.sequence)) return true;
  if (!to_server_.open(packet.header.sequence, packet.head, packet.payload, packet.tag))
    return false;
  if (packet.header.sequence > received_.largest()) address_ = from;  // it may have moved
  static_cast<void>(received_.note(packet.header.sequence, now));
  switch (packet.header.kind) {
    case PacketKind::request: {
      const std::chrono::microseconds within(packet.header.slab_bytes);
      take_request(packet.header.request, packet.payload,
                   within.count() == 0 ? no_deadline : now + within, jobs);
      break;
    }
    case PacketKind::ack:
      take_ack(packet.payload, now);
      break;
    case PacketKind::cancel:
      take_cancel(packet.payload);
      break;
    case PacketKind::hello:
    case PacketKind::data:
    case PacketKind::parity:
      break;
  }
  return true;
}

void ServerSession::take(const StripeHeader& header, std::span<const std::byte> payload,
                         std::vector<Job>& jobs) {
  if (header.kind == PacketKind::request) take_request(header.request, payload, no_deadline, jobs);
  if (header.kind == PacketKind::cancel) take_cancel(payload);
}

void ServerSession::take_request(std::uint32_t request, std::span<const std::byte> payload,
                                 LocalInstant until, std::vector<Job>& jobs) {
  // A client's numbers rise. One that came back would be taken for the slab it was before.
  const bool known =
      request <= forgotten_ || orders_.contains(request) || finished_.contains(request);
  if (known || orders_.size() >= most_slabs || payload.size() > largest_request_bytes)
    return;  // a client that asks for too much at once asks again
  orders_[request].until = until;
  jobs.push_back({request, {payload.begin(), payload.end()}});
}

void ServerSession::take_cancel(std::span<const std::byte> payload) {
  for (const std::uint32_t request : parse_cancel(payload)) {
    const auto order = orders_.find(request);
    if (order == orders_.end()) continue;
    if (!order->second.slab) cancelled_.push_back(request);
    finish(order);
  }
}

void ServerSession::finish(Orders::iterator order) {
  finished_.insert(order->first);
  finished_order_.push_back(order->first);
  if (finished_order_.size() > most_finished) {
    forgotten_ = std::max(forgotten_, finished_order_.front());
    finished_.erase(finished_order_.front());
    finished_order_.pop_front();
  }
  orders_.erase(order);
}

// Where a repair would come too late, parity goes along. It comes a round trip after what it
// repairs, which is half a one away.
bool ServerSession::needs_parity(LocalInstant until, LocalInstant now) const noexcept {
  return hello_.transport == SlabTransport::udp && until != no_deadline &&
         until - now < rate_.round_trip() * 3 / 2 + repair_slack;
}

void ServerSession::slab_read(std::uint32_t request, std::shared_ptr<const SlabBuffer> slab,
                              LocalInstant now) {
  const auto found = orders_.find(request);
  if (found == orders_.end()) return;
  Order& order = found->second;
  order.slab.emplace(std::move(slab), piece_bytes_of(hello_), needs_parity(order.until, now));
  ready_.push_back(request);
}

void ServerSession::take_ack(std::span<const std::byte> payload, LocalInstant now) {
  const auto ack = parse_ack(payload);
  if (!ack) return;
  SentPackets::News news;
  sent_.on_ack(*ack, now, rate_.round_trip(), news);
  apply(news, now);
}

void ServerSession::on_timeout(LocalInstant now) {
  SentPackets::News news;
  sent_.on_timeout(now, rate_.round_trip(), news);
  apply(news, now);
}

void ServerSession::note_arrived(const PieceRef& piece) {
  const auto order = orders_.find(piece.request);
  if (order == orders_.end() || !order->second.slab->note_arrived(piece_of(piece))) return;
  const OutgoingSlab& slab = *order->second.slab;
  ++counters_.slabs;
  counters_.protected_groups += slab.has_parity() ? slab.groups() : 0;
  counters_.repaired_groups += slab.has_parity() ? slab.repaired_groups() : 0;
  finish(order);
}

void ServerSession::apply(const SentPackets::News& news, LocalInstant now) {
  if (news.has_sample) rate_.on_ack(now, news.sample);
  loss_.note(news.arrived.size(), news.lost.size());
  for (const PieceRef& piece : news.arrived) note_arrived(piece);
  for (const PieceRef& piece : news.lost) {
    const auto order = orders_.find(piece.request);
    if (order == orders_.end()) continue;
    const auto again = order->second.slab->note_lost(piece_of(piece));
    if (again) again_.push_back({piece.request, again->number, again->kind});
  }
}

bool ServerSession::has_more() const noexcept { return !again_.empty() || !ready_.empty(); }

// Lost ones first: others wait for them at the other end.
std::optional<PieceRef> ServerSession::next_piece() {
  while (!again_.empty()) {
    const PieceRef piece = again_.front();
    again_.pop_front();
    const auto order = orders_.find(piece.request);
    if (order == orders_.end() || !order->second.slab->wants(piece_of(piece))) continue;
    ++counters_.resent_pieces;
    return piece;
  }
  while (!ready_.empty()) {
    const auto order = orders_.find(ready_.front());
    const auto piece =
        order == orders_.end() ? std::nullopt : order->second.slab->next(loss_.share(), group_loss);
    if (!piece || !order->second.slab->has_next()) ready_.pop_front();
    if (piece) return PieceRef{order->first, piece->number, piece->kind};
  }
  return std::nullopt;
}

void ServerSession::seal_packet(const PieceRef& piece, const OutgoingSlab& slab,
                                OutgoingPacket& packet, std::byte* sealed) {
  const auto payload = slab.payload(piece_of(piece));
  const PacketHeader header{packet_magic,
                            piece.kind,
                            0,
                            static_cast<std::uint16_t>(payload.size()),
                            id_,
                            sent_.next(),
                            piece.request,
                            piece.piece,
                            slab.shape().slab_bytes};
  std::memcpy(packet.head, &header, sizeof header);
  const SealTag tag =
      to_client_.seal(header.sequence, {packet.head, sizeof header}, payload, sealed);
  std::memcpy(packet.head + sizeof header, tag.data(), tag.size());
  const bool encrypted = hello_.seal == SealKind::encrypted;
  packet.payload = encrypted ? std::span<const std::byte>(sealed, payload.size()) : payload;
}

bool ServerSession::send_batch(PacketSender& sender, LocalInstant now) {
  if (!address_ || !has_more() || !pacer_.may_send(now) ||
      sent_.in_flight_bytes() >= rate_.window_bytes())
    return false;
  std::size_t count = 0;
  std::size_t bytes = 0;
  // Packets of a batch are of one size: a shorter one ends it.
  for (bool full = true; full && count < batch_.size() && !sent_.full();) {
    const auto piece = next_piece();
    if (!piece) break;
    (piece->kind == PacketKind::data ? counters_.data_pieces : counters_.parity_pieces) += 1;
    OutgoingPacket& packet = batch_[count];
    seal_packet(*piece, *orders_.at(piece->request).slab, packet,
                sealed_.empty() ? nullptr : sealed_.data() + count * hello_.packet_bytes);
    const std::size_t size = packet_head_bytes + packet.payload.size();
    sent_.add(*piece, static_cast<std::uint32_t>(size), now, !has_more());
    full = size == hello_.packet_bytes;
    bytes += size;
    ++count;
  }
  if (count == 0) return false;
  counters_.sent_bytes += bytes;
  pacer_.sent(now, bytes, rate_.pace_bytes_s());
  if (sender.send({batch_.data(), count}, &*address_)) return true;
  pacer_.hold(now + full_socket_pause);  // what it did not take is lost, and sent again
  return false;
}

LocalInstant ServerSession::due() const noexcept {
  const LocalInstant timeout = sent_.timeout_at(rate_.round_trip());
  const bool waits_for_time =
      address_ && has_more() && !sent_.full() && sent_.in_flight_bytes() < rate_.window_bytes();
  return waits_for_time ? std::min(timeout, pacer_.next()) : timeout;
}

bool ServerSession::start_chunk(StripeWriter& stripe) {
  while (!ready_.empty()) {
    const auto found = orders_.find(ready_.front());
    if (found == orders_.end()) {
      ready_.pop_front();
      continue;
    }
    Order& order = found->second;
    const std::uint64_t slab_bytes = order.slab->shape().slab_bytes;
    const std::uint64_t at = order.next_byte;
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::uint64_t>(largest_chunk_bytes, slab_bytes - at));
    StripeHeader header = {};
    header.kind = PacketKind::data;
    header.request = found->first;
    header.slab_bytes = slab_bytes;
    header.offset = at;
    stripe.start(header, order.slab->bytes()->bytes().subspan(at, size), order.slab->bytes());
    counters_.sent_bytes += size;
    order.next_byte += size;
    if (order.next_byte == slab_bytes) {
      ready_.pop_front();
      ++counters_.slabs;
      finish(found);
    }
    return true;
  }
  return false;
}

}  // namespace tilewall
