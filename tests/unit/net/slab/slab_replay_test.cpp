// Somebody on the network records what a client and a server say to each other, and sends it again.

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>

#include "net/slab/packet.hpp"
#include "tests/emulation/path_relay.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr int replays = 5;
constexpr std::uint64_t replay_slab_bytes = 200'001;

/// Counts the requests that reach it.
class CountedNumbers final : public SlabSource {
 public:
  nlohmann::json call(const nlohmann::json& question) override {
    ++asked_;
    return question.at("word");
  }
  std::shared_ptr<const SlabBuffer> read(std::span<const std::byte> request) override {
    ++read_;
    return numbers_for(request);
  }
  [[nodiscard]] int asked() const noexcept { return asked_; }
  [[nodiscard]] int read_so_far() const noexcept { return read_; }

 private:
  std::atomic<int> asked_{0};
  std::atomic<int> read_{0};
};

/// A server, a client, and somebody between them who records.
class RecordedSession {
 public:
  RecordedSession(SlabTransport transport, bool keyed, bool encrypt)
      : server_(server_options(keyed), source_), relay_(server_.port(), {}, {}) {
    relay_.record();
    options_ = client_of(relay_.port(), transport, transport == SlabTransport::tcp ? 2 : 1);
    if (keyed) options_.session.key = test_key();
    options_.session.encrypt = encrypt;
    connect();
  }

  /// Begins the client's session, in place of the one that it had.
  void connect() {
    client_.reset();
    client_ = std::make_unique<SlabClient>(options_);
  }
  void check_slabs() {
    for (int i = 0; i < 3; ++i, ++seed_) {
      const auto slab = await(*client_, client_->fetch(numbers_request(seed_, replay_slab_bytes),
                                                       SlabClient::no_deadline));
      REQUIRE(slab);
      CHECK(is_right(*slab, seed_, replay_slab_bytes));
      CHECK(client_->call({{"type", "echo"}, {"word", seed_}}, 10s) == seed_);
    }
  }
  /// Sends all that was recorded again: datagrams from the same socket and from another one, and
  /// streams on connections of their own.
  void replay() {
    const PathRelay::Recorded recorded = relay_.recorded();
    const UniqueFd other = connect_udp(local(server_.port()));
    for (int i = 0; i < replays; ++i) {
      relay_.replay_datagrams();
      for (const auto& datagram : recorded.datagrams)
        ::send(other.get(), datagram.data(), datagram.size(), MSG_DONTWAIT);
      for (const auto& stream : recorded.streams) {
        const UniqueFd connection = try_connect_tcp(local(server_.port()), 5s);
        REQUIRE(!connection.empty());
        ::send(connection.get(), stream.data(), stream.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        // Until the server ends it, or has nothing more to say.
        std::array<std::byte, 4096> answers{};
        pollfd answered = {connection.get(), POLLIN, 0};
        while (::poll(&answered, 1, 100) > 0 &&
               ::recv(connection.get(), answers.data(), answers.size(), MSG_DONTWAIT) > 0) {
        }
      }
    }
  }

  [[nodiscard]] int requests() const noexcept { return source_.read_so_far(); }
  [[nodiscard]] int questions() const noexcept { return source_.asked(); }
  [[nodiscard]] int made() const noexcept { return static_cast<int>(seed_); }
  [[nodiscard]] SlabServerStatus server_status() const { return server_.status(); }
  [[nodiscard]] SlabClientStatus client_status() const { return client_->status(); }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }

 private:
  [[nodiscard]] SlabServerOptions server_options(bool keyed) {
    SlabServerOptions options{local(0)};
    if (keyed) options.key = test_key();
    options.log = [this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      lines_.push_back(line);
    };
    return options;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  CountedNumbers source_;
  RunningServer server_;
  PathRelay relay_;
  SlabClientOptions options_;
  std::unique_ptr<SlabClient> client_;
  std::uint64_t seed_ = 0;
};

}  // namespace

TEST_CASE("packets of a session that are sent again change nothing", "[slab][replay]") {
  for (const auto& [keyed, encrypt] : {std::pair(false, false), {true, false}, {true, true}}) {
    CAPTURE(keyed, encrypt);
    RecordedSession session(SlabTransport::udp, keyed, encrypt);
    session.check_slabs();
    const ReceiveCounters before = session.client_status().received;
    session.replay();
    session.check_slabs();
    CHECK(session.client_status().connected);
    // The server reads no request twice, and the client takes no piece twice.
    CHECK(session.requests() == session.made());
    const ReceiveCounters after = session.client_status().received;
    CHECK(after.repeated_packets > before.repeated_packets);
    CHECK(session.server_status().sent.slabs <= static_cast<std::uint64_t>(session.made()));
    CHECK(test::eventually([&] { return session.server_status().sessions == 1; }));
    CHECK(session.lines().size() <= 1);
    // Without a key, whoever reaches the server may have a session, and so may a recorded client.
    if (!keyed) continue;
    CHECK(session.questions() == session.made());
    CHECK(session.server_status().refused >= replays);
  }
}

TEST_CASE("connections of a session that are made again change nothing", "[slab][replay]") {
  for (const bool keyed : {false, true}) {
    CAPTURE(keyed);
    RecordedSession session(SlabTransport::tcp, keyed, false);
    session.check_slabs();
    session.replay();
    session.check_slabs();
    CHECK(session.client_status().connected);
    CHECK(session.requests() == session.made());
    CHECK(test::eventually([&] { return session.server_status().sessions == 1; }));
    CHECK(session.lines().size() <= 1);
  }
}

TEST_CASE("packets of a session before are none of the next one", "[slab][replay]") {
  for (const bool keyed : {false, true}) {
    CAPTURE(keyed);
    RecordedSession session(SlabTransport::udp, keyed, false);
    session.check_slabs();
    session.connect();
    session.check_slabs();
    const std::uint64_t malformed = session.server_status().malformed;
    session.replay();
    session.check_slabs();
    CHECK(session.requests() == session.made());
    CHECK(session.server_status().malformed > malformed);
    CHECK(session.client_status().connected);
  }
}
