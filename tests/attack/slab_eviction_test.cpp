// A host that fills a slab server's room for connections without a hello: it pushes out its own,
// and nobody else's.

#include <poll.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "net/slab/eviction.hpp"
#include "sync/base/check.hpp"
#include "sync/base/process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;

namespace {

UniqueFd connected_from(const char* host, std::uint16_t port) {
  const SocketAddress from = resolve(std::string(host) + ":0", "test");
  return try_connect_tcp(local(port), 5s, [&](int socket) {
    check_sys(::bind(socket, from.raw(), from.length), "bind");
  });
}

bool is_ended(const UniqueFd& socket) {
  pollfd state = {socket.get(), POLLRDHUP, 0};
  return ::poll(&state, 1, 0) == 1;
}

}  // namespace

TEST_CASE("the oldest peer of the host with the most makes room", "[attack]") {
  const auto peer = [](const char* host, int second) {
    return UnprovedPeer{resolve(std::string(host) + ":5000", "test"),
                        LocalInstant{std::chrono::seconds(second)}};
  };
  const std::vector<UnprovedPeer> peers = {peer("10.0.0.1", 1), peer("10.0.0.2", 4),
                                           peer("10.0.0.3", 2), peer("10.0.0.2", 3),
                                           peer("[::1]", 0),    peer("10.0.0.2", 5)};
  CHECK(evicted_of(peers) == 3);
  CHECK(evicted_of(std::span(peers).first(1)) == 0);
}

TEST_CASE("a host with hundreds of silent connections keeps no other host out", "[attack]") {
  allow_open_files();
  Numbers source;
  RunningServer server(SlabServerOptions{resolve("127.0.0.1:0", "test")}, source);
  RawPeer guest(connected_from("127.0.0.3", server.port()));
  const SlabHandshake handshake({}, parse_challenge(guest.next()).nonce);
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 600; ++i) {
    silent.push_back(connected_from("127.0.0.2", server.port()));
    REQUIRE_FALSE(silent.back().empty());
  }
  CHECK(eventually([&] { return server.status().refused >= 600 + 1 - 512; }));
  CHECK(eventually([&] { return is_ended(silent.front()); }));
  const SlabHello hello = hello_of(SealKind::checksum);
  guest.stream.queue({handshake.hello(hello).dump(), {}});
  CHECK(handshake.parse_welcome(hello, guest.next()) != 0);
}
