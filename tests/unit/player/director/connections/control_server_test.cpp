// The director's control port when the process has no descriptor to spare, and when more messages
// wait than one turn may take.

#include "player/director/connections/control_server.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/socket.hpp"
#include "sync/base/process.hpp"
#include "tests/support/control_peers.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::net;

namespace {

/// No further descriptors for this process while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    const UniqueFd lowest(::dup(0));  // of those that are free
    none.rlim_cur = static_cast<rlim_t>(lowest.get());
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_ = {};
};

}  // namespace

TEST_CASE("without a descriptor, connections wait, the cause is told once, and nothing spins",
          "[director]") {
  constexpr std::chrono::milliseconds turn{20};
  std::vector<std::string> troubles;
  UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address = local_address(listening.get());
  ControlServer server(
      std::move(listening), {test::control_key()},
      {[](ConnectionId, const nlohmann::json&, std::vector<std::uint8_t>&&) {}, [](ConnectionId) {},
       [&](const std::string& line) { troubles.push_back(line); }});
  const UniqueFd client = try_connect_tcp(address, std::chrono::seconds(5));
  REQUIRE_FALSE(client.empty());
  {
    const NoDescriptors none;
    server.poll(turn);
    // A turn that did not wait would come to its end at once, though the client waits on.
    const auto began = std::chrono::steady_clock::now();
    server.poll(turn);
    CHECK(std::chrono::steady_clock::now() - began >= turn / 2);
    for (int i = 0; i < 10; ++i) server.poll(turn);
  }
  CHECK(server.strangers() == 0);
  REQUIRE(troubles.size() == 1);
  CHECK_THAT(troubles[0], Catch::Contains("Too many open files") && Catch::Contains("ulimit -n"));
  for (int i = 0; i < 1000 && server.strangers() == 0; ++i) server.poll(turn);
  CHECK(server.strangers() == 1);
}

TEST_CASE("clients leave places for members, who are no clients", "[director]") {
  std::optional<ConnectionId> sender;
  UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address = local_address(listening.get());
  ControlServer::Options options{test::control_key()};
  options.places_for_members = 1'000'000;  // more than a process may have
  ControlServer server(
      std::move(listening), options,
      {[&](ConnectionId id, const nlohmann::json&, std::vector<std::uint8_t>&&) { sender = id; },
       [](ConnectionId) {}});
  const auto stream = test::authenticated_client(server, address);
  stream->queue({"{}", {}});
  REQUIRE(stream->write_some() == StreamStatus::open);
  while (!sender) server.poll(std::chrono::milliseconds(10));
  CHECK_THROWS_WITH(server.admit_client(*sender), Catch::Contains("at most 0 clients"));
  server.join(*sender);
  CHECK_NOTHROW(server.admit_client(*sender));
}

TEST_CASE("a turn takes some of the messages that wait, and the next ones take the others in turn",
          "[director]") {
  constexpr std::size_t clients = 12;
  constexpr std::uint64_t message_time_ns = 2'000'000;  // a turn serves messages for 5 ms
  std::vector<ConnectionId> served;
  UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address = local_address(listening.get());
  ControlServer server(std::move(listening), {test::control_key()},
                       {[&](ConnectionId id, const nlohmann::json&, std::vector<std::uint8_t>&&) {
                          served.push_back(id);
                          const std::uint64_t until_ns = thread_time_ns() + message_time_ns;
                          while (thread_time_ns() < until_ns) {
                          }
                        },
                        [](ConnectionId) {}});
  std::vector<std::unique_ptr<SealedStream>> streams;
  for (std::size_t i = 0; i < clients; ++i)
    streams.push_back(test::authenticated_client(server, address));
  const auto ask = [](SealedStream& stream) {
    stream.queue({"{}", {}});
    REQUIRE(stream.write_some() == StreamStatus::open);
  };
  for (const auto& stream : streams) ask(*stream);
  server.poll(std::chrono::milliseconds(100));
  CHECK(served.size() >= 1);
  CHECK(served.size() <= 3);
  CHECK(server.has_more());
  // The connections that were served have a message again, and wait for their turn.
  for (std::size_t i = 0; i < served.size(); ++i) ask(*streams[i]);
  while (served.size() < clients) server.poll(std::chrono::milliseconds(100));
  std::vector<ConnectionId> first(served.begin(), served.begin() + clients);
  std::ranges::sort(first);
  CHECK(std::ranges::adjacent_find(first) == first.end());  // each connection once
  for (int i = 0; i < 1000 && server.has_more(); ++i) server.poll(std::chrono::milliseconds(1));
  CHECK_FALSE(server.has_more());
}

TEST_CASE("clients leave places for the show's own processes", "[director]") {
  // 128 descriptors are the director's own, and there are 64 places at least.
  const std::size_t allowed = std::max<std::size_t>(open_files_limit(), 128);
  const std::size_t places =
      std::clamp<std::size_t>(allowed - 128, 64, ControlServer::most_connections);
  UniqueFd listening = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address = local_address(listening.get());
  ControlServer server(std::move(listening), {test::control_key(), {}, {}, places - 1},
                       {[](ConnectionId, const nlohmann::json&, std::vector<std::uint8_t>&&) {},
                        [](ConnectionId) {}});
  std::vector<std::unique_ptr<SealedStream>> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(test::authenticated_client(server, address));
  server.join(1);
  CHECK_NOTHROW(server.admit_client(1));  // a member's place is not a client's
  CHECK_NOTHROW(server.admit_client(2));
  CHECK_NOTHROW(server.admit_client(2));
  CHECK_THROWS_WITH(server.admit_client(3),
                    "control port: expected at most 1 clients, found one more");
}
