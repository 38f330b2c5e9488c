// What a client still waits for, and when it asks again.

#include "net/slab/slab_requests.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "net/slab/pending_calls.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace std::chrono_literals;

namespace slab_requests_test {

constexpr LocalInstant begin{Nanos(100s)};

struct Client {
  std::uint32_t ask(LocalInstant now, RequestKind kind = RequestKind::prompt) {
    return requests.add({}, SlabRequests::no_deadline, now, kind).first;
  }
  /// Numbers of the requests that are sent again.
  std::vector<std::uint32_t> asked_again(LocalInstant now) {
    std::vector<std::uint32_t> numbers;
    requests.ask_again(
        now, [&](std::uint32_t request, const PendingSlab&) { numbers.push_back(request); });
    return numbers;
  }

  SlabPool pool{0};
  ReceiveCounters counters;
  SlabRequests requests{pool, 1000, counters};
};

}  // namespace slab_requests_test

using slab_requests_test::Client;

TEST_CASE("a request that nothing comes of is sent again, less and less often", "[slab]") {
  Client client;
  const LocalInstant begin = slab_requests_test::begin;
  CHECK(client.ask(begin) == 1);
  CHECK(client.requests.ask_again_due() == begin + 100ms);
  CHECK(client.asked_again(begin + 99ms).empty());
  CHECK(client.asked_again(begin + 100ms) == std::vector<std::uint32_t>{1});
  CHECK(client.requests.ask_again_due() == begin + 300ms);
  LocalInstant now = begin;
  for (int i = 0; i < 30; ++i) {
    now = client.requests.ask_again_due();
    CHECK(client.asked_again(now).size() == 1);
  }
  CHECK(client.requests.ask_again_due() == now + 1s);
}

TEST_CASE("of ten thousand requests a few are repeated at a time, in the order of their instants",
          "[slab]") {
  Client client;
  const LocalInstant begin = slab_requests_test::begin;
  for (std::uint32_t i = 0; i < most_open_requests; ++i)
    client.ask(begin + Nanos(i), RequestKind::standing);
  CHECK_FALSE(client.requests.has_room(0));
  const LocalInstant now = begin + 200ms;
  std::uint32_t next = 1;
  while (client.requests.ask_again_due() <= now) {
    const auto again = client.asked_again(now);
    REQUIRE_FALSE(again.empty());
    REQUIRE(again.size() <= std::size_t{SlabRequests::most_repeated});
    for (const std::uint32_t request : again) REQUIRE(request == next++);
  }
  CHECK(next == most_open_requests + 1);
  CHECK(client.requests.ask_again_due() == now + 200ms);
  client.requests.forget(5);
  CHECK(client.requests.has_room(0));
  std::size_t repeated = 0;
  while (client.requests.ask_again_due() <= now + 200ms)
    repeated += client.asked_again(now + 200ms).size();
  CHECK(repeated == most_open_requests - 1);
}

TEST_CASE("a standing request says nothing of the server's silence, nor of the round trip",
          "[slab]") {
  Client client;
  const LocalInstant begin = slab_requests_test::begin;
  const std::uint32_t standing = client.ask(begin, RequestKind::standing);
  CHECK_FALSE(client.requests.silent_since());
  const std::uint32_t prompt = client.ask(begin + 3s);
  CHECK(client.requests.silent_since() == begin + 3s);
  CHECK(client.requests.prompt() == 1);
  client.requests.forget(prompt);
  CHECK_FALSE(client.requests.silent_since());
  static_cast<void>(client.requests.piece_came(standing, 10, begin + 50ms));
  CHECK(client.requests.round_trip() == Nanos{0});
  client.requests.forget(standing);
  CHECK(client.requests.ask_again_due() == SlabRequests::no_deadline);
}

TEST_CASE("a request is not sent again once a piece has come", "[slab]") {
  Client client;
  const std::uint32_t request = client.ask(slab_requests_test::begin);
  const auto found = client.requests.piece_came(request, 2500, slab_requests_test::begin + 10ms);
  REQUIRE(found != client.requests.end());
  CHECK(found->second.slab->shape().pieces() == 3);
  CHECK(client.requests.ask_again_due() == SlabRequests::no_deadline);
  CHECK(client.asked_again(slab_requests_test::begin + 10s).empty());
  CHECK(client.requests.piece_came(request, 2501, slab_requests_test::begin + 11ms) ==
        client.requests.end());  // of a slab of another size
  CHECK(client.requests.piece_came(7, 2500, slab_requests_test::begin + 11ms) ==
        client.requests.end());
}

