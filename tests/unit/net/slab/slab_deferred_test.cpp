// Slabs that their application gives when it can, and messages that it sends unasked.

#include <poll.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>

#include "net/slab/client_session.hpp"
#include "net/slab/slab_client.hpp"
#include "net/slab/slab_outbox.hpp"
#include "net/slab/slab_server.hpp"
#include "tests/emulation/path_relay.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;

namespace {

/// Keeps what it is asked for until the test gives it. A request of another length is refused.
class Later final : public SlabSource {
 public:
  struct Open {
    std::vector<std::byte> request;
    SlabReply reply;
  };

  nlohmann::json call(const nlohmann::json& question) override { return question; }
  std::shared_ptr<const SlabBuffer> read(std::span<const std::byte> request) override {
    return numbers_for(request);
  }
  void answer(std::vector<std::byte> request, SlabReply reply) override {
    if (request.size() != 16) return;  // never given
    const std::scoped_lock lock(mutex_);
    ++asked_;
    open_.push_back({std::move(request), std::move(reply)});
  }

  [[nodiscard]] std::vector<Open> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(open_, {});
  }
  /// Number of requests so far.
  [[nodiscard]] std::size_t asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  /// Answers all that is open, in an order of its own.
  void give_all() {
    std::vector<Open> open = take();
    std::shuffle(open.begin(), open.end(), std::mt19937(7));
    for (Open& one : open) one.reply.give(numbers_for(one.request));
  }

 private:
  mutable std::mutex mutex_;
  std::size_t asked_ = 0;   // guarded by mutex_
  std::vector<Open> open_;  // guarded by mutex_
};

const SlabServerOptions on_loopback{resolve("127.0.0.1:0", "test")};

/// A session driven by hand, with what has come of it.
struct Requester {
  Requester(std::uint16_t port, SlabTransport transport) : Requester(port, options_of(transport)) {}
  Requester(std::uint16_t port, const SlabSessionOptions& options)
      : session(local(port), options, pool, 5s) {}
  static SlabSessionOptions options_of(SlabTransport transport) {
    SlabSessionOptions options;
    options.transport = transport;
    return options;
  }

  void ask(std::uint64_t seed, std::uint64_t size) {
    seeds[session.fetch(numbers_request(seed, size), ClientSession::no_deadline,
                        RequestKind::standing)] = {seed, size};
  }
  void step(std::chrono::milliseconds longest = 20ms) {
    auto watched = session.watched();
    const Nanos left = std::clamp<Nanos>(session.due() - local_now(), Nanos{0}, longest);
    ::poll(watched.data(), watched.size(),
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    alive = session.step(local_now(), events);
    ++steps;
    for (FinishedSlab& finished : std::exchange(events.slabs, {})) {
      const auto [seed, size] = seeds.at(finished.request);
      seeds.erase(finished.request);
      right += is_right(finished.slab, seed, size) ? 1U : 0U;
      empty += finished.slab.size() == 0 ? 1U : 0U;
      pool.give_back(std::move(finished.slab));
    }
  }
  bool step_until(const std::function<bool()>& condition) {
    for (const LocalInstant until = local_now() + Nanos(60s); alive && local_now() < until; step())
      if (condition()) return true;
    return condition();
  }

  struct Asked {
    std::uint64_t seed = 0;
    std::uint64_t size = 0;
  };
  SlabPool pool{64u << 20};
  ClientSession session;
  ClientSession::Events events;
  std::map<std::uint32_t, Asked> seeds;  // by open request
  std::size_t right = 0;
  std::size_t empty = 0;
  std::size_t steps = 0;
  bool alive = true;
};

}  // namespace

TEST_CASE("slabs that are given later, in any order, arrive whole", "[slab]") {
  for (const auto transport : {SlabTransport::udp, SlabTransport::tcp}) {
    Later source;
    RunningServer server(on_loopback, source);
    Requester requester(server.port(), transport);
    for (std::uint64_t seed = 0; seed < 40; ++seed) requester.ask(seed, 1 + seed * 5000);
    REQUIRE(requester.step_until([&] { return source.asked() == 40; }));
    CHECK(requester.right == 0);
    source.give_all();
    CHECK(requester.step_until([&] { return requester.seeds.empty(); }));
    CHECK(requester.right == 40);
    CHECK(source.asked() == 40);  // what was repeated meanwhile was asked for once
  }
}

TEST_CASE("ten thousand standing requests wait, and are answered at once", "[slab]") {
  for (const auto transport : {SlabTransport::udp, SlabTransport::tcp}) {
    Later source;
    RunningServer server(on_loopback, source);
    Requester requester(server.port(), transport);
    for (std::size_t round = 1; round <= 2; ++round) {
      std::uint64_t seed = 0;
      while (requester.session.has_room(16)) requester.ask(seed++, 100);
      CHECK(requester.seeds.size() == most_open_requests);
      REQUIRE(requester.step_until([&] { return source.asked() == round * most_open_requests; }));
      source.give_all();
      CHECK(requester.step_until([&] { return requester.seeds.empty(); }));
      CHECK(requester.right == round * most_open_requests);
    }
  }
}

