// What somebody who reaches the control port may do to it, with the key and without.

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "net/control/control_place.hpp"
#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "player/director/connections/control_server.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "tests/support/control_peers.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::net;

namespace {
namespace control_attack {

using Json = nlohmann::json;
using test::authenticated_client;
using test::control_key;

constexpr std::size_t megabyte = std::size_t{1} << 20;

/// A control port whose requests are answered with "done".
class Port {
 public:
  explicit Port(ControlServer::Options options = {control_key()})
      : server(std::move(listening_), std::move(options), handler()) {}

  /// A connection that says nothing. `from` is an address of loopback.
  UniqueFd silent(in_addr_t from = INADDR_LOOPBACK) {
    return try_connect_tcp(address, std::chrono::seconds(10), [from](int socket) {
      sockaddr_in own = {};
      own.sin_family = AF_INET;
      own.sin_addr.s_addr = htonl(from);
      REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0);
    });
  }

  /// Adds silent connections, and lets the server see them.
  void add_silent(std::vector<UniqueFd>& to, int count) {
    for (int i = 0; i < count; ++i) {
      to.push_back(silent());
      REQUIRE_FALSE(to.back().empty());
      if (i % 32 == 31) server.poll(std::chrono::milliseconds(0));
    }
    server.poll(std::chrono::milliseconds(0));
  }

  /// The answer to a request; null where the connection ended before.
  Json ask(SealedStream& client, const Json& request) {
    client.queue({request.dump(), {}});
    std::vector<Message> received;
    while (received.empty()) {
      static_cast<void>(client.write_some());
      server.poll(std::chrono::milliseconds(1));
      if (client.read_some(received) != StreamStatus::open && received.empty()) return {};
    }
    return Json::parse(received.front().text);
  }

  /// Whether the server ends the connection.
  bool ends(SealedStream& client) {
    std::vector<Message> none;
    return test::eventually([&] {
      static_cast<void>(client.write_some());
      server.poll(std::chrono::milliseconds(1));
      return client.read_some(none) != StreamStatus::open;
    });
  }

 private:
  ControlServer::Handler handler() {
    return {[this](ConnectionId from, const Json& json, std::vector<std::uint8_t>&& blob) {
              const std::string type = json.value("type", "");
              if (type == "hello") server.join(from, 2 * megabyte);
              if (type == "fail") throw std::runtime_error("a broken part");
              if (type == "client") server.admit_client(from);
              server.send(
                  from,
                  {{"type", "done"}, {"id", json.value("id", Json())}, {"blob", blob.size()}});
            },
            [](ConnectionId) {}, [this](const std::string& line) { troubles.push_back(line); }};
  }

  UniqueFd listening_ = listen_tcp(resolve("127.0.0.1:0", "test"));

