// Sessions whose provider connects to the requester.

#include "net/slab/slab_acceptor.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>

#include "net/slab/client_session.hpp"
#include "net/slab/eviction.hpp"
#include "net/slab/slab_dialler.hpp"
#include "net/slab/slab_server.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;

namespace {

/// Lines of a log, which another thread writes.
class Lines {
 public:
  void add(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(line);
  }
  [[nodiscard]] bool contain(const std::string& text) const {
    const std::scoped_lock lock(mutex_);
    return std::any_of(lines_.begin(), lines_.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;  // guarded by mutex_
};

/// A server of Numbers that connects to a port of this host and listens nowhere.
class Provider {
 public:
  explicit Provider(std::uint16_t to, const std::string& provides = "heat",
                    const std::optional<AuthKey>& key = {})
      : server_(options_for(to, provides, key), numbers_) {}
  [[nodiscard]] SlabServer& operator*() { return *server_; }
  [[nodiscard]] const Lines& lines() const { return lines_; }

 private:
  SlabServerOptions options_for(std::uint16_t to, const std::string& provides,
                                const std::optional<AuthKey>& key) {
    SlabServerOptions options;
    options.requesters = {local(to)};
    options.provides = provides;
    options.key = key;
    options.log = [this](const std::string& line) { lines_.add(line); };
    return options;
  }

  Lines lines_;
  Numbers numbers_;
  RunningServer server_;
};

/// A requester's listening side, driven by hand.
struct Wall {
  explicit Wall(const std::optional<AuthKey>& key = {}, std::uint16_t port = 0)
      : acceptor({local(port), key, [this](const std::string& line) { lines.add(line); }}) {}

  /// Steps until the condition holds.
  bool step_until(const std::function<bool()>& condition) {
    for (const LocalInstant until = local_now() + Nanos(20s); local_now() < until;) {
      if (condition()) return true;
      auto watched = acceptor.watched();
      ::poll(watched.data(), watched.size(), 20);
      acceptor.step(local_now());
      for (Offered& offered : acceptor.take()) offers.push_back(std::move(offered));
    }
    return condition();
  }
  /// The next provider.
  Offered next() {
    REQUIRE(step_until([&] { return !offers.empty(); }));
    Offered first = std::move(offers.front());
    offers.erase(offers.begin());
    return first;
  }

  Lines lines;
  SlabAcceptor acceptor;
  std::vector<Offered> offers;
};

SlabSessionOptions session_options(SlabTransport transport, int stripes = 1,
                                   const std::optional<AuthKey>& key = {}, bool encrypt = false) {
  SlabSessionOptions options;
  options.transport = transport;
  options.stripes = stripes;
  options.key = key;
  options.encrypt = encrypt;
  return options;
}

/// Fetches slabs of several sizes and checks them.
void check_slabs(ClientSession& session) {
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const std::uint64_t size : {0U, 1U, 8897U, 100'000U, 3'000'000U})
    sizes[session.fetch(numbers_request(size, size))] = size;
  session.ask({{"type", "echo"}, {"word", "so"}});
  ClientSession::Events events;
  for (const LocalInstant until = local_now() + Nanos(20s); local_now() < until;) {
    auto watched = session.watched();
    ::poll(watched.data(), watched.size(), 20);
    REQUIRE(session.step(local_now(), events));
    if (events.slabs.size() == sizes.size() && !events.answers.empty()) break;
  }
  REQUIRE(events.slabs.size() == sizes.size());
  for (const FinishedSlab& finished : events.slabs)
    CHECK(is_right(finished.slab, sizes.at(finished.request), sizes.at(finished.request)));
  REQUIRE(events.answers.size() == 1);
  CHECK(events.answers.front()["answer"] == "so");
}

/// A peer by hand that connects to a port.
RawPeer peer_to(std::uint16_t port) { return RawPeer(try_connect_tcp(local(port), 5s)); }

/// A port where nobody listens.
std::uint16_t closed_port() { return local_address(listen_tcp(local(0)).get()).port(); }

}  // namespace

TEST_CASE("a provider that connects gives slabs over UDP and TCP, under any seal", "[slab]") {
  for (const bool keyed : {false, true})
    for (const bool encrypt : {false, true}) {
      if (encrypt && !keyed) continue;
      const auto key = keyed ? test_key() : std::nullopt;
      Wall wall(key);
      Provider provider(wall.acceptor.port(), "heat 1/4", key);
      for (const auto& options : {session_options(SlabTransport::udp, 1, key, encrypt),
                                  session_options(SlabTransport::tcp, 1, key, encrypt),
                                  session_options(SlabTransport::tcp, 3, key, encrypt)}) {
        CAPTURE(keyed, encrypt, static_cast<int>(options.transport), options.stripes);
        Offered offered = wall.next();  // once more after each session has ended
        CHECK(offered.provides == "heat 1/4");
        SlabPool pool(0);
        ClientSession session(std::move(offered), options, pool, 10s);
        check_slabs(session);
        CHECK(session.counters().malformed_packets == 0);
        (*provider).tell({{"type", "step"}});
        ClientSession::Events events;
        CHECK(
            eventually([&] { return session.step(local_now(), events) && !events.told.empty(); }));
      }
    }
}

TEST_CASE("a provider waits for its requester to listen, and for it to come back", "[slab]") {
  const std::uint16_t port = closed_port();
  Provider provider(port);
  CHECK(eventually([&] { return provider.lines().contain("tried again until it answers"); }));
  for (int round = 0; round < 2; ++round) {
    Wall wall({}, port);
    SlabPool pool(0);
    ClientSession session(wall.next(), session_options(SlabTransport::udp), pool, 10s);
    check_slabs(session);
  }
}

TEST_CASE("one provider serves several requesters, and clients that connect to it", "[slab]") {
  Wall first;
  Wall second;
  Numbers numbers;
  SlabServerOptions options{local(0)};
  options.requesters = {local(first.acceptor.port()), local(second.acceptor.port())};
  RunningServer server(options, numbers);
  SlabPool pool(0);
  ClientSession a(first.next(), session_options(SlabTransport::udp), pool, 10s);
  ClientSession b(second.next(), session_options(SlabTransport::tcp), pool, 10s);
  ClientSession c(local(server.port()), session_options(SlabTransport::udp), pool, 10s);
  for (ClientSession* const session : {&a, &b, &c, &a}) check_slabs(*session);
  CHECK(server.status().malformed == 0);
}

TEST_CASE("two providers with the same text are both offered, and one can be refused", "[slab]") {
  Wall wall;
  Provider first(wall.acceptor.port());
  Provider second(wall.acceptor.port());
  CHECK(wall.step_until([&] { return wall.offers.size() == 2; }));
  for (const Offered& offered : wall.offers) CHECK(offered.provides == "heat");
  for (Offered& offered : wall.offers) offered.refuse("there are two of \"heat\"\n");
  wall.offers.clear();
  for (const Provider* const provider : {&first, &second})
    CHECK(wall.step_until([&] {
      return provider->lines().contain("refused what this provides: there are two of \"heat\"?");
    }));
  CHECK(wall.step_until([&] { return wall.offers.size() >= 2; }));  // they try again
}

TEST_CASE("providers and requesters with different keys, or one without, do not meet", "[slab]") {
  const std::string secret = "another sixteen bytes";
  const std::optional<AuthKey> other(std::in_place, std::as_bytes(std::span(secret)));
  SlabPool pool(0);
  {
    Wall wall(test_key());
    const Provider provider(wall.acceptor.port(), "heat", other);
    CHECK_THROWS_WITH(
        ClientSession(wall.next(), session_options(SlabTransport::udp, 1, test_key()), pool, 10s),
        Catch::Contains("tag: expected the wall's key, found another"));
    CHECK(eventually([&] { return provider.lines().contain("found another"); }));
  }
  {
    Wall wall(test_key());
    const Provider provider(wall.acceptor.port());
    CHECK(wall.step_until(
        [&] { return provider.lines().contain("key: expected a provider that has the wall's"); }));
    CHECK(wall.lines.contain("key: expected a provider that has the wall's key"));
  }
  Wall wall;
  const Provider provider(wall.acceptor.port(), "heat", test_key());
  CHECK(wall.step_until([&] { return provider.lines().contain("a provider without a key"); }));
  CHECK(wall.offers.empty());
}

TEST_CASE("a hello that is replayed to a provider is refused", "[slab]") {
  const UniqueFd listening = listen_tcp(local(0));
  const Provider provider(local_address(listening.get()).port(), "heat", test_key());
  const std::optional<AuthKey> key = test_key();
  nlohmann::json recorded;
  for (const bool replay : {false, true}) {
    RawPeer peer(UniqueFd(::accept(listening.get(), nullptr, nullptr)));
    const SlabChallenge challenge = parse_challenge(peer.next());
    SlabHello hello = hello_of(SealKind::tag);
    hello.udp_port = 9;
    if (!replay) recorded = SlabHandshake(key, challenge.nonce, challenge.provides).hello(hello);
    peer.stream.queue({recorded.dump(), {}});
    CHECK(peer.next()["type"] == (replay ? "refused" : "welcome"));
  }
  CHECK(eventually(
      [&] { return provider.lines().contain("tag: expected the wall's key, found another"); }));
}

TEST_CASE("a recorded provider is not taken for a living one", "[slab]") {
  const std::optional<AuthKey> key = test_key();
  const std::string nonce(32, 'a');
  Wall wall(key);
  RawPeer peer = peer_to(wall.acceptor.port());
  peer.stream.queue({text_of(challenge_message({nonce, true, "heat"})), {}});
  CHECK(peer.stream.write_some() == StreamStatus::open);
  const SlabHandshake handshake(key, nonce, "heat");
  peer.stream.queue({text_of(handshake.welcome(hello_of(SealKind::tag), 7)), {}});
  Offered offered = wall.next();
  CHECK(peer.stream.write_some() == StreamStatus::open);  // the welcome to another hello
  SlabPool pool(0);
  CHECK_THROWS_WITH(
      ClientSession(std::move(offered), session_options(SlabTransport::udp, 1, key), pool, 10s),
      Catch::Contains("tag: expected the wall's key, found another"));
}

TEST_CASE("a stripe's connection is no session, and a wrong hello names its field", "[slab]") {
  const UniqueFd listening = listen_tcp(local(0));
  const Provider provider(local_address(listening.get()).port());
  const std::optional<AuthKey> no_key;
  for (const bool tcp : {false, true}) {
    RawPeer peer(UniqueFd(::accept(listening.get(), nullptr, nullptr)));
    const SlabHandshake handshake(no_key, parse_challenge(peer.next()).nonce, "heat");
    SlabHello hello = hello_of(SealKind::checksum);
    hello.transport = tcp ? SlabTransport::tcp : SlabTransport::udp;
    peer.stream.queue({handshake.hello(hello).dump(), {}});  // without a port
    const std::string why = peer.next()["error"];
    CHECK_THAT(why, Catch::Contains(tcp ? "stripe_port: expected" : "udp_port: expected"));
  }
}

TEST_CASE("what is no provider's challenge is refused in a line, and nobody else suffers",
          "[slab]") {
  Wall wall;
  std::mt19937_64 random(5);
  for (int i = 0; i < 40; ++i) {
    const UniqueFd socket = try_connect_tcp(local(wall.acceptor.port()), 5s);
    std::vector<std::uint8_t> bytes(random() % 300);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    static_cast<void>(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
    wall.acceptor.step(local_now());
  }
  const auto refused = [&](const std::string& text) {
    RawPeer peer = peer_to(wall.acceptor.port());
    peer.stream.queue({text, {}});
    static_cast<void>(peer.stream.write_some());
    const std::uint64_t before = wall.acceptor.refused();
    CHECK(wall.step_until([&] { return wall.acceptor.refused() > before; }));
    for (nlohmann::json answer = peer.next(); !answer.is_null(); answer = peer.next())
      if (answer["type"] == "refused") return answer["error"].get<std::string>();
    return std::string();
  };
  CHECK(wall.step_until([&] { return wall.acceptor.held() == 0; }));
  auto old = challenge_message({std::string(32, 'a'), false, "heat"});
  old["version"] = 2;
  CHECK_THAT(refused(old.dump()), Catch::Contains("version: expected 4, found 2"));
  CHECK_THAT(refused(R"({"type":"hello"})"), Catch::Contains("type: expected challenge"));
  CHECK_THAT(refused("[[[["), Catch::Contains("expected"));
  CHECK_THAT(refused("[]"), Catch::Contains("expected"));
  {
    RawPeer peer = peer_to(wall.acceptor.port());  // two messages
    for (int i = 0; i < 2; ++i)
      peer.stream.queue({text_of(challenge_message({std::string(32, 'a'), false, "x"})), {}});
    static_cast<void>(peer.stream.write_some());
    CHECK(eventually([&] {
      wall.acceptor.step(local_now());
      return wall.lines.contain("nothing after the challenge") || wall.acceptor.held() == 0;
    }));
  }
  const Provider provider(wall.acceptor.port());
  while (wall.next().provides != "heat") {
  }
}

TEST_CASE("idle connections make room, and end when they are old", "[slab]") {
  allow_open_files();
  Wall wall;
  std::vector<UniqueFd> idle;
  for (int i = 0; i < 600; ++i) {
    idle.push_back(try_connect_tcp(local(wall.acceptor.port()), 5s));
    wall.acceptor.step(local_now());
  }
  CHECK(wall.step_until([&] { return wall.acceptor.held() == SlabAcceptor::most_held; }));
  CHECK(wall.acceptor.watched().size() == SlabAcceptor::most_held + 1);
  {
    const Provider provider(wall.acceptor.port());
    CHECK(wall.next().provides == "heat");
  }
  CHECK(wall.acceptor.due() > local_now());
  wall.acceptor.step(local_now() + SlabAcceptor::longest_held + 1s);
  CHECK(wall.acceptor.held() == 0);
  CHECK(wall.acceptor.due() == LocalInstant{Nanos::max()});
}

TEST_CASE("the oldest connection of the host that has the most makes room", "[slab]") {
  const auto evicted = [](const std::vector<std::pair<const char*, Nanos>>& connections) {
    std::vector<UnprovedPeer> peers;
    for (const auto& [from, since] : connections)
      peers.push_back({resolve(from, "test"), LocalInstant{since}});
    return evicted_of(peers);
  };
  CHECK(evicted({{"10.0.0.1:1", 5s}}) == 0);
  CHECK(evicted({{"10.0.0.1:1", 5s}, {"10.0.0.1:2", 3s}, {"10.0.0.1:3", 4s}}) == 1);
  // The oldest of all is of a host that has fewer.
  CHECK(evicted({{"10.0.0.2:1", 1s}, {"10.0.0.1:1", 4s}, {"10.0.0.1:2", 3s}}) == 2);
  CHECK(evicted({{"[fd00::1]:1", 4s}, {"[fd00::2]:1", 1s}, {"[fd00::1]:2", 3s}}) == 2);
  CHECK(evicted({{"10.0.0.2:1", 2s}, {"10.0.0.2:2", 1s}, {"[fd00::1]:1", 0s}}) == 1);
}

TEST_CASE("beyond loopback either side needs a key to meet the other", "[slab]") {
  CHECK_THROWS_WITH(SlabAcceptor({resolve("0.0.0.0:0", "test")}),
                    Catch::Contains("tilewall key new"));
  CHECK_NOTHROW(SlabAcceptor({resolve("0.0.0.0:0", "test"), test_key()}));
  Numbers numbers;
  SlabServerOptions options;
  options.requesters = {resolve("192.0.2.1:7643", "test")};
  CHECK_THROWS_WITH(SlabServer(options, numbers), Catch::Contains("192.0.2.1:7643: beyond"));
  options.key = test_key();
  CHECK_NOTHROW(SlabServer(options, numbers));
  options.provides = std::string(257, 'x');
  CHECK_THROWS_WITH(SlabServer(options, numbers),
                    Catch::Contains("provides: expected at most 256"));
  options.provides = "\xff";
  CHECK_THROWS_WITH(SlabServer(options, numbers), Catch::Contains("provides: expected UTF-8"));
}

TEST_CASE("a requester chooses no interfaces for a provider that connects", "[slab]") {
  Wall wall;
  const Provider provider(wall.acceptor.port());
  SlabSessionOptions options = session_options(SlabTransport::tcp);
  options.interfaces = {{"lo", 0}};
  SlabPool pool(0);
  CHECK_THROWS_WITH(ClientSession(wall.next(), options, pool, 5s),
                    Catch::Contains("interfaces: expected none"));
}

TEST_CASE(
    "a dialler that begins anew leaves pauses as they are, and dials again what was on its way",
    "[slab]") {
  const UniqueFd listening = listen_tcp(local(0));
  const auto no_log = [](const std::string&) {};
  EventSet events;
  const LocalInstant now{100s};
  SlabDialler pausing({local(closed_port())}, no_log);
  pausing.step(events, now);
  for (const epoll_event& event : events.wait({}))
    static_cast<void>(pausing.finish(event.data.fd, events, now));
  CHECK(pausing.due() == now + 100ms);
  pausing.begin_anew(events, now + 10ms);
  CHECK(pausing.due() == now + 100ms);
  SlabDialler dialling({local_address(listening.get())}, no_log);
  dialling.step(events, now);
  CHECK(dialling.due() == now + SlabDialler::longest_connecting);
  dialling.begin_anew(events, now + 10ms);
  CHECK(dialling.due() == now + 110ms);
  CHECK(events.wait({}).empty());
}

TEST_CASE("a requester without a lasting session is dialled after longer and longer pauses",
          "[slab]") {
  int lines = 0;
  SlabDialler dialler({local(closed_port())}, [&](const std::string&) { ++lines; });
  EventSet events;
  LocalInstant now{100s};
  const auto fail_once = [&] {
    dialler.step(events, now);
    for (const epoll_event& event : events.wait({})) {  // unless it failed at once
      const auto done = dialler.finish(event.data.fd, events, now);
      REQUIRE(done);
      CHECK(done->socket.empty());
    }
    const Nanos pause = dialler.due() - now;
    now = dialler.due();
    return pause;
  };
  for (const Nanos pause : {100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms})
    CHECK(fail_once() == pause);
  CHECK(lines == 1);
  const auto session = [&](Nanos length) {
    dialler.note_session(0, now);
    dialler.note_end(0, now + length);
    const Nanos pause = dialler.due() - (now + length);
    now = dialler.due();
    return pause;
  };
  CHECK(session(10ms) == 2000ms);
  CHECK(session(SlabDialler::lasting_session - 1ms) == 2000ms);
  CHECK(session(SlabDialler::lasting_session) == 100ms);
  for (const Nanos pause : {200ms, 400ms}) CHECK(session(10ms) == pause);
  CHECK(fail_once() == 800ms);
  CHECK(lines == 2);
  CHECK_FALSE(dialler.finish(12345, events, now));
}
