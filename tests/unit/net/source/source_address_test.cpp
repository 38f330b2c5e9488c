// The addresses that a simulation gives: which of them listens, and the ports that they have.

#include "net/source/source_address.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

std::string repeated(const std::string& address, int times) {
  std::string list = address;
  for (int i = 1; i < times; ++i) list += "," + address;
  return list;
}

}  // namespace

TEST_CASE("an address without a port has that of a wall or of a source", "[source]") {
  const auto wall = [](const char* where) {
    const SourcePlaces places = parse_source_places(where);
    CHECK_FALSE(places.listen);
    REQUIRE(places.walls.size() == 1);
    return to_string(places.walls[0]);
  };
  CHECK(wall("127.0.0.1") == "127.0.0.1:7643");
  CHECK(wall("127.0.0.1:9") == "127.0.0.1:9");
  CHECK(wall("[::1]") == "[::1]:7643");
  CHECK(wall("[::1]:9") == "[::1]:9");
  const auto listens = [](const char* where) {
    const SourcePlaces places = parse_source_places(where);
    CHECK(places.walls.empty());
    REQUIRE(places.listen);
    return to_string(*places.listen);
  };
  CHECK(listens("listen:127.0.0.1") == "127.0.0.1:7644");
  CHECK(listens("listen:127.0.0.1:0") == "127.0.0.1:0");
  CHECK(listens("listen:[::1]") == "[::1]:7644");
}

TEST_CASE("a source has 16 addresses at most, one of which listens", "[source]") {
  const SourcePlaces both = parse_source_places("127.0.0.1:1,listen:127.0.0.1:2,127.0.0.2:3");
  REQUIRE(both.walls.size() == 2);
  CHECK(to_string(both.walls[0]) == "127.0.0.1:1");
  CHECK(to_string(both.walls[1]) == "127.0.0.2:3");
  CHECK(to_string(both.listen.value()) == "127.0.0.1:2");
  CHECK(parse_source_places(repeated("127.0.0.1", 16)).walls.size() == 16);
  CHECK_THROWS_WITH(parse_source_places(repeated("127.0.0.1", 17)),
                    Catch::Contains("16 addresses at most") && Catch::Contains("17"));
  CHECK_THROWS_WITH(parse_source_places(repeated("listen:127.0.0.1", 2)),
                    Catch::Contains("at most one listen:ADDRESS"));
  CHECK_THROWS_WITH(parse_source_places("127.0.0.1:0"), Catch::Contains("a wall's port"));
  for (const char* none : {"", ",", "127.0.0.1,", "listen:", "127.0.0.1,,127.0.0.1"}) {
    CAPTURE(none);
    CHECK_THROWS_WITH(parse_source_places(none), Catch::Contains("HOST[:PORT]"));
  }
}
