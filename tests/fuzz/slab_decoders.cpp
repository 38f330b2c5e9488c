// Slabs: packets, chunks of stripes, seals, and the state that either side keeps of them.

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "net/control/control_seal.hpp"
#include "net/slab/incoming_parity.hpp"
#include "net/slab/incoming_slab.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/server_session.hpp"
#include "net/slab/stripe.hpp"
#include "sync/base/check.hpp"
#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

using namespace net;
namespace {

constexpr std::uint64_t session_id = 0x1122334455667788;
constexpr std::uint32_t piece_bytes = 1024;
constexpr std::uint64_t most_slab_bytes = 300'000;  // of those made here
constexpr LocalInstant start{std::chrono::seconds(1000)};

/// What is left of an input, taken from its front; zeros behind its end.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> input) : left_(input) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  template <typename Value>
  [[nodiscard]] Value take() {
    Value value = {};
    const auto part = bytes(sizeof value);
    if (!part.empty()) std::memcpy(&value, part.data(), part.size());
    return value;
  }
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t most) {
    const auto part = left_.first(std::min(most, left_.size()));
    left_ = left_.subspan(part.size());
    return part;
  }

 private:
  std::span<const std::byte> left_;
};

struct SocketPair {
  UniqueFd peer;
  UniqueFd own;
};

SocketPair connected() {
  std::array<int, 2> ends{};
  check_sys(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), "socketpair");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

PacketSeal checksum() { return {SealKind::checksum, {}}; }

Bytes packet(PacketHeader header, std::span<const std::byte> payload) {
  header.magic = packet_magic;
  header.session = session_id;
  header.payload_bytes = static_cast<std::uint16_t>(payload.size());
  const auto plain = joined(header);
  const SealTag tag = checksum().seal(header.sequence, plain, payload, nullptr);
  Bytes whole = joined(header, tag);
  whole.insert(whole.end(), payload.begin(), payload.end());
  return whole;
}

Bytes ack_of(std::uint64_t largest) {
  ReceivedPackets received;
  for (std::uint64_t i = 1; i <= largest; ++i)
    if (i % 3 != 0) static_cast<void>(received.note(i, start));
  const auto payload = received.ack(start, 64);
  PacketHeader header = {};
  header.kind = PacketKind::ack;
  header.sequence = 9;
  return packet(header, payload);
}

Bytes request_of(std::uint32_t request, std::uint64_t sequence) {
  PacketHeader header = {};
  header.kind = PacketKind::request;
  header.request = request;
  header.sequence = sequence;
  header.slab_bytes = request % 2 == 0 ? 500 : 0;
  return packet(header, bytes_of("which"));
}

Bytes cancel_of(std::uint32_t request, std::uint64_t sequence) {
  PacketHeader header = {};
  header.kind = PacketKind::cancel;
  header.sequence = sequence;
  return packet(header, joined(request, request + 1));
}

/// Each behind its length, as decode_session() takes them.
Bytes in_line(const std::vector<Bytes>& packets) {
  Bytes line;
  for (const Bytes& one : packets) {
    const auto length = joined(static_cast<std::uint16_t>(one.size()));
    line.insert(line.end(), length.begin(), length.end());
    line.insert(line.end(), one.begin(), one.end());
  }
  return line;
}

void decode_packet(std::span<const std::byte> input) {
  PacketHeader header = {};
  if (input.size() < packet_head_bytes) return;
  std::memcpy(&header, input.data(), sizeof header);
  if (!check_packet(header, input.size())) return;
  const auto payload = input.subspan(packet_head_bytes);
  TW_CHECK(payload.size() == header.payload_bytes && header.slab_bytes <= largest_slab_bytes);
  const auto numbers = parse_cancel(payload);
  TW_CHECK(numbers.size() == payload.size() / sizeof(std::uint32_t));
  const auto ack = parse_ack(payload);
  if (!ack) return;
  for (std::uint32_t i = 0; i < ack->header.bitmap_bits; ++i)
    static_cast<void>(ack->came(ack->header.largest - ack->header.bitmap_bits + i));
  SentPackets sent;
  for (std::uint32_t piece = 0; piece < 100; ++piece)
    sent.add({1, piece, PacketKind::data}, 1000, start, false);
  SentPackets::News news;
  sent.on_ack(*ack, start + std::chrono::milliseconds(5), std::chrono::milliseconds(5), news);
  TW_CHECK(news.arrived.size() + news.lost.size() <= 100);
  TW_CHECK(sent.in_flight_bytes() == 1000 * (100 - news.arrived.size() - news.lost.size()));
}

