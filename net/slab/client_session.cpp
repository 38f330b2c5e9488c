#include "net/slab/client_session.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t longest_answer_bytes = 64u << 20;
constexpr MessageLimits stranger_limits{4096, 0};  // until it has shown the key
constexpr std::size_t ack_every_packets = 32;
constexpr Nanos longest_ack_delay = std::chrono::milliseconds(2);
constexpr Nanos shortest_ack_gap = std::chrono::microseconds(500);
constexpr Nanos rate_period = std::chrono::milliseconds(250);
constexpr std::uint32_t fewest_ack_bits = 512;
constexpr std::uint32_t most_sent_ack_bits = 32'768;
constexpr Nanos first_patience = std::chrono::milliseconds(100);  // with a request
constexpr Nanos longest_patience = std::chrono::seconds(2);
constexpr int batches_a_turn = 64;

/// The next message of a connection. Throws JobError where none comes in time.
Json await_message(MessageStream& stream, const SocketAddress& server, LocalInstant until) {
  std::vector<Message> messages;
  for (;;) {
    if (stream.write_some() != StreamStatus::open) break;
    const Nanos left = until - local_now();
    if (left <= Nanos{0}) break;
    pollfd waiting = {stream.fd(), POLLIN, 0};
    ::poll(&waiting, 1,
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    const StreamStatus status = stream.read_some(messages);
    try {
      if (!messages.empty()) return parse_json(messages.front().text);
    } catch (const InputError&) {  // of somebody who is no server
      break;
    }
    if (status != StreamStatus::open) break;
  }
  throw JobError(
      fmt::format("{}: expected a tilewall server, found none that answers", to_string(server)));
}

MessageStream connect_to(const SocketAddress& server, std::chrono::milliseconds limit,
                         const std::function<void(int socket)>& prepare = {}) {
  UniqueFd socket = try_connect_tcp(server, limit, prepare);
  if (socket.empty())
    throw JobError(fmt::format(
        "{}: nobody answers; 'tilewall serve DIR --listen ADDRESS:PORT' starts a server",
        to_string(server)));
  return {std::move(socket), stranger_limits};
}

SlabChallenge challenge_of(MessageStream& stream, const SocketAddress& server, bool keyed,
                           LocalInstant until) {
  const SlabChallenge challenge = parse_challenge(await_message(stream, server, until));
  if (keyed && !challenge.keyed)
    throw InputError({to_string(server)}, "key", "a server that has the wall's key",
                     "one that has none");
  if (!keyed && challenge.keyed)
    throw InputError({to_string(server)}, "key", "the wall's key: give it with --key-file FILE",
                     "none");
  return challenge;
}

SealKind seal_of(const SlabSessionOptions& options) {
  if (!options.key) return SealKind::checksum;
  return options.encrypt ? SealKind::encrypted : SealKind::tag;
}

}  // namespace

ClientSession::ClientSession(const SocketAddress& server, const SlabSessionOptions& options,
                             SlabPool& pool, std::chrono::milliseconds limit)
    : pool_(pool), heard_(local_now()) {
  const LocalInstant until = local_now() + limit;
  control_.emplace(connect_to(server, limit));
  const SlabChallenge challenge = challenge_of(*control_, server, options.key.has_value(), until);
  hello_.nonce = random_nonce_hex();
  hello_.transport = options.transport;
  hello_.stripes = options.stripes;
  hello_.packet_bytes = options.packet_bytes != 0 ? options.packet_bytes : packet_bytes_to(server);
  hello_.seal = seal_of(options);
  if (options.transport == SlabTransport::udp) {
    packets_ = connect_udp(server);
    hello_.receive_buffer_bytes = prepare_packet_socket(packets_.get());
    receiver_.emplace(packets_.get(),
                      hello_.packet_bytes - static_cast<std::uint32_t>(packet_head_bytes));
    sender_.emplace(packets_.get());
  }
  const SlabHandshake handshake(options.key, challenge.nonce);
  control_->queue({text_of(handshake.hello(hello_)), {}});
  session_ = handshake.parse_welcome(hello_, await_message(*control_, server, until));
  const SessionKeys keys = handshake.keys(hello_);
  to_client_.emplace(hello_.seal, keys.to_client);
  to_server_.emplace(hello_.seal, keys.to_server);
  control_seal_.emplace(hello_.seal, ControlKeys{keys.control_to_server, keys.control_to_client});
  control_->allow(control_seal_->limits(longest_answer_bytes));
  if (options.transport == SlabTransport::tcp)
    open_stripes(server, options, limit);
  else
    send_packet(PacketKind::hello, 0, {});
}

