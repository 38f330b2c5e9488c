// Sessions with ranks begin beside each other, whoever does not answer.

#include "player/volume/caster/rank_handshakes.hpp"

#include <catch2/catch.hpp>

#include "tests/support/eventually.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::volume;

TEST_CASE("ranks that never answer keep no other rank waiting", "[live]") {
  test::Numbers numbers;
  net::SlabServerOptions options;
  options.address = test::local(0);
  test::RunningServer server(options, numbers);
  std::vector<UniqueFd> silent;  // they listen, so a connection is made, and say nothing
  net::SlabPool pool{0};
  RankHandshakes handshakes({}, pool, [] {});
  for (int i = 0; i < RankHandshakes::threads - 1; ++i) {
    silent.push_back(net::listen_tcp(test::local(0)));
    CHECK(handshakes.begin(net::local_address(silent.back().get())) != 0);
  }
  const std::uint64_t answering = handshakes.begin(test::local(server.port()));
  std::vector<RankHandshakes::Result> results;
  REQUIRE(test::eventually([&] {
    for (RankHandshakes::Result& result : handshakes.take()) results.push_back(std::move(result));
    return results.size() == std::size_t{RankHandshakes::threads};
  }));
  CHECK(results.front().number == answering);
  CHECK(results.front().session != nullptr);
  for (std::size_t i = 1; i < results.size(); ++i) {
    CHECK(results[i].session == nullptr);
    CHECK(results[i].is_absent);
    CHECK(results[i].fault.find("found none that answers") != std::string::npos);
  }
}