/// A socket that hears itself.
const UniqueFd& echo() {
  static const UniqueFd socket = [] {
    UniqueFd own = bind_udp(resolve("127.0.0.1:0", "fuzz"));
    const SocketAddress address = local_address(own.get());
    check_sys(::connect(own.get(), address.raw(), address.length), "connect");
    static_cast<void>(prepare_packet_socket(own.get()));
    return own;
  }();
  return socket;
}

/// The first two bytes say in which parts the kernel sends the others, and puts them together
/// again.
void decode_datagrams(std::span<const std::byte> input) {
  static PacketReceiver receiver(echo().get(), piece_bytes);
  Reader reader(input);
  const int segment = reader.take<std::uint16_t>();
  const auto line = reader.bytes(65'000);
  ::setsockopt(echo().get(), SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
  static_cast<void>(::send(echo().get(), line.data(), line.size(), MSG_DONTWAIT));
  for (;;) {
    const auto packets = receiver.receive({});
    if (!receiver.got_anything()) return;
    std::size_t bytes = 0;
    for (const IncomingPacket& one : packets) {
      TW_CHECK(one.header.payload_bytes == one.payload.size());
      bytes += packet_head_bytes + one.payload.size();
    }
    TW_CHECK(bytes <= line.size());
  }
}

void read_stripe(std::span<const std::byte> input) {
  const SocketPair pair = connected();
  PacketSeal seal = checksum();
  StripeReader reader(pair.own.get(), 2, seal);
  std::vector<std::byte> place(largest_chunk_bytes);
  std::size_t bytes = 0;
  StripeReader::Handler handler;
  handler.place = [&](const StripeHeader& header) {
    TW_CHECK(header.bytes <= largest_chunk_bytes);
    return header.request % 2 == 0 ? nullptr : place.data();
  };
  handler.done = [&](const StripeHeader& header, std::span<const std::byte> payload) {
    bytes += stripe_head_bytes + payload.size();
    reader.forget(header.request);
  };
  StripeStatus status = StripeStatus::open;
  for (std::size_t at = 0; at < input.size() && status == StripeStatus::open; at += 4000) {
    const auto part = input.subspan(at, std::min<std::size_t>(4000, input.size() - at));
    check_sys(::write(pair.peer.get(), part.data(), part.size()), "write");
    status = reader.read_some(handler);
    reader.forget(1);  // in the midst of a chunk
  }
  TW_CHECK(bytes <= input.size());
}

/// As it is, and as a peer would send it who has the key: its tags and numbers right.
void decode_stripe(std::span<const std::byte> input) {
  read_stripe(input);
  Bytes sealed(input.begin(), input.end());
  PacketSeal seal = checksum();
  std::uint64_t chunk = 0;
  for (std::size_t at = 0; at + stripe_head_bytes <= sealed.size();) {
    StripeHeader header = {};
    std::memcpy(&header, sealed.data() + at, sizeof header);
    header.magic = stripe_magic;
    header.sequence = stripe_sequence(2, ++chunk);
    std::memcpy(sealed.data() + at, &header, sizeof header);
    const std::size_t payload_at = at + stripe_head_bytes;
    if (header.bytes > sealed.size() - payload_at) break;
    const SealTag tag = seal.seal(header.sequence, {sealed.data() + at, sizeof header},
                                  {sealed.data() + payload_at, header.bytes}, nullptr);
    std::memcpy(sealed.data() + at + sizeof header, tag.data(), tag.size());
    at = payload_at + header.bytes;
  }
  read_stripe(sealed);
}

Bytes chunk(PacketKind kind, std::uint32_t request, std::uint64_t n) {
  const Bytes payload = bytes_of("some bytes of a slab");
  StripeHeader header = {};
  header.magic = stripe_magic;
  header.kind = kind;
  header.request = request;
  header.bytes = static_cast<std::uint32_t>(payload.size());
  header.slab_bytes = kind == PacketKind::data ? 1000 : 0;
  header.sequence = stripe_sequence(2, n);
  const SealTag tag = checksum().seal(header.sequence, joined(header), payload, nullptr);
  Bytes whole = joined(header, tag);
  whole.insert(whole.end(), payload.begin(), payload.end());
  return whole;
}

constexpr std::size_t sealed_head_bytes = 40;

/// kind, sequence, tag, header of 40 bytes, payload.
void decode_seal(std::span<const std::byte> input) {
  static std::array<PacketSeal, 3> seals = {PacketSeal(SealKind::checksum, {}),
                                            PacketSeal(SealKind::tag, {}),
                                            PacketSeal(SealKind::encrypted, {})};
  Reader reader(input);
  PacketSeal& seal = seals[reader.take<std::uint8_t>() % seals.size()];
  const auto sequence = reader.take<std::uint64_t>();
  const auto tag = reader.take<SealTag>();
  const auto head = reader.bytes(sealed_head_bytes);
  const auto rest = reader.bytes(input.size());
  Bytes payload(rest.begin(), rest.end());
  if (!seal.open(sequence, head, payload, tag)) return;
  Bytes again(payload.size());
  TW_CHECK(seal.seal(sequence, head, payload, again.data()) == tag);
}

std::vector<Bytes> sealed_packets() {
  std::vector<Bytes> all;
  for (const SealKind kind : {SealKind::checksum, SealKind::tag, SealKind::encrypted}) {
    const std::array<std::byte, sealed_head_bytes> head{};
    Bytes payload = bytes_of("a payload of some bytes");
    PacketSeal seal(kind, {});
    const SealTag tag = seal.seal(7, head, payload, payload.data());
    Bytes whole = joined(static_cast<std::uint8_t>(kind), std::uint64_t{7}, tag, head);
    whole.insert(whole.end(), payload.begin(), payload.end());
    all.push_back(std::move(whole));
  }
  return all;
}

/// kind, the bytes of the tag, these, the text.
void decode_control(std::span<const std::byte> input) {
  Reader reader(input);
  const auto kind = static_cast<SealKind>(reader.take<std::uint8_t>() % 3);
  const auto tag = reader.bytes(reader.take<std::uint8_t>());
  const auto rest = text_of(reader.bytes(input.size()));
  Message message{std::string(rest), {}};
  for (const std::byte byte : tag) message.blob.push_back(std::to_integer<std::uint8_t>(byte));
  refusing([&] {
    const Message sealed = ControlSeal(kind, {}).seal(ControlSeal(kind, {}).open(message));
    TW_CHECK(sealed.text == rest && sealed.blob == message.blob);
  });
}

std::vector<Bytes> control_messages() {
  std::vector<Bytes> all;
  for (const SealKind kind : {SealKind::checksum, SealKind::tag, SealKind::encrypted})
    for (const std::vector<std::uint8_t>& blob : {std::vector<std::uint8_t>{}, {1, 2, 3}}) {
      const Message message = ControlSeal(kind, {}).seal({"{\"type\":\"list\"}", blob});
      Bytes whole = joined(kind, static_cast<std::uint8_t>(message.blob.size()));
      for (const std::uint8_t byte : message.blob) whole.push_back(std::byte{byte});
      const Bytes text = bytes_of(message.text);
      whole.insert(whole.end(), text.begin(), text.end());
      all.push_back(std::move(whole));
    }
  return all;
}

std::shared_ptr<const SlabBuffer> slab_of(std::uint64_t bytes) {
  auto slab = std::make_shared<SlabBuffer>();
  slab->resize(bytes);
  if (bytes > 0) std::memset(slab->data(), 1, bytes);
  return slab;
}

/// Packets of a client that has the key, each behind its length: what it asks for is read at once,
/// and sent.
void decode_session(std::span<const std::byte> input) {
  static const UniqueFd socket = bind_udp(resolve("127.0.0.1:0", "fuzz"));
  const SocketAddress deaf = local_address(socket.get());
  SlabHello hello;
  hello.packet_bytes = piece_bytes + static_cast<std::uint32_t>(packet_head_bytes);
  hello.receive_buffer_bytes = 1 << 20;
  PacketSender sender(socket.get());
  ServerSession session(session_id, hello, {}, {deaf}, 0, sender);
  LocalInstant now = start;
  ServerUdpTransport& udp = *session.udp();
  std::vector<SlabJob> jobs;
  for (Reader reader(input); !reader.empty(); now = now + std::chrono::milliseconds(3)) {
    const auto one = reader.bytes(reader.take<std::uint16_t>());
    if (one.size() < packet_head_bytes) continue;
    Bytes bytes(one.begin(), one.end());
    IncomingPacket packet;
    std::memcpy(&packet.header, bytes.data(), sizeof packet.header);
    if (!check_packet(packet.header, bytes.size())) continue;
    packet.head = std::span(bytes).first(sizeof packet.header);
    packet.payload = std::span(bytes).subspan(packet_head_bytes);
    packet.tag = checksum().seal(packet.header.sequence, packet.head, packet.payload, nullptr);
    TW_CHECK(udp.take(packet, deaf, now, jobs));
    for (const SlabJob& job : std::exchange(jobs, {}))
      session.slab_read(job.request, slab_of(job.request % most_slab_bytes), now);
    udp.on_timeout(now);
    for (int i = 0; i < 4 && udp.send_batch(now); ++i) {
    }
    static_cast<void>(udp.due());
  }
}

/// A slab's size, then its pieces, of data or parity, each with its number and a length.
void decode_pieces(std::span<const std::byte> input) {
  Reader reader(input);
  const SlabShape shape{reader.take<std::uint32_t>() % most_slab_bytes, piece_bytes};
  SlabBuffer memory;
  memory.resize(shape.slab_bytes);
  IncomingSlab slab(shape, std::move(memory));
  IncomingParity parity(shape);
  while (!reader.empty() && slab.missing() > 0) {
    const bool is_parity = reader.take<std::uint8_t>() % 2 != 0;
    const auto number = reader.take<std::uint32_t>();
    const auto size = reader.take<std::uint16_t>();
    Bytes payload(size % (piece_bytes + 1), reader.take<std::byte>());
    if (is_parity) {
      const ParityPiece piece = ParityPiece::from(number);
      parity.add(piece, payload, slab);
      if (parity.has(piece.group)) static_cast<void>(parity.recover(piece.group, slab));
    } else if (slab.wants(number) && shape.bytes_of(number) == payload.size()) {
      std::ranges::copy(payload, slab.place(number));
      slab.mark(number);
      if (parity.has(parity.groups().of(number)))
        static_cast<void>(parity.recover(parity.groups().of(number), slab));
    }
  }
  if (slab.missing() == 0) TW_CHECK(slab.finish().size() == shape.slab_bytes);
}

Bytes pieces() {
  Bytes all = joined(std::uint32_t{5 * piece_bytes + 9});
  const auto add = [&](std::uint8_t parity, std::uint32_t number, std::uint16_t size) {
    const Bytes one = joined(parity, number, size, std::byte{3});
    all.insert(all.end(), one.begin(), one.end());
  };
  for (const std::uint32_t number : {0U, 2U, 3U}) add(0, number, piece_bytes);
  add(0, 5, 9);
  add(1, 0, piece_bytes);
  add(1, 1, piece_bytes);
  return all;
}

}  // namespace

std::vector<Decoder> slab_decoders() {
  Bytes datagrams = joined(static_cast<std::uint16_t>(request_of(1, 1).size()));
  for (std::uint32_t i = 1; i <= 3; ++i) {
    const Bytes one = request_of(i, i);
    datagrams.insert(datagrams.end(), one.begin(), one.end());
  }
  const std::vector<Bytes> session = {request_of(5000, 1), request_of(7001, 2), ack_of(8),
                                      cancel_of(5000, 10), request_of(290'001, 11)};
  Bytes chunks = chunk(PacketKind::data, 1, 1);
  StripeHeader huge = {};  // of which nothing must be kept, though it is to be forgotten
  huge.magic = stripe_magic;
  huge.request = 1;
  huge.bytes = UINT32_MAX;
  const Bytes second = chunk(PacketKind::request, 2, 2);
  chunks.insert(chunks.end(), second.begin(), second.end());
  return {{"packet", {ack_of(50), request_of(1, 1), cancel_of(3, 2)}, decode_packet},
          {"datagrams", {datagrams}, decode_datagrams},
          {"stripe", {chunks}, decode_stripe, false, {joined(huge, SealTag{})}},
          {"seal", sealed_packets(), decode_seal},
          {"control", control_messages(), decode_control},
          {"session", {in_line(session)}, decode_session},
          {"pieces", {pieces()}, decode_pieces}};
}

}  // namespace tilewall::fuzz
