// How much TCP may have under way, and over which interfaces it goes.

#include "net/slab/tcp_window.hpp"

#include <catch2/catch.hpp>

#include "net/interfaces.hpp"
#include "net/socket.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace std::chrono_literals;

namespace {

std::vector<NetInterface> parse(const std::string& text) {
  return parse_interfaces(text, "here", "interfaces");
}

std::vector<std::size_t> order(const std::string& text, int connections) {
  std::vector<std::size_t> order;
  for (const InterfaceShare& share : share_interfaces(parse(text), connections))
    order.push_back(share.interface);
  return order;
}

UniqueFd tcp_socket() { return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

}  // namespace

TEST_CASE("a window is twice what the path holds, within bounds", "[slab]") {
  CHECK(tcp_window_bytes(500e6, 64ms, 1) == 64'000'000);
  CHECK(tcp_window_bytes(125e6, 64ms, 4) == 16'000'000);
  CHECK(tcp_window_bytes(1e9, 10us, 1) == 65'536);
  CHECK(tcp_window_bytes(1e9, Nanos{0}, 1) == 65'536);
  CHECK(tcp_window_bytes(1e12, 1s, 1) == (1u << 30) - 1);
  CHECK(tcp_window_bytes(1e12, 1s, 4) == (1u << 28) - 1);
}

TEST_CASE("a buffer is set only where the kernel's own sizing does not reach", "[slab]") {
  for (const TcpEnd end : {TcpEnd::sends, TcpEnd::receives}) {
    const UniqueFd small = tcp_socket();
    const TcpWindow left = widen_tcp(small.get(), end, 100'000);
    CHECK_FALSE(left.is_set);
    CHECK(left.bytes >= left.wanted_bytes);
    const UniqueFd large = tcp_socket();
    const std::uint64_t wanted = left.bytes + 100'000'000;
    const TcpWindow window = widen_tcp(large.get(), end, wanted);
    CHECK(window.wanted_bytes == wanted);
    if (window.is_set) CHECK(window.bytes > left.bytes);  // never less than without
    if (!window.is_set) CHECK(window.bytes == left.bytes);
  }
}

TEST_CASE("over a short way the host's congestion control stays", "[slab]") {
  const UniqueFd socket = tcp_socket();
  const std::string own = choose_congestion_control(socket.get(), 50us);
  CHECK_FALSE(own.empty());
  const std::string far = choose_congestion_control(socket.get(), 64ms);
  CHECK((far == "bbr" || far == own));
  CHECK(tcp_round_trip(socket.get()) == Nanos{0});
}

TEST_CASE("interfaces have names or addresses, and rates if somebody said them", "[slab]") {
  CHECK(parse("eth0@10,eth1@2.5") == std::vector<NetInterface>{{"eth0", 10}, {"eth1", 2.5}});
  CHECK(parse("10.0.0.2,fd00:1234:5678:9abc::1@40") ==
        std::vector<NetInterface>{{"10.0.0.2", 0}, {"fd00:1234:5678:9abc::1", 40}});
  CHECK(to_string(parse("eth0@10,eth1")) == "eth0@10,eth1");
  for (const char* wrong :
       {"", "eth0,", "@10", "eth0@", "eth0@0", "eth0@-1", "eth0@nan", "eth0@inf", "eth0@1001",
        "eth0@10x", "eth0@1,eth0@2", "a-name-that-is-too-long"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH(parse(wrong), Catch::StartsWith("here: interfaces: expected "));
  }
  CHECK_THROWS_WITH(parse("eth0@0"),
                    "here: interfaces: expected a rate above 0 and up to 1000 Gbit/s, "
                    "found \"eth0@0\"");
}

TEST_CASE("interfaces have names of 15 letters, rates of 1000 Gbit/s, and are 64 at most",
          "[slab]") {
  CHECK(parse("eth0@1000")[0].gbit_s == 1000);
  CHECK_THROWS_AS(parse("eth0@1000.5"), InputError);
  CHECK(parse("abcdefghijklmno")[0].name == "abcdefghijklmno");
  CHECK_THROWS_WITH(parse("abcdefghijklmnop"),
                    Catch::Contains("expected the name of an interface, or an address"));
  CHECK_THROWS_WITH(parse("a,b,a@5"), Catch::Contains("\"a\" twice"));
  std::string many = "i1";
  for (int i = 2; i <= 64; ++i) many += ",i" + std::to_string(i);
  CHECK(parse(many).size() == 64);
  CHECK(to_string(parse(many)) == many);
  CHECK_THROWS_WITH(parse(many + ",i65"), Catch::Contains("at most 64 interfaces, found 65"));
}

TEST_CASE("streams go round over the interfaces, by their rates", "[slab]") {
  using Order = std::vector<std::size_t>;
  CHECK(order("a@10,b@10", 4) == Order{0, 1, 0, 1});
  CHECK(order("a@30,b@10", 6) == Order{0, 1, 0, 0, 0, 0});
  CHECK(order("a@20,b@10", 6) == Order{0, 1, 0, 0, 0, 1});
  CHECK(order("a@100,b@1", 4) == Order{0, 1, 0, 0});
  CHECK(order("a,b,c", 5) == Order{0, 1, 2, 0, 1});
  CHECK(order("a@10,b", 4) == Order{0, 1, 0, 1});
  const auto shares = share_interfaces(parse("a@8,b@4,c"), 5);
  double sums[3] = {};
  for (const InterfaceShare& share : shares) sums[share.interface] += share.bytes_s;
  CHECK(sums[0] == Approx(1e9));
  CHECK(sums[1] == Approx(0.5e9));
  CHECK(sums[2] == 0);
}

TEST_CASE("an interface that this host does not have is named", "[slab]") {
  const UniqueFd socket = tcp_socket();
  CHECK_THROWS_WITH(bind_to_interface(socket.get(), {"no-such-0", 0}, AF_INET),
                    "no-such-0: expected an interface of this host ('ip link' lists them)");
  CHECK_THROWS_WITH(bind_to_interface(socket.get(), {"192.0.2.1", 0}, AF_INET),
                    "192.0.2.1: expected an address of this host");
  CHECK_THROWS_WITH(bind_to_interface(socket.get(), {"127.0.0.1", 0}, AF_INET6),
                    "127.0.0.1: expected an address of the server's kind");
  CHECK_NOTHROW(bind_to_interface(socket.get(), {"lo", 0}, AF_INET));
  const UniqueFd by_address = tcp_socket();
  bind_to_interface(by_address.get(), {"127.0.0.9", 0}, AF_INET);
  CHECK(to_string(local_address(by_address.get())).starts_with("127.0.0.9:"));
}
