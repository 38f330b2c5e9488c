// Slabs from a server to a client, on this machine, over paths that lose and mix up packets.

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "net/slab/packet.hpp"
#include "net/slab/slab_client.hpp"
#include "net/slab/slab_server.hpp"
#include "sync/base/error.hpp"
#include "tests/emulation/path_relay.hpp"
#include "tests/emulation/tun_path.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

/// What can happen to a message on its way.
using MessageChange = void (*)(Message& message, ControlSeal& seal);
constexpr MessageChange changes[] = {
    [](Message& message, ControlSeal&) { message.text[3] ^= 1; },
    [](Message& message, ControlSeal&) { message.text.pop_back(); },
    [](Message& message, ControlSeal&) { message.blob.clear(); },
    [](Message& message, ControlSeal& seal) {
      message = seal.seal({message.text, {}});
    }};  // one is lost

class TestServer {
 public:
  explicit TestServer(const SlabServerOptions& options = {resolve("127.0.0.1:0", "test")})
      : server_(options, numbers_) {}
  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  [[nodiscard]] SlabServerStatus status() const { return server_.status(); }

 private:
  Numbers numbers_;
  RunningServer server_;
};

SlabClient::Ticket ask(SlabClient& client, std::uint64_t seed, std::uint64_t size,
                       LocalInstant until = SlabClient::no_deadline) {
  return client.fetch(numbers_request(seed, size), until);
}

constexpr std::uint64_t sizes[] = {0, 1, 8895, 8896, 8897, 100'000, 3'000'000};

void check_slabs(SlabClient& client) {
  std::vector<SlabClient::Ticket> tickets;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    for (const std::uint64_t size : sizes) tickets.push_back(ask(client, seed, size));
  std::size_t i = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    for (const std::uint64_t size : sizes) {
      CAPTURE(seed, size);
      const auto slab = await(client, tickets[i++]);
      REQUIRE(slab);
      CHECK(is_right(*slab, seed, size));
    }
}

}  // namespace

TEST_CASE("slabs of any size arrive whole, by either transport", "[slab]") {
  const TestServer server;
  for (const auto& options :
       {client_of(server.port(), SlabTransport::udp), client_of(server.port(), SlabTransport::tcp),
        client_of(server.port(), SlabTransport::tcp, 4)}) {
    SlabClient client(options);
    check_slabs(client);
  }
}

TEST_CASE("stripes leave by the interfaces they are spread over, each at its rate", "[slab]") {
  const TestServer server;
  SlabClientOptions options = client_of(server.port(), SlabTransport::tcp, 3);
  options.session.interfaces = {{"127.0.0.7", 0.2}, {"127.0.0.8", 0.1}};
  SlabClient client(options);
  // As the kernel lists connections: the lines of those from there to the server's port.
  const auto connections_from = [&](const std::string& address) {
    std::ifstream table("/proc/net/tcp");
    const std::string server_end = fmt::format("0100007F:{:04X} 01", server.port());
    int found = 0;
    for (std::string line; std::getline(table, line);)
      if (line.find(" " + address + ":") != std::string::npos &&
          line.find(server_end) != std::string::npos)
        ++found;
    return found;
  };
  CHECK(connections_from("0700007F") == 2);
  CHECK(connections_from("0800007F") == 1);
  CHECK_FALSE(client.status().tuning.congestion_control.empty());
  CHECK(client.status().tuning.window_bytes >= client.status().tuning.wanted_window_bytes);
  const LocalInstant start = local_now();
  const auto slab = await(client, ask(client, 1, 5'000'000));
  REQUIRE(slab);
  CHECK(is_right(*slab, 1, 5'000'000));
  CHECK(local_now() - start > 50ms);  // 40 Mbit at 0.3 Gbit/s are 133 ms
}