void ClientSession::open_stripes(const SocketAddress& server, const SlabSessionOptions& options,
                                 std::chrono::milliseconds limit) {
  tuning_.round_trip = tcp_round_trip(control_->fd());
  auto shares = options.interfaces.empty()
                    ? std::vector<InterfaceShare>(static_cast<std::size_t>(options.stripes))
                    : share_interfaces(options.interfaces, options.stripes);
  for (int i = 0; i < options.stripes; ++i)
    open_stripe(server, options, i, shares[static_cast<std::size_t>(i)], limit);
}

void ClientSession::open_stripe(const SocketAddress& server, const SlabSessionOptions& options,
                                int index, const InterfaceShare& share,
                                std::chrono::milliseconds limit) {
  const LocalInstant until = local_now() + limit;
  TcpWindow window;
  MessageStream stream = connect_to(server, limit, [&](int socket) {
    if (!options.interfaces.empty())
      bind_to_interface(socket, options.interfaces[share.interface], server.family());
    const double bytes_s =
        share.bytes_s > 0 ? share.bytes_s : assumed_path_bytes_s / options.stripes;
    window = widen_tcp(socket, TcpEnd::receives,
                       tcp_window_bytes(bytes_s, tuning_.round_trip, options.stripes));
  });
  const SlabChallenge challenge = challenge_of(stream, server, options.key.has_value(), until);
  const SlabHandshake handshake(options.key, challenge.nonce);
  const SlabHandshake::Stripe asked{session_, index, static_cast<std::uint64_t>(share.bytes_s)};
  stream.queue({text_of(handshake.stripe(asked)), {}});
  const auto joined = handshake.parse_joined(asked, await_message(stream, server, until));
  if (stripes_.empty()) tuning_.congestion_control = joined.congestion_control;
  tuning_.window_bytes += std::min(window.bytes, joined.window_bytes);
  tuning_.wanted_window_bytes += std::min(window.wanted_bytes, joined.wanted_window_bytes);
  Stripe& stripe = stripes_.emplace_back();
  stripe.socket = stream.release();
  stripe.reader.emplace(stripe.socket.get(), index, *to_client_);
  stripe.writer.emplace(stripe.socket.get(), index, *to_server_);
}

void ClientSession::send_packet(PacketKind kind, std::uint32_t request,
                                std::span<const std::byte> payload, std::uint64_t within_us) {
  OutgoingPacket packet;
  const PacketHeader header{
      packet_magic, kind,        0,       static_cast<std::uint16_t>(payload.size()),
      session_,     ++sequence_, request, 0,
      within_us};
  std::memcpy(packet.head, &header, sizeof header);
  std::vector<std::byte> sealed(hello_.seal == SealKind::encrypted ? payload.size() : 0);
  const SealTag tag =
      to_server_->seal(header.sequence, {packet.head, sizeof header}, payload, sealed.data());
  std::memcpy(packet.head + sizeof header, tag.data(), tag.size());
  packet.payload =
      hello_.seal == SealKind::encrypted ? std::span<const std::byte>(sealed) : payload;
  static_cast<void>(sender_->send({&packet, 1}, nullptr));  // one that is lost is sent again
}

Nanos ClientSession::patience() const noexcept {
  return round_trip_ == Nanos{0} ? first_patience : round_trip_ * 2 + std::chrono::milliseconds(30);
}

void ClientSession::send_request(std::uint32_t request, const Pending& pending, LocalInstant now) {
  std::uint64_t within_us = 0;
  if (pending.until != no_deadline)
    within_us = static_cast<std::uint64_t>(
        std::clamp<std::int64_t>((pending.until - now).count() / 1000, 1, largest_slab_bytes));
  send_packet(PacketKind::request, request, pending.payload, within_us);
}