 public:
  const SocketAddress address = local_address(listening_.get());
  std::vector<std::string> troubles;
  ControlServer server;
};

/// The beginning of a message of `bytes`, which nobody has sealed.
std::vector<std::uint8_t> beginning(std::uint32_t announced_text, std::size_t bytes) {
  std::vector<std::uint8_t> all = {'T', 'W', 'C', 'M'};
  for (const std::uint32_t word : {announced_text, std::uint32_t{16}})
    for (int shift = 0; shift < 32; shift += 8)
      all.push_back(static_cast<std::uint8_t>(word >> shift));
  all.resize(std::max(bytes, all.size()), ' ');
  return all;
}

/// Sends the bytes, while the server takes them. Returns whether the server took all.
bool push(Port& port, SealedStream& client, const std::vector<std::uint8_t>& bytes) {
  std::size_t sent = 0;
  static_cast<void>(test::eventually([&] {
    const ssize_t got = ::send(client.fd(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (got > 0) sent += static_cast<std::size_t>(got);
    port.server.poll(std::chrono::milliseconds(0));
    return sent == bytes.size() || (got < 0 && errno != EAGAIN);
  }));
  for (int i = 0; i < 10; ++i) port.server.poll(std::chrono::milliseconds(0));
  return sent == bytes.size();
}

}  // namespace control_attack
}  // namespace

using namespace control_attack;

TEST_CASE("silent connections keep nobody else from the control port", "[attack]") {
  allow_open_files();
  Port port;
  std::vector<UniqueFd> attackers;
  port.add_silent(attackers, 2046);
  CHECK(port.server.strangers() <= ControlServer::most_strangers);
  const auto client = authenticated_client(port.server, port.address);
  REQUIRE(client->is_authenticated());
  CHECK(port.ask(*client, {{"type", "status"}}).value("type", "") == "done");
  // Who has proved the key stays, however many come.
  port.add_silent(attackers, 1500);
  CHECK(port.ask(*client, {{"type", "status"}}).value("type", "") == "done");
  CHECK(port.server.connections() == 1);
}

TEST_CASE("who comes from another address than the attacker need not hurry", "[attack]") {
  allow_open_files();
  Port port;
  const UniqueFd slow = port.silent(INADDR_LOOPBACK + 1);  // 127.0.0.2
  port.server.poll(std::chrono::milliseconds(10));
  std::vector<UniqueFd> attackers;
  port.add_silent(attackers, 2000);
  char greeting[512];
  REQUIRE(::recv(slow.get(), greeting, sizeof greeting, MSG_DONTWAIT) > 0);
  CHECK(::recv(slow.get(), greeting, sizeof greeting, MSG_DONTWAIT) == -1);  // and not 0, the end
  CHECK((errno == EAGAIN || errno == EWOULDBLOCK));
}

TEST_CASE("a connection that does not prove the key is closed after some seconds", "[attack]") {
  Port port;
  const UniqueFd stranger = port.silent();
  const auto client = authenticated_client(port.server, port.address);
  CHECK(port.server.strangers() == 1);
  CHECK(test::eventually(
      [&] {
        port.server.poll(std::chrono::milliseconds(20));
        return port.server.strangers() == 0;
      },
      std::chrono::seconds(60)));
  CHECK(port.server.connections() == 1);  // who has proved it may be silent
}

TEST_CASE("unfinished messages take bounded memory, and keep no panel from sending", "[attack]") {
  Port port({.key = control_key(), .receive_bytes = 8 * megabyte});
  std::vector<std::unique_ptr<SealedStream>> clients;
  std::vector<std::uint8_t> picture(2 * megabyte);
  const auto panel = authenticated_client(port.server, port.address);
  CHECK(port.ask(*panel, {{"type", "hello"}}).at("type") == "done");
  for (int i = 0; i < 3; ++i) {
    clients.push_back(authenticated_client(port.server, port.address));
    CHECK(port.ask(*clients.back(), {{"type", "status"}}).at("type") == "done");
  }
  for (const auto& client : clients) {
    static_cast<void>(push(port, *client, beginning(16u << 20, 7 * megabyte)));
    CHECK(port.server.received_bytes() <= 8 * megabyte);
  }
  panel->queue({R"({"type":"picture"})", picture});
  CHECK(port.ask(*panel, {{"type", "status"}}).value("blob", std::size_t{0}) == picture.size());
  CHECK(port.server.received_bytes() <= 8 * megabyte);
  CHECK(port.server.connections() < 4);  // a client had to give way
}

TEST_CASE("only members send blobs, and none beyond their picture", "[attack]") {
  Port port;
  const auto client = authenticated_client(port.server, port.address);
  client->queue({R"({"type":"status"})", {1}});
  CHECK(port.ends(*client));
  const auto panel = authenticated_client(port.server, port.address);
  CHECK(port.ask(*panel, {{"type", "hello"}}).at("type") == "done");
  panel->queue({R"({"type":"picture"})", std::vector<std::uint8_t>(2 * megabyte + 1)});
  CHECK(port.ends(*panel));
}

TEST_CASE("a request whose handler fails is refused, and the port goes on", "[attack]") {
  Port port;
  const auto client = authenticated_client(port.server, port.address);
  const Json refused = port.ask(*client, {{"type", "fail"}, {"id", 7}});
  CHECK(refused ==
        Json{{"type", "refused"}, {"id", 7}, {"error", "the director failed: a broken part"}});
  CHECK(port.server.requests_failed() == 1);
  REQUIRE(port.troubles.size() == 1);
  CHECK_THAT(port.troubles.front(), Catch::Contains("the director failed: a broken part"));
  CHECK(port.ask(*client, {{"type", "status"}}).at("type") == "done");
}

TEST_CASE("clients leave places for the show's own processes", "[attack]") {
  allow_open_files();
  constexpr std::size_t most_clients = 2;
  const std::size_t places =
      std::min<std::size_t>(ControlServer::most_connections, open_files_limit() - 128);
  Port port({.key = control_key(), .places_for_members = places - most_clients});
  std::vector<std::unique_ptr<SealedStream>> clients;
  for (std::size_t i = 0; i < most_clients; ++i) {
    clients.push_back(authenticated_client(port.server, port.address));
    CHECK(port.ask(*clients.back(), {{"type", "client"}}).at("type") == "done");
  }
  const auto one_more = authenticated_client(port.server, port.address);
  one_more->queue({R"({"type":"client"})", {}});
  CHECK(port.ends(*one_more));
  const auto panel = authenticated_client(port.server, port.address);
  CHECK(port.ask(*panel, {{"type", "hello"}}).at("type") == "done");
  CHECK(port.ask(*clients.front(), {{"type", "client"}}).at("type") == "done");
}

TEST_CASE("two thousand silent connections do not lock the operator out of a show", "[attack]") {
  using namespace tilewall::test;
  allow_open_files();
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, 24);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  const WallClient first(show.run_dir());
  const ControlPlace place(show.run_dir());
  const SocketAddress address = resolve(place.address(), "control.addr");
  std::vector<UniqueFd> attackers;
  for (int i = 0; i < 2046; ++i)
    attackers.push_back(try_connect_tcp(address, std::chrono::seconds(10)));
  const ProgramResult status = show.ctl({"status", "--json"});
  CHECK(status.exit_code == 0);
  CHECK(Json::parse(status.out).at("requests_failed") == 0);
  CHECK(show.ctl({"quit"}).exit_code == 0);
}
