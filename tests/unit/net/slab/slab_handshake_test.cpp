// The messages that begin a session, and the packet that opens a path, as they stand on the wire.

#include <sys/socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

#include "net/slab/client_connection.hpp"
#include "net/slab/handshake.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/server_session.hpp"
#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "tests/support/hex_bytes.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;

namespace {

const std::string server_nonce(32, 'a');

SlabHello hello_to_provider() {
  SlabHello hello;
  hello.nonce = std::string(32, 'b');
  hello.packet_bytes = 8952;
  hello.receive_buffer_bytes = 1 << 20;
  hello.udp_port = 50'001;
  hello.seal = SealKind::tag;
  return hello;
}

/// The packets that wait at a socket, one by one.
/// Whether the session takes a packet of this kind. An ack is for the packet `acked`.
bool taken(ServerUdpTransport& udp, PacketKind kind, std::uint64_t sequence,
           const SocketAddress& from, LocalInstant now, std::vector<SlabJob>& jobs,
           std::uint64_t acked = 1) {
  std::vector<std::byte> payload;
  if (kind == PacketKind::ack) {
    const AckHeader ack{acked, 1, 0, 0};
    payload.resize(sizeof ack);
    std::memcpy(payload.data(), &ack, sizeof ack);
  }
  const PacketHeader header{packet_magic,
                            kind,
                            0,
                            static_cast<std::uint16_t>(payload.size()),
                            0x1122334455667788,
                            sequence,
                            1,
                            0,
                            0};
  std::array<std::byte, sizeof header> head;
  std::memcpy(head.data(), &header, sizeof header);
  PacketSeal seal(SealKind::checksum, {});
  IncomingPacket packet{header, head, seal.seal(sequence, head, payload, nullptr), payload};
  return udp.take(packet, from, now, jobs);
}

std::vector<std::vector<std::byte>> datagrams_at(int socket) {
  std::vector<std::vector<std::byte>> all;
  for (std::vector<std::byte> one(2000);; one.resize(2000)) {
    const ssize_t got = ::recv(socket, one.data(), one.size(), MSG_DONTWAIT);
    if (got < 0) return all;
    one.resize(static_cast<std::size_t>(got));
    all.push_back(one);
  }
}

}  // namespace

TEST_CASE("challenge, hello and welcome stand on the wire as written, under their tags", "[slab]") {
  // By Python: hashlib.blake2b(text, digest_size=16, key=hashlib.blake2b(secret,
  // digest_size=32).digest()), text being the fields in their order, one blank between two.
  const std::optional<AuthKey> key = test_key();
  const auto challenge = challenge_message({server_nonce, true, "heat 2/4"});
  CHECK(text_of(challenge) == R"({"keyed":true,"nonce":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",)"
                              R"("provides":"heat 2/4","type":"challenge","version":4})");
  CHECK(parse_challenge(challenge).provides == "heat 2/4");
  const SlabHandshake handshake(key, server_nonce, "heat 2/4");
  const SlabHello hello = hello_to_provider();
  const auto said = handshake.hello(hello);
  CHECK(text_of(said) == R"({"nonce":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","packet_bytes":8952,)"
                         R"("receive_buffer_bytes":1048576,"seal":"tag","stripe_port":0,)"
                         R"("stripes":1,"tag":"159ebdfa357d9f725a1762f101f1e32d",)"
                         R"("transport":"udp","type":"hello","udp_port":50001,"version":4})");
  CHECK(handshake.parse_hello(said).udp_port == 50'001);
  const auto welcome = handshake.welcome(hello, 0x0123456789abcdef);
  CHECK(text_of(welcome) == R"({"session":"0123456789abcdef",)"
                            R"("tag":"ea5c31a8cf91a2c5dc1f8894612ea306","type":"welcome"})");
  CHECK(handshake.parse_welcome(hello, welcome) == 0x0123456789abcdef);
}