std::uint32_t ClientSession::fetch(std::span<const std::byte> words, LocalInstant until) {
  const std::uint32_t request = next_request_++;
  const LocalInstant now = local_now();
  if (requests_.empty()) heard_ = now;  // its silence counts from here
  Pending& pending = requests_[request];
  pending.payload.assign(words.begin(), words.end());
  pending.until = until;
  pending.asked = now;
  pending.ask_again = now + patience();
  if (hello_.transport == SlabTransport::udp) {
    send_request(request, pending, now);
    return request;
  }
  StripeHeader header = {};
  header.kind = PacketKind::request;
  header.request = request;
  waiting_heads_.push_back(header);
  waiting_.push_back(pending.payload);
  static_cast<void>(write_stripes());
  return request;
}

void ClientSession::cancel(const std::vector<std::uint32_t>& requests) {
  std::vector<std::byte> payload(requests.size() * sizeof(std::uint32_t));
  if (!requests.empty()) std::memcpy(payload.data(), requests.data(), payload.size());
  for (const std::uint32_t request : requests) {
    for (Stripe& stripe : stripes_) stripe.reader->forget(request);
    requests_.erase(request);
  }
  for (std::size_t at = 0; at < payload.size(); at += smallest_piece_bytes) {
    const std::size_t size = std::min(smallest_piece_bytes, payload.size() - at);
    const std::span<const std::byte> part(payload.data() + at, size);
    if (hello_.transport == SlabTransport::udp) {
      send_packet(PacketKind::cancel, 0, part);
      continue;
    }
    StripeHeader header = {};
    header.kind = PacketKind::cancel;
    waiting_heads_.push_back(header);
    waiting_.emplace_back(part.begin(), part.end());
  }
  static_cast<void>(write_stripes());
}

void ClientSession::ask(const Json& question) {
  control_->queue(control_seal_->seal(text_of(question)));
}

std::vector<pollfd> ClientSession::watched() const {
  const auto events = [](bool writes) {
    return static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN);
  };
  std::vector<pollfd> watched = {{control_->fd(), events(control_->wants_write()), 0}};
  if (hello_.transport == SlabTransport::udp) watched.push_back({packets_.get(), POLLIN, 0});
  for (const Stripe& stripe : stripes_)
    watched.push_back({stripe.socket.get(), events(!stripe.writer->idle()), 0});
  return watched;
}

LocalInstant ClientSession::due() const {
  LocalInstant due = LocalInstant{Nanos::max()};
  if (unacked_ > 0) due = ack_due_;
  if (hello_.transport == SlabTransport::udp)
    for (const auto& [request, pending] : requests_)
      if (!pending.slab) due = std::min(due, pending.ask_again);
  return due;
}

bool ClientSession::step(LocalInstant now, Events& events) {
  now_ = now;
  if (!read_control(events)) return false;
  if (hello_.transport == SlabTransport::tcp) return read_stripes(events) && write_stripes();
  read_packets(now, events);
  ask_again(now);
  return true;
}

bool ClientSession::read_control(Events& events) {
  std::vector<Message> messages;
  if (control_->write_some() != StreamStatus::open) return false;
  const StreamStatus status = control_->read_some(messages);
  for (Message& message : messages)
    events.answers.push_back(parse_json(control_seal_->open(std::move(message))));
  return status == StreamStatus::open;
}

ClientSession::Requests::iterator ClientSession::piece_came(std::uint32_t request,
                                                            std::uint64_t slab_bytes) {
  heard_ = now_;
  const auto found = requests_.find(request);
  if (found == requests_.end()) return found;
  Pending& pending = found->second;
  if (pending.slab) return pending.slab->shape().slab_bytes == slab_bytes ? found : requests_.end();
  const std::uint32_t piece =
      hello_.transport == SlabTransport::udp
          ? hello_.packet_bytes - static_cast<std::uint32_t>(packet_head_bytes)
          : largest_chunk_bytes;
  pending.slab.emplace(SlabShape{slab_bytes, piece},
                       pool_.take(static_cast<std::size_t>(slab_bytes)));
  const Nanos took = heard_ - pending.asked;
  if (pending.times == 1)
    round_trip_ = round_trip_ == Nanos{0} ? took : (round_trip_ * 7 + took) / 8;
  return found;
}

