// Which requests are under a name of the console's own, and which come from its own page.

#include "player/console/access/request_origin.hpp"

#include <catch2/catch.hpp>

using namespace tilewall::console;

namespace {

const OwnNames loopback = own_names("127.0.0.1", 8080, false);

}  // namespace

TEST_CASE("a host is the console's own by name and port", "[console]") {
  for (const char* const host : {"127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080"})
    CHECK(is_own_host(loopback, host));
  for (const char* const host :
       {"", "127.0.0.1", "localhost", "localhost:80", "localhost:80800", "localhost:08080",
        "evil.example:8080", "127.0.0.1.evil.example:8080", "localhost:8080.evil.example",
        "x@localhost:8080", "localhost:8080 ", "localhost.:8080", "[::1]:8080", "127.0.0.2:8080"})
    CHECK_FALSE(is_own_host(loopback, host));
}

TEST_CASE("the usual port may be left out", "[console]") {
  CHECK(is_own_host(own_names("127.0.0.1", 80, false), "localhost"));
  CHECK(is_own_host(own_names("127.0.0.1", 80, false), "localhost:80"));
  CHECK_FALSE(is_own_host(own_names("127.0.0.1", 80, true), "localhost"));
  CHECK(is_own_host(own_names("127.0.0.1", 443, true), "localhost"));
  CHECK_FALSE(is_own_host(own_names("127.0.0.1", 443, false), "localhost"));
}

TEST_CASE("IPv6, other addresses and wildcards have their names", "[console]") {
  CHECK(is_own_host(own_names("[::1]", 8080, false), "[::1]:8080"));
  CHECK(is_own_host(own_names("[::1]", 8080, false), "localhost:8080"));
  CHECK(is_own_host(own_names("[FE80::1]", 8080, false), "[fe80::1]:8080"));
  CHECK_FALSE(is_own_host(own_names("10.0.0.7", 8080, false), "localhost:8080"));
  for (const char* const wildcard : {"0.0.0.0", "[::]"}) {
    const OwnNames all = own_names(wildcard, 8080, false);
    CHECK(is_own_host(all, "localhost:8080"));
    CHECK(is_own_host(all, "127.0.0.1:8080"));
    CHECK_FALSE(is_own_host(all, "evil.example:8080"));
  }
  for (const std::string& name : own_names("0.0.0.0", 1, false).hosts) CHECK_FALSE(name.empty());
}

TEST_CASE("the console's own page is known by what browsers tell of it", "[console]") {
  CHECK(is_own_page(loopback, {"http://127.0.0.1:8080", "same-origin"}));
  CHECK(is_own_page(loopback, {"http://127.0.0.1:8080", ""}));  // browsers before 2023
  CHECK(is_own_page(loopback, {"", "same-origin"}));
  CHECK_FALSE(is_own_page(loopback, {"", ""}));
  for (const char* const origin :
       {"null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081",
        "http://127.0.0.1", "127.0.0.1:8080", "http://127.0.0.1:8080.evil.example", "http://",
        "HTTP://127.0.0.1:8080/"}) {
    CHECK_FALSE(is_own_page(loopback, {origin, ""}));
    CHECK_FALSE(is_own_page(loopback, {origin, "same-origin"}));
  }
  for (const char* const site : {"cross-site", "same-site", "none", "SAME-ORIGIN"}) {
    CHECK_FALSE(is_own_page(loopback, {"http://127.0.0.1:8080", site}));
    CHECK_FALSE(is_own_page(loopback, {"", site}));
  }
  const OwnNames tls = own_names("127.0.0.1", 8443, true);
  CHECK(is_own_page(tls, {"https://localhost:8443", ""}));
  CHECK_FALSE(is_own_page(tls, {"http://localhost:8443", ""}));
}

TEST_CASE("a console behind a proxy has the proxy's name, too", "[console]") {
  OwnNames own = own_names("127.0.0.1", 8080, false);
  own.url = "https://Wall.example.org";
  CHECK(is_own_host(own, "wall.example.org"));
  CHECK(is_own_host(own, "127.0.0.1:8080"));
  CHECK_FALSE(is_own_host(own, "wall.example.org:8080"));
  CHECK_FALSE(is_own_host(own, "example.org"));
  CHECK(is_own_page(own, {"https://wall.example.org", "same-origin"}));
  CHECK(is_own_page(own, {"http://127.0.0.1:8080", ""}));
  CHECK_FALSE(is_own_page(own, {"http://wall.example.org", ""}));
  CHECK_FALSE(is_own_page(own, {"https://wall.example.org", "cross-site"}));
  CHECK_FALSE(is_own_page(own, {"https://evil.example.org", ""}));
}
