// A client of a slab server that asks for much by UDP and lets the answers go to somebody else, or
// to nobody.

#include <poll.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

#include "net/slab/packet_socket.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;

namespace {

constexpr std::uint64_t asked_slab_bytes = 4 << 20;
constexpr int asked_slabs = 16;

/// A session by UDP whose client sends requests, and acks what the test wants it to.
struct SilentClient {
  SilentClient(std::uint16_t port, const char* from)
      : control(try_connect_tcp(local(port), 5s)), socket(bind_udp(resolve(from, "test"))) {
    const SlabHandshake handshake({}, parse_challenge(control.next()).nonce);
    SlabHello hello = hello_of(SealKind::checksum);
    hello.receive_buffer_bytes = std::uint64_t{1} << 40;
    control.stream.queue({handshake.hello(hello).dump(), {}});
    session = handshake.parse_welcome(hello, control.next());
    const SocketAddress server = local(port);
    REQUIRE(::connect(socket.get(), server.raw(), server.length) == 0);
    static_cast<void>(prepare_packet_socket(socket.get()));
  }

  void send(PacketKind kind, std::uint32_t request, std::span<const std::byte> payload) {
    const PacketHeader header{
        packet_magic, kind, 0, static_cast<std::uint16_t>(payload.size()), session, ++sequence,
        request,      0,    0};
    OutgoingPacket packet;
    std::memcpy(packet.head, &header, sizeof header);
    const SealTag tag =
        seal.seal(header.sequence, std::span(packet.head).first(sizeof header), payload, nullptr);
    std::memcpy(packet.head + sizeof header, tag.data(), tag.size());
    packet.payload = payload;
    CHECK(PacketSender(socket.get()).send({&packet, 1}, nullptr));
    sent_bytes += packet_head_bytes + payload.size();
  }
  void ask_for_all() {
    for (std::uint32_t i = 1; i <= asked_slabs; ++i)
      send(PacketKind::request, i, numbers_request(i, asked_slab_bytes));
  }
  void ack(std::uint64_t number) {
    const AckHeader header{number, 1, 0, 0};
    send(PacketKind::ack, 0, std::as_bytes(std::span(&header, 1)));
  }
  /// Bytes that have arrived, once nothing has come for a second.
  std::size_t received_bytes() {
    PacketReceiver receiver(socket.get(), 1452 - packet_head_bytes);
    std::size_t bytes = 0;
    for (pollfd something = {socket.get(), POLLIN, 0}; ::poll(&something, 1, 1000) == 1;)
      for (const IncomingPacket& packet : receiver.receive({}))
        bytes += packet_head_bytes + packet.payload.size();
    return bytes;
  }

  RawPeer control;
  UniqueFd socket;
  PacketSeal seal{SealKind::checksum, {}};
  std::uint64_t session = 0;
  std::uint64_t sequence = 0;
  std::size_t sent_bytes = 0;
};

const SlabServerOptions reflecting{resolve("127.0.0.1:0", "test")};

}  // namespace

TEST_CASE("requests by UDP without an ack bring no more than three times their bytes", "[attack]") {
  Numbers source;
  RunningServer server(reflecting, source);
  SilentClient client(server.port(), "127.0.0.1:0");
  client.ask_for_all();
  const std::size_t bytes = client.received_bytes();
  CHECK(bytes > 0);
  CHECK(bytes <= 3 * client.sent_bytes);
  // One ack, and then silence: the first window of 64 packets, and probes for what became of it.
  client.ack(1);
  CHECK(client.received_bytes() <= 128 * 1452);
}

TEST_CASE("a slab server sends to no other host than that of the control connection", "[attack]") {
  Numbers source;
  RunningServer server(reflecting, source);
  SilentClient client(server.port(), "127.0.0.2:0");
  client.ask_for_all();
  for (std::uint64_t number = 1; number < 4; ++number) client.ack(number);
  CHECK(client.received_bytes() == 0);
  CHECK(server.status().malformed >= asked_slabs);
}