void ClientSession::finish(Requests::iterator request, Events& events) {
  counters_.received_bytes += request->second.slab->shape().slab_bytes;
  for (Stripe& stripe : stripes_) stripe.reader->forget(request->first);
  events.slabs.push_back({request->first, request->second.slab->finish()});
  requests_.erase(request);
}

bool ClientSession::read_stripes(Events& events) {
  StripeReader::Handler handler;
  handler.place = [&](const StripeHeader& header) -> std::byte* {
    if (header.kind != PacketKind::data || header.offset % largest_chunk_bytes != 0) return nullptr;
    const auto request = piece_came(header.request, header.slab_bytes);
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
    // A chunk that was dropped, or cancelled while it came, lies elsewhere.
    if (!slab.wants(piece) || slab.place(piece) != payload.data()) return;
    slab.mark(piece);
    if (slab.missing() == 0) finish(request, events);
  };
  for (Stripe& stripe : stripes_)
    if (stripe.reader->read_some(handler) != StripeStatus::open) return false;
  return true;
}

bool ClientSession::write_stripes() {
  if (stripes_.empty()) return true;
  StripeWriter& first = *stripes_.front().writer;
  for (;;) {
    if (first.write_some() != StripeStatus::open) return false;
    if (!first.idle() || waiting_.empty()) return true;
    const auto payload =
        std::make_shared<const std::vector<std::byte>>(std::move(waiting_.front()));
    first.start(waiting_heads_.front(), *payload, payload);
    waiting_.pop_front();
    waiting_heads_.pop_front();
  }
}

// Where the next packets' payloads belong if they come in order: behind the newest piece.
std::vector<std::byte*> ClientSession::expected() const {
  std::vector<std::byte*> places;
  const auto found = requests_.find(last_request_);
  if (found == requests_.end() || !found->second.slab) return places;
  const IncomingSlab& slab = *found->second.slab;
  for (std::size_t i = 0; i < receiver_->batch(); ++i) {
    const std::uint32_t piece = next_piece_ + static_cast<std::uint32_t>(i);
    // The last piece is shorter than what a packet may bring.
    const bool whole =
        slab.wants(piece) && slab.shape().bytes_of(piece) == slab.shape().piece_bytes;
    places.push_back(whole ? slab.place(piece) : nullptr);
  }
  return places;
}

void ClientSession::read_packets(LocalInstant now, Events& events) {
  for (int turn = 0; turn < batches_a_turn; ++turn) {
    const auto packets = receiver_->receive(expected());
    if (!receiver_->got_anything()) break;
    take_batch(packets, now, events);
  }
  if (unacked_ > 0 && ack_due_ <= now) send_ack(now);
}

bool ClientSession::lies_aside(const IncomingPacket& packet) const {
  return packet.payload.data() >= misplaced_.data() &&
         packet.payload.data() < misplaced_.data() + misplaced_.size();
}

/// Whether the payload lies where it belongs, and nothing came there before.
bool ClientSession::is_in_place(const IncomingPacket& packet) const {
  const auto request = requests_.find(packet.header.request);
  return packet.header.kind == PacketKind::data && request != requests_.end() &&
         request->second.slab && request->second.slab->wants(packet.header.piece) &&
         request->second.slab->place(packet.header.piece) == packet.payload.data();
}