TEST_CASE("over a long way a stripe has the window that the way asks for", "[slab]") {
  std::string reason;
  PathShape shape;
  shape.delay = 10ms;
  shape.rate_gbit_s = 1;
  const auto path = TunPath::try_make(shape, reason);
  if (!path) {
    WARN("skipped: " << reason);
    return;
  }
  const std::string secret = "sixteen bytes or more";
  const AuthKey key(std::as_bytes(std::span(secret)));
  const auto at_server = [](std::uint16_t port) {
    return with_port(resolve(std::string(TunPath::server_address) + ":0", "test"), port);
  };
  const BenchProcess process("tw-test-server", [&](const auto& inside, BenchProcessReport&) {
    const NetworkNamespace::Visit visit(path->server());
    Numbers numbers;
    SlabServer server({at_server(0), key}, numbers);
    inside.say_port(server.port());
    server.run(inside.stop_fd);
  });
  const NetworkNamespace::Visit visit(path->client());
  SlabClientOptions options = client_of(0, SlabTransport::tcp);
  options.servers = {at_server(process.port())};
  options.session.key = key;
  options.session.interfaces = {{"tun0", 8}};
  SlabClient client(options);
  const auto slab = await(client, ask(client, 1, 3'000'000));
  REQUIRE(slab);
  CHECK(is_right(*slab, 1, 3'000'000));
  const StripeTuning tuning = client.status().tuning;
  CAPTURE(tuning.congestion_control);
  CHECK(tuning.round_trip >= Nanos(20ms));
  CHECK(tuning.wanted_window_bytes >= 40'000'000);  // twice 20 ms of 8 Gbit/s
  CHECK(tuning.window_bytes <= tuning.wanted_window_bytes);
}

TEST_CASE("a client that lacks the interface says so", "[slab]") {
  const TestServer server;
  SlabClientOptions options = client_of(server.port(), SlabTransport::tcp, 2);
  options.session.interfaces = {{"lo", 0}, {"no-such-0", 0}};
  CHECK_THROWS_WITH(SlabClient(options), Catch::StartsWith("no-such-0: expected an interface"));
}

TEST_CASE("small packets serve as well", "[slab]") {
  const TestServer server;
  SlabClientOptions options = client_of(server.port(), SlabTransport::udp);
  options.session.packet_bytes = 1452;
  SlabClient client(options);
  check_slabs(client);
}

TEST_CASE("slabs arrive whole over a path that loses, doubles, mixes up and damages packets",
          "[slab]") {
  const TestServer server;
  PathShape shape;
  shape.delay = 2ms;
  shape.jitter = 1ms;
  shape.loss = 0.05;
  shape.duplicate = 0.02;
  shape.reorder = 0.05;
  shape.corrupt = 0.01;
  PathShape back = shape;
  shape.corrupt = 0;  // of TCP it would end the handshake
  back.corrupt = 0;
  const PathRelay relay(server.port(), back, shape);
  SlabClient client(client_of(relay.port(), SlabTransport::udp));
  check_slabs(client);
  CHECK(client.status().received.lost_packets > 0);
  CHECK(server.status().sent.resent_pieces > 0);
}

TEST_CASE("encrypted pieces that come twice beside lost ones are not spoilt", "[slab]") {
  const std::string secret = "sixteen bytes or more";
  SlabServerOptions server_options{resolve("127.0.0.1:0", "test")};
  server_options.key.emplace(std::as_bytes(std::span(secret)));
  const TestServer server(server_options);
  PathShape shape;
  shape.loss = 0.1;
  shape.duplicate = 0.3;
  const PathRelay relay(server.port(), {}, shape);
  SlabClientOptions options = client_of(relay.port(), SlabTransport::udp);
  options.session.key = server_options.key;
  options.session.encrypt = true;
  SlabClient client(options);
  check_slabs(client);
}

TEST_CASE("what leaves no time for a repair comes with parity, tagged, encrypted or neither",
          "[slab]") {
  const std::string secret = "sixteen bytes or more";
  for (const bool encrypt : {false, true}) {
    SlabServerOptions server_options{resolve("127.0.0.1:0", "test")};
    if (encrypt) server_options.key.emplace(std::as_bytes(std::span(secret)));
    const TestServer server(server_options);
    PathShape shape;
    shape.delay = 20ms;
    shape.loss = 0.05;
    const PathRelay relay(server.port(), {}, shape);
    SlabClientOptions options = client_of(relay.port(), SlabTransport::udp);
    options.session.key = server_options.key;
    options.session.encrypt = encrypt;
    options.session.packet_bytes = 1452;
    SlabClient client(options);
    constexpr std::uint64_t size = 400'001;
    // At first the path's round trip and loss are not known.
    REQUIRE(await(client, ask(client, 100, size)));
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      CAPTURE(encrypt, seed);
      const auto slab = await(client, ask(client, seed, size, local_now() + Nanos(1ms)));
      REQUIRE(slab);
      CHECK(is_right(*slab, seed, size));
    }
    CHECK(client.status().received.recovered_pieces > 50);
    const SessionCounters sent = server.status().sent;
    CHECK(sent.parity_pieces > 0);
    CHECK(sent.protected_groups > 5);
  }
}

