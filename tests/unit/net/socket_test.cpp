#include "net/socket.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;

TEST_CASE("addresses are read as users write them", "[net]") {
  CHECK(to_string(resolve("127.0.0.1:7641", "--listen")) == "127.0.0.1:7641");
  CHECK(to_string(resolve("[::1]:80", "--listen")) == "[::1]:80");
  CHECK(to_string(resolve(":0", "--listen")) == "127.0.0.1:0");
  CHECK(resolve("127.9.9.9:1", "--listen").loopback());
  CHECK(resolve("[::1]:1", "--listen").loopback());
  CHECK_FALSE(resolve("0.0.0.0:1", "--listen").loopback());
  CHECK_FALSE(resolve("[::]:1", "--listen").loopback());
}

TEST_CASE("what is no address is refused by name", "[net][bad-input]") {
  for (const std::string bad : {"", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                                "127.0.0.1:-1", "127.0.0.1:7x", "999.0.0.1:1", "a b:1"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(resolve(bad, "--listen"), InputError);
    CHECK_THROWS_WITH(resolve(bad, "--listen"), Catch::StartsWith("--listen: expected"));
  }
  CHECK_THROWS_AS(resolve(std::string(70'000, 'a') + ":1", "--listen"), InputError);
}

TEST_CASE("sockets say whom they could not reach or be", "[net]") {
  const UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address = local_address(listening.get());
  CHECK(address.port() != 0);
  CHECK_FALSE(try_connect_tcp(address, std::chrono::seconds(5)).empty());
  CHECK_THROWS_WITH(listen_tcp(address), Catch::Contains(to_string(address)));
  CHECK_THROWS_AS(bind_udp(resolve("192.0.2.1:1", "test")), InputError);  // nobody's, by RFC 5737
  CHECK_THROWS_AS(connect_udp(resolve("127.0.0.1:0", "test")), InputError);
}

TEST_CASE("a server that is started again gets its port back at once", "[net]") {
  UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address = local_address(listening.get());
  UniqueFd client = try_connect_tcp(address, std::chrono::seconds(5));
  REQUIRE_FALSE(client.empty());
  {
    // The side that closes first keeps the connection's addresses busy for a minute.
    const UniqueFd accepted(::accept(listening.get(), nullptr, nullptr));
    REQUIRE_FALSE(accepted.empty());
  }
  client = UniqueFd();
  listening = UniqueFd();
  CHECK_NOTHROW(listen_tcp(address));
}

TEST_CASE("accepting pauses while something is short, and only then", "[net]") {
  AcceptPause pause;
  const std::chrono::milliseconds hour = std::chrono::hours(1);
  CHECK_FALSE(pause.active());
  CHECK(pause.longest_wait(hour) == hour);
  CHECK_FALSE(pause.note_failure(EAGAIN));
  CHECK_FALSE(pause.note_failure(ECONNABORTED));
  CHECK_FALSE(pause.active());
  CHECK(pause.note_failure(EMFILE));
  CHECK(pause.until() > LocalInstant{});
  CHECK(pause.longest_wait(hour) < hour);
}

TEST_CASE("an address keeps its host when its port changes", "[net]") {
  const SocketAddress v4 = with_port(resolve("127.0.0.1:7641", "test"), 9);
  CHECK(to_string(v4) == "127.0.0.1:9");
  const SocketAddress v6 = with_port(resolve("[::1]:7641", "test"), 9);
  CHECK(to_string(v6) == "[::1]:9");
  CHECK(to_string(route_address(v4)) == "127.0.0.1:0");
}

TEST_CASE("a connection's round trip is the kernel's shortest, in microseconds", "[net]") {
  const UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
  const UniqueFd client = try_connect_tcp(local_address(listening.get()), std::chrono::seconds(5));
  REQUIRE_FALSE(client.empty());
  tcp_info info = {};
  socklen_t length = sizeof info;
  REQUIRE(::getsockopt(client.get(), IPPROTO_TCP, TCP_INFO, &info, &length) == 0);
  REQUIRE(info.tcpi_min_rtt > 0);  // of the handshake
  CHECK(tcp_round_trip(client.get()).count() == std::int64_t{info.tcpi_min_rtt} * 1000);
  CHECK(tcp_round_trip(listening.get()).count() == 0);
}