TEST_CASE("a client has at most 256 prompt requests open, and asks for the next as one is answered",
          "[slab]") {
  for (const auto transport : {SlabTransport::udp, SlabTransport::tcp}) {
    Later source;
    RunningServer server(on_loopback, source);
    SlabClientOptions options;
    options.servers = {local(server.port())};
    options.session = Requester::options_of(transport);
    SlabClient client(options);
    std::vector<SlabClient::Ticket> tickets;
    for (std::uint64_t seed = 0; seed < 258; ++seed)
      tickets.push_back(client.fetch(numbers_request(seed, 100)));
    CHECK(eventually([&] { return source.asked() >= 256; }));
    static_cast<void>(client.call({{"type", "echo"}}, 60s));  // what is sent before comes before
    CHECK(source.asked() == 256);
    std::vector<Later::Open> open = source.take();
    std::uint64_t seed = 0;
    std::memcpy(&seed, open.front().request.data(), sizeof seed);
    open.front().reply.give(numbers_for(open.front().request));
    CHECK(eventually([&] { return client.has(tickets.at(seed)) && source.asked() >= 257; }));
    static_cast<void>(client.call({{"type", "echo"}}, 60s));
    CHECK(source.asked() == 257);
    for (std::size_t i = 1; i < open.size(); ++i) open[i].reply.give(numbers_for(open[i].request));
    CHECK(eventually([&] {
      source.give_all();
      return std::ranges::all_of(tickets, [&](auto ticket) { return client.has(ticket); });
    }));
    CHECK(source.asked() == 258);
  }
}

TEST_CASE("what is given later arrives over a path that loses and mixes up packets", "[slab]") {
  Later source;
  RunningServer server(on_loopback, source);
  PathShape shape;
  shape.delay = 1ms;
  shape.jitter = 1ms;
  shape.loss = 0.1;
  shape.duplicate = 0.05;
  shape.reorder = 0.05;
  const PathRelay relay(server.port(), shape, shape);
  Requester requester(relay.port(), SlabTransport::udp);
  for (std::size_t round = 1; round <= 3; ++round) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) requester.ask(seed, 1 + seed * 100);
    REQUIRE(requester.step_until([&] { return source.asked() == round * 200; }));
    source.give_all();
    CHECK(requester.step_until([&] { return requester.seeds.empty(); }));
  }
  CHECK(requester.right == 600);
}

TEST_CASE("an old standing request is answered after thousands of later ones", "[slab]") {
  Later source;
  RunningServer server(on_loopback, source);
  Requester requester(server.port(), SlabTransport::udp);
  requester.ask(77, 1000);
  REQUIRE(requester.step_until([&] { return source.asked() == 1; }));
  std::vector<Later::Open> old = source.take();
  for (std::size_t round = 1; round <= 10; ++round) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) requester.ask(seed, 10);
    REQUIRE(requester.step_until([&] { return source.asked() == 1 + round * 1000; }));
    source.give_all();
    REQUIRE(requester.step_until([&] { return requester.seeds.size() == 1; }));
  }
  old.front().reply.give(numbers_for(old.front().request));
  CHECK(requester.step_until([&] { return requester.seeds.empty(); }));
  CHECK(requester.right == 10'001);
}

TEST_CASE("a reply that is dropped or has nothing to give comes as an empty slab", "[slab]") {
  for (const auto transport : {SlabTransport::udp, SlabTransport::tcp}) {
    Later source;
    RunningServer server(on_loopback, source);
    Requester requester(server.port(), transport);
    requester.seeds[requester.session.fetch({})] = {};  // answer() drops its reply
    requester.ask(1, 100);
    requester.ask(2, 100);
    REQUIRE(requester.step_until([&] { return source.asked() == 2; }));
    std::vector<Later::Open> open = source.take();
    open[0].reply.give(nullptr);
    open[0].reply.give(numbers_for(open[0].request));  // too late
    open.clear();
    CHECK(requester.step_until([&] { return requester.seeds.empty(); }));
    CHECK(requester.empty == 3);
  }
}

