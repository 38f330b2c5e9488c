#include "net/auth_key.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <span>
#include <string>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

constexpr const char* variable = "TILEWALL_TEST_SECRET";

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

TEST_CASE("a tag survives hexadecimal, and nothing else is one", "[net]") {
  const AuthKey key(bytes_of("sixteen bytes ok"));
  const AuthTag tag = key.tag(bytes_of("hello"));
  CHECK(tag_from_hex(to_hex(tag)) == tag);
  CHECK(key.matches(bytes_of("hello"), tag));
  CHECK_FALSE(key.matches(bytes_of("hallo"), tag));
  const std::string hex = to_hex(tag);
  CHECK_FALSE(tag_from_hex(""));
  CHECK_FALSE(tag_from_hex(hex.substr(1)));
  CHECK_FALSE(tag_from_hex(hex.substr(2)));
  CHECK_FALSE(tag_from_hex(hex + "00"));
  CHECK_FALSE(tag_from_hex("zz" + hex.substr(2)));
}

TEST_CASE("a show's secret reaches its processes through the environment", "[net]") {
  ::unsetenv(variable);
  CHECK_FALSE(AuthKey::from_environment(variable));
  ::setenv(variable, "", 1);
  CHECK_FALSE(AuthKey::from_environment(variable));
  const std::string secret = random_secret_hex();
  CHECK(secret.size() == 64);
  CHECK(secret != random_secret_hex());
  ::setenv(variable, secret.c_str(), 1);
  const auto key = AuthKey::from_environment(variable);
  REQUIRE(key);
  CHECK(AuthKey::from_environment(variable)->matches(bytes_of("x"), key->tag(bytes_of("x"))));
  for (const char* bad : {"00", "not hexadecimal at all, but long enough", "0"}) {
    ::setenv(variable, bad, 1);
    CAPTURE(bad);
    CHECK_THROWS_AS(AuthKey::from_environment(variable), InputError);
  }
  ::unsetenv(variable);
}