TEST_CASE("a path that is dead for a while goes on where it was", "[slab]") {
  const TestServer server;
  PathShape shape;
  shape.delay = 1ms;
  PathRelay relay(server.port(), shape, shape);
  SlabClient client(client_of(relay.port(), SlabTransport::udp));
  const auto ticket = ask(client, 3, 40'000'000);
  REQUIRE(test::eventually([&] { return client.status().received.packets > 0; }));
  shape.loss = 1;
  relay.reshape(shape, shape);
  std::this_thread::sleep_for(400ms);
  shape.loss = 0;
  relay.reshape(shape, shape);
  const auto slab = await(client, ticket, std::chrono::seconds(10));
  REQUIRE(slab);
  CHECK(is_right(*slab, 3, 40'000'000));
}

TEST_CASE("a path that flips bits gives no wrong byte", "[slab]") {
  const TestServer server;
  PathRelay relay(server.port(), {}, {});
  SlabClient client(client_of(relay.port(), SlabTransport::udp));
  PathShape shape;
  shape.corrupt = 0.1;
  relay.reshape(shape, shape);
  check_slabs(client);
  CHECK(client.status().received.malformed_packets > 0);
}

TEST_CASE("a server counts packets that are none, and those of no session", "[slab]") {
  const TestServer server;
  const SocketAddress to = local(server.port());
  const UniqueFd socket(::socket(to.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto send = [&](std::span<const std::byte> packet) {
    REQUIRE(::sendto(socket.get(), packet.data(), packet.size(), 0, to.raw(), to.length) ==
            static_cast<ssize_t>(packet.size()));
  };
  std::array<std::byte, packet_head_bytes> packet = {};
  for (int i = 0; i < 3; ++i) send(packet);  // without the magic number
  const PacketHeader header{packet_magic, PacketKind::hello, 0, 0, 12345, 1, 0, 0, 0};
  std::memcpy(packet.data(), &header, sizeof header);
  for (int i = 0; i < 2; ++i) send(packet);
  CHECK(test::eventually([&] { return server.status().malformed == 5; }));
}

TEST_CASE("most pieces come straight to their place", "[slab]") {
  const TestServer server;
  SlabClient client(client_of(server.port(), SlabTransport::udp));
  const auto slab = await(client, ask(client, 7, 64u << 20));
  REQUIRE(slab);
  CHECK(is_right(*slab, 7, 64u << 20));
  const ReceiveCounters received = client.status().received;
  CHECK(received.copied_pieces < received.packets / 4);
}

TEST_CASE("the server's application answers, or refuses", "[slab]") {
  const TestServer server;
  SlabClient client(client_of(server.port(), SlabTransport::udp));
  CHECK(client.call({{"type", "echo"}, {"word", "wall"}}, 5s) == "wall");
  CHECK_THROWS_WITH(client.call({{"type", "shout"}, {"word", "wall"}}, 5s), "expected echo");
}

TEST_CASE("what the application cannot read comes as an empty slab", "[slab]") {
  const TestServer server;
  SlabClient client(client_of(server.port(), SlabTransport::udp));
  const auto slab = await(client, client.fetch({}));
  REQUIRE(slab);
  CHECK(slab->size() == 0);
}

TEST_CASE("what is cancelled does not come", "[slab]") {
  const TestServer server;
  for (const auto transport : {SlabTransport::udp, SlabTransport::tcp}) {
    SlabClient client(client_of(server.port(), transport));
    const auto unwanted = ask(client, 1, 32u << 20);
    const auto wanted = ask(client, 2, 1000);
    client.cancel({unwanted});
    const auto slab = await(client, wanted);
    REQUIRE(slab);
    CHECK(is_right(*slab, 2, 1000));
    CHECK_FALSE(client.has(unwanted));
  }
}

TEST_CASE("slabs that are cancelled while they come leave the others whole", "[slab]") {
  const TestServer server;
  for (const auto& options :
       {client_of(server.port(), SlabTransport::udp), client_of(server.port(), SlabTransport::tcp),
        client_of(server.port(), SlabTransport::tcp, 3)}) {
    SlabClient client(options);
    for (std::uint64_t round = 0; round < 20; ++round) {
      std::vector<SlabClient::Ticket> unwanted;
      for (std::uint64_t i = 0; i < 4; ++i) unwanted.push_back(ask(client, 100 + i, 2'000'000));
      const auto wanted = ask(client, round, 300'000);
      std::this_thread::sleep_for(std::chrono::microseconds(700 * round));
      client.cancel(unwanted);
      const auto slab = await(client, wanted);
      REQUIRE(slab);
      CHECK(is_right(*slab, round, 300'000));
    }
    CHECK(client.status().switches == 0);
  }
}

TEST_CASE("a chunk that is cancelled while it comes keeps no hold of its slab", "[slab]") {
  const TestServer server;
  SlabClientOptions options = client_of(server.port(), SlabTransport::tcp);
  options.session.interfaces = {{"127.0.0.9", 0.02}};
  SlabClient client(options);
  for (std::uint64_t round = 0; round < 4; ++round) {
    // A chunk of 256 KiB takes 100 ms, so it is under way when its slab's memory is freed.
    const auto unwanted = ask(client, 100 + round, 2'000'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(40 + 15 * round));
    client.cancel({unwanted});
    const auto slab = await(client, ask(client, round, 1000));
    REQUIRE(slab);
    CHECK(is_right(*slab, round, 1000));
  }
  CHECK(client.status().switches == 0);
}

TEST_CASE("another server goes on where one dies or falls silent", "[slab]") {
  for (const auto transport : {SlabTransport::udp, SlabTransport::tcp}) {
    auto first = std::make_unique<TestServer>();
    const TestServer second;
    PathRelay relay(first->port(), {}, {});
    SlabClientOptions options = client_of(relay.port(), transport);
    options.servers.push_back(local(second.port()));
    SlabClient client(options);
    REQUIRE(await(client, ask(client, 1, 100'000)));
    SECTION(transport == SlabTransport::udp ? "dies, udp" : "dies, tcp") { first.reset(); }
    SECTION(transport == SlabTransport::udp ? "silent, udp" : "silent, tcp") { relay.cut(); }
    const auto slab = await(client, ask(client, 2, 100'000));
    REQUIRE(slab);
    CHECK(is_right(*slab, 2, 100'000));
  }
}

TEST_CASE("with a key packets are tagged or encrypted, without it nobody is let in", "[slab]") {
  const std::string secret = "sixteen bytes or more";
  const AuthKey key(std::as_bytes(std::span(secret)));
  const std::string other = "another sixteen bytes";
  SlabServerOptions options{resolve("127.0.0.1:0", "test")};
  options.key = key;
  const TestServer server(options);
  for (const auto transport : {SlabTransport::udp, SlabTransport::tcp})
    for (const bool encrypt : {false, true}) {
      SlabClientOptions with_key = client_of(server.port(), transport, 2);
      with_key.session.key = key;
      with_key.session.encrypt = encrypt;
      SlabClient client(with_key);
      check_slabs(client);
      for (const int word : {1, 2, 3})
        CHECK(client.call({{"type", "echo"}, {"word", word}}, 5s) == word);
      CHECK_THROWS_WITH(client.call({{"type", "cry"}}, 5s), "expected echo");
    }
  SlabClientOptions wrong = client_of(server.port(), SlabTransport::udp);
  CHECK_THROWS_WITH(SlabClient(wrong), Catch::Contains("--key-file"));
  wrong.session.key.emplace(std::as_bytes(std::span(other)));
  CHECK_THROWS_WITH(SlabClient(wrong),
                    Catch::Contains("tag: expected the wall's key, found another"));
}

TEST_CASE("a question that is not the client's next one ends its session, with a line", "[slab]") {
  std::mutex mutex;
  std::vector<std::string> lines;
  SlabServerOptions options{resolve("127.0.0.1:0", "test")};
  options.key = test_key();
  options.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    lines.push_back(line);
  };
  const TestServer server(options);
  const std::string question = R"({"type": "echo", "word": "so"})";
  for (const SealKind kind : {SealKind::tag, SealKind::encrypted})
    for (const auto change : changes) {
      RawPeer peer(try_connect_tcp(local(server.port()), 5s));
      const SlabHandshake handshake(options.key, parse_challenge(peer.next()).nonce);
      const SlabHello hello = hello_of(kind);
      peer.stream.queue({handshake.hello(hello).dump(), {}});
      CHECK(handshake.parse_welcome(hello, peer.next()) != 0);
      const SessionKeys keys = handshake.keys(hello);
      peer.begin(kind, {keys.control_to_server, keys.control_to_client});
      peer.stream.queue(peer.seal->seal({question, {}}));
      CHECK(peer.next()["answer"] == "so");
      Message message = peer.seal->seal({question, {}});
      change(message, *peer.seal);
      peer.stream.queue(std::move(message));
      CHECK(peer.next()["type"] == "refused");
      CHECK(peer.next().is_null());  // the end
    }
  const std::scoped_lock lock(mutex);
  REQUIRE_FALSE(lines.empty());
  CHECK_THAT(lines.front(), Catch::Contains("tag: expected the peer's next message, found"));
}

TEST_CASE("an answer that is not the server's next one ends the session", "[slab]") {
  for (const SealKind kind : {SealKind::tag, SealKind::encrypted})
    for (const auto change : changes) {
      const UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
      const std::jthread server([&] {
        const std::optional<AuthKey> key = test_key();
        RawPeer peer(UniqueFd(::accept(listening.get(), nullptr, nullptr)));
        const SlabHandshake handshake(key, std::string(32, 'a'));
        peer.stream.queue({challenge_message({std::string(32, 'a'), true}).dump(), {}});
        const SlabHello hello = handshake.parse_hello(peer.next());
        peer.stream.queue({handshake.welcome(hello, 7).dump(), {}});
        const SessionKeys keys = handshake.keys(hello);
        peer.begin(kind, {keys.control_to_client, keys.control_to_server});
        static_cast<void>(peer.next());  // the question
        peer.stream.queue(peer.seal->seal({R"({"type":"answer","answer":1})", {}}));
        Message message = peer.seal->seal({R"({"type":"answer","answer":2})", {}});
        change(message, *peer.seal);
        peer.stream.queue(std::move(message));
        static_cast<void>(peer.next());
      });
      SlabSessionOptions options;
      options.key = test_key();
      options.encrypt = kind == SealKind::encrypted;
      SlabPool pool(0);
      ClientSession session(local_address(listening.get()), options, pool, 5s);
      session.ask({{"type", "list"}});
      ClientSession::Events events;
      const auto step_on = [&] {
        for (const LocalInstant until = local_now() + Nanos(10s); local_now() < until;) {
          auto watched = session.watched();
          ::poll(watched.data(), watched.size(), 100);
          if (!session.step(local_now(), events)) return;
        }
      };
      CHECK_THROWS_WITH(step_on(), Catch::Contains("the peer's next message"));
      CHECK(events.answers.size() == 1);
    }
}

TEST_CASE("a client that has the key talks to no server without it", "[slab]") {
  const std::string secret = "sixteen bytes or more";
  const TestServer server;
  SlabClientOptions options = client_of(server.port(), SlabTransport::udp);
  options.session.key.emplace(std::as_bytes(std::span(secret)));
  CHECK_THROWS_WITH(SlabClient(options), Catch::Contains("a server that has the wall's key"));
}

TEST_CASE("beyond loopback a server needs a key", "[slab]") {
  Numbers numbers;
  CHECK_THROWS_WITH(SlabServer({resolve("0.0.0.0:0", "test")}, numbers),
                    Catch::Contains("tilewall key new"));
}