TEST_CASE("no memory is taken for a slab that is longer than it may be", "[slab]") {
  Client client;
  const LocalInstant begin = slab_requests_test::begin;
  const std::uint32_t request =
      client.requests.add({}, SlabRequests::no_deadline, begin, RequestKind::standing, 1000).first;
  CHECK(client.requests.piece_came(request, 1001, begin) == client.requests.end());
  CHECK(client.requests.piece_came(request, 1000, begin) != client.requests.end());
}

TEST_CASE("the round trip is a mean of requests that were sent once", "[slab]") {
  Client client;
  LocalInstant now = slab_requests_test::begin;
  const auto answered_after = [&](Nanos took, bool again) {
    const std::uint32_t request = client.ask(now);
    if (again) CHECK(client.asked_again(now + 1h).size() == 1);
    static_cast<void>(client.requests.piece_came(request, 10, now + took));
    client.requests.forget(request);
    now = now + 10s;
    return client.requests.round_trip();
  };
  CHECK(answered_after(80ms, true) == Nanos{0});
  CHECK(answered_after(80ms, false) == 80ms);
  CHECK(answered_after(160ms, false) == 90ms);
  CHECK(answered_after(500ms, true) == 90ms);
  static_cast<void>(client.ask(now));
  CHECK(client.requests.ask_again_due() == now + 210ms);  // twice the round trip, and 30 ms
}

TEST_CASE("a server is silent since its last piece, or since it was asked", "[slab]") {
  Client client;
  const LocalInstant begin = slab_requests_test::begin;
  CHECK_FALSE(client.requests.silent_since());
  const std::uint32_t first = client.ask(begin);
  const std::uint32_t second = client.ask(begin + 1s);
  CHECK(client.requests.silent_since() == begin);
  static_cast<void>(client.requests.piece_came(first, 10, begin + 2s));
  CHECK(client.requests.silent_since() == begin + 2s);
  client.requests.forget(first);
  client.requests.forget(second);
  CHECK_FALSE(client.requests.silent_since());
}

TEST_CASE("a slab that is whole is handed over and counted", "[slab]") {
  Client client;
  const std::uint32_t request = client.ask(slab_requests_test::begin);
  const auto found = client.requests.piece_came(request, 4, slab_requests_test::begin);
  std::memcpy(found->second.slab->place(0), "slab", 4);
  found->second.slab->mark(0);
  std::vector<FinishedSlab> finished;
  client.requests.finish(found, finished);
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].request == request);
  CHECK(std::memcmp(finished[0].slab.data(), "slab", 4) == 0);
  CHECK(client.counters.received_bytes == 4);
  CHECK(client.requests.find(request) == client.requests.end());
}

TEST_CASE("a cancel of many requests goes in several packets", "[slab]") {
  std::vector<std::uint32_t> requests(300);
  for (std::uint32_t i = 0; i < requests.size(); ++i) requests[i] = i + 1;
  std::vector<std::uint32_t> told;
  int packets = 0;
  for_each_cancel(requests, [&](std::span<const std::byte> payload) {
    CHECK(payload.size() <= smallest_piece_bytes);
    for (const std::uint32_t request : parse_cancel(payload)) told.push_back(request);
    ++packets;
  });
  CHECK(told == requests);
  CHECK(packets == 3);
  for_each_cancel({}, [&](std::span<const std::byte>) { ++packets; });
  CHECK(packets == 3);
}

TEST_CASE("an answer is found by its question's number", "[slab]") {
  PendingCalls calls;
  const std::uint64_t first = calls.add({{"type", "list"}});
  const std::uint64_t second = calls.add({{"type", "info"}});
  const auto questions = calls.take_questions();
  REQUIRE(questions.size() == 2);
  CHECK(questions[1] == nlohmann::json{{"type", "info"}, {"id", second}});
  CHECK(calls.take_questions().empty());
  calls.add_answer({{"id", second}, {"answer", 2}});
  calls.add_answer({{"answer", 3}});
  calls.add_answer({{"id", "first"}});
  CHECK_FALSE(calls.has_answer(first));
  REQUIRE(calls.has_answer(second));
  CHECK(calls.take_answer(second).at("answer") == 2);
  CHECK_FALSE(calls.has_answer(second));
}