// A piece that lies where another one belongs must not be overwritten before it is moved: all that
// lie wrong are first put aside.
void ClientSession::take_batch(std::span<IncomingPacket> packets, LocalInstant now,
                               Events& events) {
  std::size_t aside = 0;
  misplaced_.resize(packets.size() * hello_.packet_bytes);
  for (IncomingPacket& packet : packets) {
    const PacketHeader& header = packet.header;
    const bool is_piece = header.session == session_ &&
                          (header.kind == PacketKind::data || header.kind == PacketKind::parity) &&
                          packet.payload.size() <= hello_.packet_bytes - packet_head_bytes;
    if (!is_piece || !received_.is_new(header.sequence)) {
      counters_.malformed_packets += is_piece ? 0 : 1;
      packet.payload = {};
      packet.header.kind = PacketKind::hello;  // is passed over below
      if (is_piece) static_cast<void>(received_.note(header.sequence, now));
      continue;
    }
    if (is_in_place(packet)) continue;
    std::memcpy(misplaced_.data() + aside, packet.payload.data(), packet.payload.size());
    packet.payload = {misplaced_.data() + aside, packet.payload.size()};
    aside += packet.payload.size();
  }
  for (IncomingPacket& packet : packets) {
    const PacketHeader& header = packet.header;
    if (header.kind == PacketKind::hello || !received_.is_new(header.sequence)) continue;
    // Opening may write: never where a piece lies that has come, since the batch was sorted.
    if (!lies_aside(packet) && !is_in_place(packet)) continue;
    if (!to_client_->open(header.sequence, packet.head, packet.payload, packet.tag)) {
      ++counters_.malformed_packets;
      continue;
    }
    const std::uint64_t before = received_.largest();
    if (!received_.note(header.sequence, now)) continue;
    gap_ |= header.sequence != before + 1;
    ++counters_.packets;
    ++rate_packets_;
    if (unacked_++ == 0) ack_due_ = now + longest_ack_delay;
    if (header.kind == PacketKind::parity)
      take_parity(packet, events);
    else
      take_piece(packet, packet.payload, events);
  }
  const bool soon =
      unacked_ >= ack_every_packets || (gap_ && now - rate_since_ >= shortest_ack_gap);
  if (unacked_ > 0 && soon) send_ack(now);
}

void ClientSession::take_piece(IncomingPacket& packet, std::span<const std::byte> payload,
                               Events& events) {
  const PacketHeader& header = packet.header;
  const auto request = piece_came(header.request, header.slab_bytes);
  if (request == requests_.end()) return;
  IncomingSlab& slab = *request->second.slab;
  if (!slab.wants(header.piece) || slab.shape().bytes_of(header.piece) != payload.size()) return;
  std::byte* const place = slab.place(header.piece);
  if (place != payload.data() && !payload.empty()) {
    std::memcpy(place, payload.data(), payload.size());
    ++counters_.copied_pieces;
  }
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
  if (slab.missing() == 0) finish(request, events);
}

void ClientSession::take_parity(const IncomingPacket& packet, Events& events) {
  const auto request = piece_came(packet.header.request, packet.header.slab_bytes);
  if (request == requests_.end()) return;
  Pending& pending = request->second;
  const ParityPiece piece = ParityPiece::from(packet.header.piece);
  if (!pending.parity) pending.parity.emplace(pending.slab->shape());
  pending.parity->add(piece, packet.payload, *pending.slab);
  recover(pending, piece.group);
  if (pending.slab->missing() == 0) finish(request, events);
}

void ClientSession::recover(Pending& pending, std::uint32_t group) {
  if (pending.parity->has(group))
    counters_.recovered_pieces += pending.parity->recover(group, *pending.slab);
}

void ClientSession::send_ack(LocalInstant now) {
  if (now - rate_since_ >= rate_period) {
    ack_bits_ =
        std::clamp(static_cast<std::uint32_t>(rate_packets_), fewest_ack_bits, most_sent_ack_bits);
    rate_packets_ = 0;
    rate_since_ = now;
  }
  const auto payload = received_.ack(now, ack_bits_);
  send_packet(PacketKind::ack, 0, payload);
  unacked_ = 0;
  gap_ = false;
}

void ClientSession::ask_again(LocalInstant now) {
  for (auto& [request, pending] : requests_) {
    if (pending.slab || pending.ask_again > now) continue;
    send_request(request, pending, now);
    ++pending.times;
    pending.ask_again = now + std::min(patience() * pending.times, longest_patience);
  }
}

std::optional<LocalInstant> ClientSession::silent_since() const {
  return requests_.empty() ? std::nullopt : std::optional(heard_);
}

ReceiveCounters ClientSession::counters() const {
  ReceiveCounters counters = counters_;
  counters.lost_packets =
      received_.largest() > received_.received() ? received_.largest() - received_.received() : 0;
  counters.repeated_packets = received_.repeated();
  if (receiver_) counters.malformed_packets += receiver_->malformed();
  return counters;
}

}  // namespace tilewall