TEST_CASE("a reply knows when nobody wants it any more, and outlives its server", "[slab]") {
  Later source;
  std::vector<Later::Open> open;
  {
    RunningServer server(on_loopback, source);
    {
      Requester requester(server.port(), SlabTransport::udp);
      for (std::uint64_t seed = 0; seed < 3; ++seed) requester.ask(seed, 100);
      REQUIRE(requester.step_until([&] { return source.asked() == 3; }));
      open = source.take();
      for (const Later::Open& one : open) CHECK(one.reply.is_wanted());
      std::uint64_t seed = 0;
      std::memcpy(&seed, open[0].request.data(), sizeof seed);
      requester.session.cancel({static_cast<std::uint32_t>(seed) + 1});  // numbers rise from 1
      CHECK(eventually([&] { return !open[0].reply.is_wanted(); }));
      CHECK(open[1].reply.is_wanted());
      open[0].reply.give(numbers_for(open[0].request));
    }
    CHECK(eventually([&] { return !open[1].reply.is_wanted(); }));
    open[1].reply.give(numbers_for(open[1].request));
    Requester other(server.port(), SlabTransport::udp);
    other.ask(9, 100);
    REQUIRE(other.step_until([&] { return source.asked() == 4; }));
    open.push_back(std::move(source.take().front()));
  }
  CHECK_FALSE(open.back().reply.is_wanted());
  const auto slab = numbers_for(open.back().request);
  open.back().reply.give(slab);
  CHECK(slab.use_count() == 1);
}

TEST_CASE("a client leaves a silent server for the next, unless it owes standing requests alone",
          "[slab]") {
  Later source;
  RunningServer server(on_loopback, source);
  Numbers numbers;
  RunningServer next(on_loopback, numbers);
  SlabClientOptions options = client_of(server.port(), SlabTransport::udp);
  options.servers.push_back(local(next.port()));  // 700 ms of silence are too long then
  SlabClient client(options);
  const auto standing =
      client.fetch(numbers_request(1, 100), SlabClient::no_deadline, RequestKind::standing);
  REQUIRE(eventually([&] { return source.asked() == 1; }));
  std::this_thread::sleep_for(900ms);  // a switch would come within this time
  CHECK(client.status().switches == 0);
  source.give_all();
  const auto slab = await(client, standing);
  REQUIRE(slab);
  CHECK(is_right(*slab, 1, 100));
  // The first server never gives this one, but it would take the client back at once.
  const auto given_by_next = await(client, client.fetch(numbers_request(2, 100)));
  REQUIRE(given_by_next);
  CHECK(is_right(*given_by_next, 2, 100));
  CHECK(client.status().server == 1);
  CHECK(client.status().switches == 1);
}

TEST_CASE("what a server tells reaches every session, in order, under its seal", "[slab]") {
  Later source;
  SlabServerOptions keyed = on_loopback;
  keyed.key = test_key();
  RunningServer server(keyed, source);
  CHECK_FALSE((*server).has_sessions());
  SlabSessionOptions tagged;
  tagged.key = test_key();
  SlabSessionOptions encrypted = tagged;
  encrypted.encrypt = true;
  encrypted.transport = SlabTransport::tcp;
  Requester first(server.port(), tagged);
  Requester second(server.port(), encrypted);
  REQUIRE(eventually([&] { return server.status().sessions == 2; }));
  CHECK((*server).has_sessions());
  for (int step = 1; step <= 3; ++step) {
    (*server).tell({{"type", "step"}, {"number", step}});
    for (Requester* const requester : {&first, &second}) {
      const auto came = static_cast<std::size_t>(step);
      CHECK(requester->step_until([&] { return requester->events.told.size() == came; }));
      CHECK(requester->events.told.back() == nlohmann::json{{"type", "step"}, {"number", step}});
    }
  }
  first.session.ask({{"word", 1}});
  CHECK(first.step_until([&] { return first.events.answers.size() == 1; }));
  CHECK(first.events.told.size() == 3);
}

TEST_CASE("a client that knows no told messages does not mind them", "[slab]") {
  Later source;
  RunningServer server(on_loopback, source);
  SlabClient client(client_of(server.port(), SlabTransport::udp));
  for (int i = 0; i < 3; ++i) {
    (*server).tell({{"type", "step"}, {"id", i + 1}});
    CHECK(client.call({{"word", i}}, 10s)["word"] == i);
  }
  CHECK(client.status().switches == 0);
}

TEST_CASE("of messages that wait to be told only the newest of a type is kept", "[slab]") {
  SlabOutbox outbox;
  outbox.tell({{"type", "a"}, {"n", 1}});
  outbox.tell({{"type", "b"}, {"n", 2}});
  outbox.tell({{"n", 3}});
  outbox.tell({{"type", "a"}, {"n", 4}});
  outbox.tell({{"n", 5}});
  std::vector<int> numbers;
  for (const nlohmann::json& told : outbox.take().told) numbers.push_back(told["n"]);
  CHECK(numbers == std::vector<int>{2, 4, 5});
  CHECK(outbox.take().told.empty());
}

TEST_CASE("a client that does not read what it is told is dropped", "[slab]") {
  Later source;
  RunningServer server(on_loopback, source);
  const Requester deaf(server.port(), SlabTransport::udp);
  REQUIRE(eventually([&] { return server.status().sessions == 1; }));
  // Beside the 16 MiB, the kernel holds as much as the host's settings say.
  int type = 0;
  CHECK(eventually(
      [&] {
        (*server).tell({{"type", type++}, {"text", std::string(1 << 20, 'x')}});
        return server.status().sessions == 0;
      },
      60s));
}