TEST_CASE("a session's keys are those of the wall's key and of both nonces", "[slab]") {
  const std::optional<AuthKey> key = test_key();
  SlabHello hello = hello_to_provider();
  const auto bytes_of = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  const SessionKeys expected =
      derive_session_keys(*key, bytes_of(server_nonce), bytes_of(hello.nonce));
  const SessionKeys keys = SlabHandshake(key, server_nonce).keys(hello);
  CHECK(keys.to_client == expected.to_client);
  CHECK(keys.to_server == expected.to_server);
  CHECK(keys.control_to_client == expected.control_to_client);
  CHECK(keys.control_to_server == expected.control_to_server);
  CHECK(keys.to_client != SessionKey{});
  CHECK(SlabHandshake(key, std::string(32, 'c')).keys(hello).to_client != keys.to_client);
  CHECK(SlabHandshake(std::nullopt, server_nonce).keys(hello).to_client == SessionKey{});
  hello.nonce = std::string(32, 'd');
  CHECK(SlabHandshake(key, server_nonce).keys(hello).to_client != keys.to_client);
}

TEST_CASE("what a challenge says it provides is proved with the rest", "[slab]") {
  const std::optional<AuthKey> key = test_key();
  const SlabHello hello = hello_to_provider();
  const SlabHandshake provider(key, server_nonce, "heat 2/4");
  for (const std::string heard : {"heat 2/5", "", "heat 2/4 ", "heat", "8 heat 2/4"}) {
    CAPTURE(heard);
    const SlabHandshake requester(key, server_nonce, heard);
    CHECK_THROWS_AS(provider.parse_hello(requester.hello(hello)), InputError);
    CHECK_THROWS_AS(requester.parse_welcome(hello, provider.welcome(hello, 7)), InputError);
  }
  auto message = provider.hello(hello);
  for (const auto& [field, value] : {std::pair("udp_port", 50'002), std::pair("stripe_port", 1)}) {
    auto changed = message;
    changed[field] = value;
    CHECK_THROWS_WITH(provider.parse_hello(changed), Catch::Contains("tag"));
  }
}

TEST_CASE("challenges and hellos out of bounds are refused with the field's name", "[slab]") {
  const auto challenge = challenge_message({server_nonce, false, std::string(256, 'x')});
  CHECK(parse_challenge(challenge).provides.size() == 256);
  const auto changed = [](nlohmann::json message, const char* field, const nlohmann::json& value) {
    message[field] = value;
    return message;
  };
  for (const nlohmann::json& wrong : {nlohmann::json(std::string(257, 'x')), nlohmann::json(7)})
    CHECK_THROWS_WITH(parse_challenge(changed(challenge, "provides", wrong)),
                      Catch::Contains("provides"));
  auto without = challenge;
  without.erase("provides");
  CHECK_THROWS_WITH(parse_challenge(without), Catch::Contains("provides"));
  CHECK_THROWS_WITH(parse_challenge(changed(challenge, "version", 2)),
                    Catch::Contains("version: expected 4, found 2"));
  const std::optional<AuthKey> no_key;
  const SlabHandshake handshake(no_key, server_nonce);
  SlabHello hello = hello_to_provider();
  hello.seal = SealKind::checksum;
  for (const char* const field : {"udp_port", "stripe_port"})
    for (const int port : {-1, 65'536})
      CHECK_THROWS_WITH(handshake.parse_hello(changed(handshake.hello(hello), field, port)),
                        Catch::Contains(field));
}

TEST_CASE("a hello names a port where the provider connected, and only there", "[slab]") {
  const auto check = [](SlabTransport transport, std::uint16_t udp, std::uint16_t stripe,
                        bool provider_connected) {
    SlabHello hello = hello_to_provider();
    hello.transport = transport;
    hello.udp_port = udp;
    hello.stripe_port = stripe;
    check_ports(hello, provider_connected);
  };
  CHECK_NOTHROW(check(SlabTransport::udp, 5, 0, true));
  CHECK_NOTHROW(check(SlabTransport::tcp, 0, 5, true));
  CHECK_NOTHROW(check(SlabTransport::udp, 0, 0, false));
  CHECK_NOTHROW(check(SlabTransport::tcp, 0, 0, false));
  CHECK_THROWS_WITH(check(SlabTransport::udp, 0, 0, true), Catch::Contains("udp_port"));
  CHECK_THROWS_WITH(check(SlabTransport::udp, 5, 5, true), Catch::Contains("stripe_port"));
  CHECK_THROWS_WITH(check(SlabTransport::tcp, 0, 0, true), Catch::Contains("stripe_port"));
  CHECK_THROWS_WITH(check(SlabTransport::tcp, 5, 5, true), Catch::Contains("udp_port"));
  CHECK_THROWS_WITH(check(SlabTransport::udp, 5, 0, false), Catch::Contains("udp_port"));
}

TEST_CASE("a provider that connected repeats its first packet until the requester answers",
          "[slab]") {
  const UniqueFd here = bind_udp(local(0));
  const UniqueFd there = bind_udp(local(0));
  PacketSender sender(here.get());
  SlabHello hello = hello_to_provider();
  hello.seal = SealKind::checksum;
  ServerSession session(0x1122334455667788, hello, {}, {local(0)}, 0, sender);
  ServerUdpTransport& udp = *session.udp();
  LocalInstant now{100s};
  udp.on_timeout(now);
  CHECK(udp.due() == SentPackets::never_due);
  udp.open_path(local_address(there.get()), now);
  CHECK(udp.due() == now);
  for (int i = 0; i < 3; ++i) udp.on_timeout(now);
  auto packets = datagrams_at(there.get());
  REQUIRE(packets.size() == 1);
  CHECK(hex(packets.front()) ==
        "54575331"
        "01000000"
        "8877665544332211"
        "0100000000000000"
        "0000000000000000"
        "0000000000000000"
        "9e3d9bda"
        "000000000000000000000000");
  Nanos before{0};
  for (int i = 2; i < 12; ++i) {
    const Nanos gap = udp.due() - now;
    CHECK(gap >= before);
    CHECK(gap <= 1s);
    before = gap;
    now = udp.due();
    udp.on_timeout(now);
    packets = datagrams_at(there.get());
    REQUIRE(packets.size() == 1);
    PacketHeader header;
    std::memcpy(&header, packets.front().data(), sizeof header);
    CHECK(header.sequence == static_cast<std::uint64_t>(i));
  }
  CHECK(before == 1s);
  // The requester's ack ends that, and data go to where it came from.
  std::vector<SlabJob> jobs;
  const auto take = [&](PacketKind kind, std::uint64_t sequence) {
    CHECK(taken(udp, kind, sequence, local_address(there.get()), now, jobs));
  };
  take(PacketKind::hello, 1);
  take(PacketKind::request, 2);
  REQUIRE(jobs.size() == 1);
  CHECK_FALSE(udp.send_batch(now));
  take(PacketKind::ack, 3);
  CHECK(udp.due() == SentPackets::never_due);
  session.slab_read(1, numbers_for(numbers_request(1, 100)), now);
  CHECK(udp.send_batch(now));
  packets = datagrams_at(there.get());
  REQUIRE(packets.size() == 1);
  PacketHeader header;
  std::memcpy(&header, packets.front().data(), sizeof header);
  CHECK(header.kind == PacketKind::data);
  CHECK(header.sequence == 12);
  CHECK(session.counters().resent_pieces == 0);
}

TEST_CASE("a client's address gets three times what it sent, until an ack comes from there",
          "[slab]") {
  const UniqueFd here = bind_udp(local(0));
  const UniqueFd first = bind_udp(local(0));
  const UniqueFd second = bind_udp(local(0));
  const UniqueFd other_host = bind_udp(resolve("127.0.0.2:0", "test"));
  PacketSender sender(here.get());
  SlabHello hello = hello_to_provider();
  hello.seal = SealKind::checksum;
  ServerSession session(0x1122334455667788, hello, {}, {local(0)}, 0, sender);
  ServerUdpTransport& udp = *session.udp();
  std::vector<SlabJob> jobs;
  LocalInstant now{100s};
  const auto turns = [&] {
    for (int i = 0; i < 200; ++i, now = now + 20ms) {
      udp.on_timeout(now);
      while (udp.send_batch(now)) {
      }
    }
  };
  const auto bytes_at = [&](const UniqueFd& socket) {
    std::size_t bytes = 0;
    for (const auto& datagram : datagrams_at(socket.get())) bytes += datagram.size();
    return bytes;
  };
  REQUIRE(taken(udp, PacketKind::request, 1, local_address(first.get()), now, jobs));
  session.slab_read(1, numbers_for(numbers_request(1, 10'000'000)), now);
  turns();
  CHECK(bytes_at(first) == 3 * packet_head_bytes);  // hello packets alone
  CHECK(udp.due() == SentPackets::never_due);
  // An ack that overtook nothing there confirms nothing: it names a packet that was never sent.
  REQUIRE(taken(udp, PacketKind::ack, 2, local_address(first.get()), now, jobs, 9));
  turns();
  CHECK(bytes_at(first) <= 3 * (packet_head_bytes + sizeof(AckHeader)));
  REQUIRE(taken(udp, PacketKind::ack, 3, local_address(first.get()), now, jobs));
  CHECK(udp.send_batch(now));
  CHECK(bytes_at(first) > 8952);
  // Where the client is said to have another port, the same begins there.
  REQUIRE(taken(udp, PacketKind::hello, 4, local_address(second.get()), now, jobs));
  turns();
  CHECK(bytes_at(second) == 3 * packet_head_bytes);
  CHECK(bytes_at(first) == 0);
  // An ack of what was sent to the first port confirms nothing about the second one.
  REQUIRE(taken(udp, PacketKind::ack, 7, local_address(second.get()), now, jobs, 1));
  turns();
  CHECK(bytes_at(second) <= 3 * (packet_head_bytes + sizeof(AckHeader)));
  // A packet that was overtaken on its way does not lead back.
  REQUIRE(taken(udp, PacketKind::hello, 6, local_address(first.get()), now, jobs));
  turns();
  CHECK(bytes_at(first) == 0);
  // Another host than that of the control connection is sent nothing at all.
  CHECK_FALSE(taken(udp, PacketKind::hello, 5, local_address(other_host.get()), now, jobs));
  turns();
  CHECK(bytes_at(other_host) == 0);
}

TEST_CASE("without a word from a client, a session has its first window under way", "[slab]") {
  const UniqueFd here = bind_udp(local(0));
  const UniqueFd there = bind_udp(local(0));
  PacketSender sender(here.get());
  SlabHello hello = hello_to_provider();
  hello.seal = SealKind::checksum;
  hello.receive_buffer_bytes = std::uint64_t{1} << 40;
  ServerSession session(0x1122334455667788, hello, {}, {local(0), 100ms}, 0, sender);
  ServerUdpTransport& udp = *session.udp();
  std::vector<SlabJob> jobs;
  LocalInstant now{100s};
  REQUIRE(taken(udp, PacketKind::request, 1, local_address(there.get()), now, jobs));
  session.slab_read(1, numbers_for(numbers_request(1, 10'000'000)), now);
  udp.on_timeout(now);
  REQUIRE(taken(udp, PacketKind::ack, 2, local_address(there.get()), now, jobs));
  std::vector<Nanos> sent;  // since the first
  const LocalInstant start = now;
  for (; now < start + 1s; now = now + 1ms)
    while (udp.send_batch(now)) sent.push_back(now - start);
  CHECK(session.counters().data_pieces >= 64);
  CHECK(session.counters().data_pieces < 64 + PacketSender::batch_of(8952));
  // Half a round trip, less what a late sender catches up.
  CHECK(sent.back() >= 25ms);
  CHECK(sent.back() <= 50ms);
}

TEST_CASE("a sealed message that came together with the welcome is the next one", "[slab][wire]") {
  std::array<int, 2> ends{};
  check_sys(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), "socketpair");
  MessageStream server(UniqueFd(ends[0]), unauthenticated_limits);
  MessageStream client(UniqueFd(ends[1]), unauthenticated_limits);
  const std::optional<AuthKey> key = test_key();  // outlives the handshake
  const SlabHandshake handshake(key, server_nonce, "");
  const SlabHello hello = hello_to_provider();
  const SessionKeys keys = handshake.keys(hello);
  ControlSeal seal(hello.seal, {keys.control_to_client, keys.control_to_server});
  const nlohmann::json told = told_message({{"type", "reached"}});
  server.queue({text_of(handshake.welcome(hello, 7)), {}});
  server.queue(seal.seal({text_of(told), {}}));
  REQUIRE(server.write_some() == StreamStatus::open);

  const LocalInstant until = local_now() + Nanos(10s);
  CHECK(handshake.parse_welcome(hello, await_message(client, SocketAddress(), until)) == 7);
  ControlSeal opens(hello.seal, {keys.control_to_server, keys.control_to_client});
  client.allow(opens.limits({4096, 0}));
  std::vector<Message> received;
  REQUIRE(client.read_some(received) == StreamStatus::open);
  REQUIRE(received.size() == 1);
  CHECK(opens.open(std::move(received.front())).text == text_of(told));
}
