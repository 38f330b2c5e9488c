#include "tests/emulation/path_relay.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <future>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;
using std::chrono::milliseconds;

namespace {

using Bytes = std::vector<std::byte>;

SocketAddress local(std::uint16_t port) { return with_port(resolve("127.0.0.1:0", "test"), port); }

void limit_waits(int socket, milliseconds limit) {
  const timeval value = {limit.count() / 1000, limit.count() % 1000 * 1000};
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
    check_sys(::setsockopt(socket, SOL_SOCKET, option, &value, sizeof value), "setsockopt");
}

Bytes random_bytes(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  Bytes bytes(size);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

Bytes numbered(std::uint32_t number, std::size_t size = sizeof number) {
  Bytes bytes(size);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

std::uint32_t number_of(const Bytes& bytes) {
  std::uint32_t number = 0;
  REQUIRE(bytes.size() >= sizeof number);
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

void put(const UniqueFd& socket, const Bytes& bytes) {
  REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
}

/// What comes next: a datagram, or some of a stream (nothing: its end); empty where nothing comes.
std::optional<Bytes> get(const UniqueFd& socket, milliseconds limit = std::chrono::seconds(5)) {
  limit_waits(socket.get(), limit);
  Bytes bytes(1 << 16);
  const ssize_t size = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
  if (size < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

/// Whether the connection was reset, rather than ended.
bool is_reset(const UniqueFd& socket) {
  limit_waits(socket.get(), std::chrono::seconds(5));
  std::byte byte{};
  return ::recv(socket.get(), &byte, 1, 0) < 0 && errno == ECONNRESET;
}

/// Sends all and the stream's end, from a thread of its own.
std::future<void> start_sending(const UniqueFd& socket, const Bytes& bytes) {
  limit_waits(socket.get(), std::chrono::seconds(5));
  return std::async(std::launch::async, [&socket, &bytes] {
    ssize_t some = 0;
    for (std::size_t done = 0; done < bytes.size(); done += static_cast<std::size_t>(some)) {
      some = ::send(socket.get(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (some <= 0) return;
    }
    ::shutdown(socket.get(), SHUT_WR);
  });
}

/// All to the stream's end.
Bytes get_all(const UniqueFd& socket) {
  Bytes all;
  for (;;) {
    const std::optional<Bytes> some = get(socket);
    REQUIRE(some);
    if (some->empty()) return all;
    all.insert(all.end(), some->begin(), some->end());
  }
}

/// Takes one datagram and sends it back with `answer` in front.
void answer_one(const UniqueFd& socket, std::byte answer) {
  limit_waits(socket.get(), std::chrono::seconds(5));
  Bytes bytes(1 << 16);
  SocketAddress from;
  from.length = sizeof from.storage;
  const ssize_t size =
      ::recvfrom(socket.get(), bytes.data() + 1, bytes.size() - 1, 0, from.raw(), &from.length);
  REQUIRE(size >= 0);
  bytes[0] = answer;
  const auto whole = static_cast<std::size_t>(size) + 1;
  REQUIRE(::sendto(socket.get(), bytes.data(), whole, 0, from.raw(), from.length) == size + 1);
}

/// A target and a relay before it.
struct Path {
  explicit Path(const PathShape& to_target, const PathShape& from_target = {},
                std::uint64_t seed = 1)
      : target(open_local_port()), relay(target.number, to_target, from_target, seed) {}

  [[nodiscard]] UniqueFd datagram_client() const { return connect_udp(local(relay.port())); }

  [[nodiscard]] UniqueFd stream_client() const {
    UniqueFd client = stream_client_if_kept();
    REQUIRE_FALSE(client.empty());
    return client;
  }

  /// Nothing where the connection was reset before it could be seen.
  [[nodiscard]] UniqueFd stream_client_if_kept() const {
    UniqueFd client = try_connect_tcp(local(relay.port()), std::chrono::seconds(5));
    if (client.empty()) return client;
    const int flags = ::fcntl(client.get(), F_GETFL);
    check_sys(::fcntl(client.get(), F_SETFL, flags & ~O_NONBLOCK), "fcntl");
    return client;
  }

  [[nodiscard]] UniqueFd accepted() const {
    limit_waits(target.listener.get(), std::chrono::seconds(5));
    return UniqueFd(check_sys(::accept(target.listener.get(), nullptr, nullptr), "accept"));
  }

  LocalPort target;
  PathRelay relay;
};

/// Sends numbered datagrams, few at once so that no socket's buffer is full; what came, in order.
std::vector<Bytes> send_numbered(Path& path, const UniqueFd& client, std::uint32_t count) {
  constexpr std::uint32_t at_once = 50;
  std::vector<Bytes> came;
  for (std::uint32_t sent = 0; sent < count;) {
    for (std::uint32_t i = 0; i < at_once && sent < count; ++i) put(client, numbered(sent++));
    while (path.relay.counters().received < sent) std::this_thread::yield();
    while (came.size() < path.relay.counters().forwarded) {
      const std::optional<Bytes> next = get(path.target.datagrams);
      REQUIRE(next);
      came.push_back(*next);
    }
  }
  return came;
}

std::vector<std::uint32_t> numbers_of(const std::vector<Bytes>& datagrams) {
  std::vector<std::uint32_t> numbers;
  for (const Bytes& each : datagrams) numbers.push_back(number_of(each));
  return numbers;
}

}  // namespace

TEST_CASE("a path passes datagrams of any length, and each client gets its own answers",
          "[emulation]") {
  Path path({});
  const std::array clients = {path.datagram_client(), path.datagram_client()};
  for (const std::size_t size : {0U, 1U, 8972U, 65'506U}) {
    CAPTURE(size);
    for (const UniqueFd& client : clients) {
      put(client, random_bytes(size));
      answer_one(path.target.datagrams, std::byte{7});
      const std::optional<Bytes> answer = get(client);
      REQUIRE(answer);
      Bytes expected = random_bytes(size);
      expected.insert(expected.begin(), std::byte{7});
      CHECK(*answer == expected);
    }
  }
  const PathCounters counters = path.relay.counters();
  CHECK(counters.received == 16);
  CHECK(counters.forwarded == 16);
}

TEST_CASE("a path passes connections both ways, and their halves' ends", "[emulation]") {
  Path path({.delay = milliseconds(2)});
  const UniqueFd client = path.stream_client();
  const UniqueFd target = path.accepted();
  put(client, random_bytes(1000));
  ::shutdown(client.get(), SHUT_WR);
  CHECK(get_all(target) == random_bytes(1000));
  CHECK_FALSE(get(client, milliseconds(20)));  // nothing yet, and not the end
  put(target, random_bytes(2000));
  ::shutdown(target.get(), SHUT_WR);
  CHECK(get_all(client) == random_bytes(2000));
}

TEST_CASE("a long stream comes whole through a narrow, unsteady path", "[emulation]") {
  const PathShape shape = {
      .delay = milliseconds(2), .jitter = milliseconds(2), .queue_bytes = 256 << 10};
  Path path(shape, shape);
  const UniqueFd client = path.stream_client();
  const UniqueFd target = path.accepted();
  const Bytes sent = random_bytes(8 << 20);
  const std::future<void> sending = start_sending(client, sent);
  CHECK(get_all(target) == sent);
}

TEST_CASE("a path holds a sender up whose stream nobody reads", "[emulation]") {
  Path path({.queue_bytes = 64 << 10});
  const UniqueFd client = path.stream_client();
  const UniqueFd target = path.accepted();
  limit_waits(client.get(), milliseconds(50));
  const Bytes some = random_bytes(1 << 20);
  std::size_t taken = 0;
  for (ssize_t count = 1; count > 0 && taken < std::size_t{256} << 20;) {
    count = ::send(client.get(), some.data(), some.size(), MSG_NOSIGNAL);
    if (count > 0) taken += static_cast<std::size_t>(count);
  }
  CHECK(taken < std::size_t{64} << 20);  // the kernel's buffers, and a little
}

TEST_CASE("a path loses the share of datagrams it is to lose, the same for the same seed",
          "[emulation]") {
  std::vector<std::vector<std::uint32_t>> runs;
  for (const std::uint64_t seed : {1U, 1U, 2U}) {
    Path path({.loss = 0.2}, {}, seed);
    const UniqueFd client = path.datagram_client();
    constexpr std::uint32_t count = 3000;
    runs.push_back(numbers_of(send_numbered(path, client, count)));
    const PathCounters counters = path.relay.counters();
    CHECK(counters.lost + counters.forwarded == count);
    CHECK(counters.forwarded == runs.back().size());
    CHECK(counters.lost > 500);  // 600 +- 22
    CHECK(counters.lost < 700);
    CHECK(std::is_sorted(runs.back().begin(), runs.back().end()));
  }
  CHECK(runs[0] == runs[1]);
  CHECK(runs[0] != runs[2]);
}

TEST_CASE("a path duplicates and corrupts datagrams", "[emulation]") {
  Path path({.duplicate = 0.1, .corrupt = 0.1});
  const UniqueFd client = path.datagram_client();
  constexpr std::uint32_t count = 2000;
  const std::vector<Bytes> came = send_numbered(path, client, count);
  const PathCounters counters = path.relay.counters();
  CHECK(counters.forwarded == count + counters.duplicated);
  CHECK(counters.duplicated > 130);  // 200 +- 13
  CHECK(counters.duplicated < 270);
  CHECK(counters.corrupted > 140);  // 220 +- 14
  CHECK(counters.corrupted < 300);
  const std::vector<std::uint32_t> numbers = numbers_of(came);
  std::uint64_t strange = 0;  // no number that was sent, or not in order
  for (std::size_t i = 0; i < numbers.size(); ++i)
    strange += numbers[i] >= count || (i > 0 && numbers[i] < numbers[i - 1]);
  CHECK(strange > counters.corrupted / 2);
}

TEST_CASE("a corrupted datagram differs by one bit", "[emulation]") {
  Path path({.corrupt = 1});
  const UniqueFd client = path.datagram_client();
  const Bytes zeros(100);
  put(client, zeros);
  const std::optional<Bytes> came = get(path.target.datagrams);
  REQUIRE(came);
  REQUIRE(came->size() == zeros.size());
  int bits = 0;
  for (const std::byte each : *came) bits += std::popcount(std::to_integer<unsigned>(each));
  CHECK(bits == 1);
}

TEST_CASE("a path lets datagrams overtake others", "[emulation]") {
  Path path({.reorder = 0.05});
  const UniqueFd client = path.datagram_client();
  constexpr std::uint32_t count = 1000;
  std::vector<std::uint32_t> numbers = numbers_of(send_numbered(path, client, count));
  while (numbers.size() < count) {
    const std::optional<Bytes> late = get(path.target.datagrams);
    REQUIRE(late);
    numbers.push_back(number_of(*late));
  }
  const PathCounters counters = path.relay.counters();
  CHECK(counters.reordered > 20);  // 50 +- 7
  CHECK(counters.reordered < 90);
  std::uint64_t steps_back = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) steps_back += numbers[i] < numbers[i - 1];
  CHECK(steps_back > counters.reordered / 2);
  CHECK(steps_back <= counters.reordered);
  CHECK(std::set(numbers.begin(), numbers.end()).size() == count);
}

TEST_CASE("jitter alone changes the order of datagrams, and loses none", "[emulation]") {
  Path path({.delay = milliseconds(1), .jitter = milliseconds(20)});
  const UniqueFd client = path.datagram_client();
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 50; ++i) put(client, numbered(i));
  for (std::uint32_t i = 0; i < 50; ++i) {
    const std::optional<Bytes> came = get(path.target.datagrams);
    REQUIRE(came);
    numbers.push_back(number_of(*came));
  }
  CHECK_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
  CHECK(std::set(numbers.begin(), numbers.end()).size() == 50);
}

TEST_CASE("each direction takes its own time at least, and another after it is reshaped",
          "[emulation]") {
  Path path({.delay = milliseconds(30)}, {.delay = milliseconds(10)});
  const UniqueFd client = path.datagram_client();
  const auto check_trip = [&](Nanos there, Nanos both) {
    const LocalInstant sent = local_now();
    put(client, numbered(1));
    answer_one(path.target.datagrams, std::byte{1});
    CHECK(local_now() - sent >= there);
    REQUIRE(get(client));
    CHECK(local_now() - sent >= both);
  };
  check_trip(milliseconds(30), milliseconds(40));
  path.relay.reshape({}, {.delay = milliseconds(60)});
  check_trip(milliseconds(0), milliseconds(60));

  const UniqueFd stream = path.stream_client();
  const UniqueFd target = path.accepted();
  const LocalInstant sent = local_now();
  put(stream, numbered(1));
  REQUIRE(get(target));
  put(target, numbered(1));
  REQUIRE(get(stream));
  CHECK(local_now() - sent >= milliseconds(60));
}

TEST_CASE("the directions of a path are shaped apart", "[emulation]") {
  Path path({}, {.loss = 1});
  const UniqueFd client = path.datagram_client();
  put(client, numbered(1));
  answer_one(path.target.datagrams, std::byte{1});
  CHECK_FALSE(get(client, milliseconds(30)));
  path.relay.reshape({.loss = 1}, {});
  put(client, numbered(2));
  CHECK_FALSE(get(path.target.datagrams, milliseconds(30)));
  CHECK_THROWS_AS(path.relay.reshape({.loss = 1.5}, {}), InternalError);
  CHECK_THROWS_AS(path.relay.reshape({}, {.delay = milliseconds(-1)}), InternalError);
}

TEST_CASE("a link passes bytes at its rate, and has no room for more than its queue",
          "[emulation]") {
  PathLink link({.delay = milliseconds(5), .rate_gbit_s = 1, .queue_bytes = 100'000});
  const LocalInstant begin{std::chrono::seconds(1)};
  LocalInstant last = begin;
  int taken = 0;
  for (; link.has_room(1000, begin); ++taken) last = link.pass(1000, begin);
  CHECK(taken == 100);
  CHECK(last == begin + milliseconds(5) + std::chrono::microseconds(800));  // 800,000 bits
  CHECK(link.has_room(1000, begin + std::chrono::microseconds(8)));
  CHECK(link.open_to_streams_at() == begin + std::chrono::microseconds(400));
  CHECK(link.window_bytes() == 725'000);                     // 5 ms of 1 Gbit/s, and the queue
  CHECK(link.has_room(1'000'000, begin + milliseconds(1)));  // longer than the queue, but alone
  link.reshape({});
  CHECK(link.pass(1000, begin) == begin);
}

TEST_CASE("datagrams pass no faster than the rate", "[emulation]") {
  Path path({.rate_gbit_s = 0.004});
  const UniqueFd client = path.datagram_client();
  constexpr std::uint32_t count = 64;
  constexpr std::size_t size = 1400;
  const LocalInstant began = local_now();
  for (std::uint32_t i = 0; i < count; ++i) put(client, numbered(i, size));
  for (std::uint32_t i = 0; i < count; ++i) REQUIRE(get(path.target.datagrams));
  const double gbit_s = 8.0 * size * count / as_double(local_now() - began);
  CAPTURE(gbit_s);
  CHECK(gbit_s <= 0.004 * 1.01);
}

TEST_CASE("a stream passes no faster than the rate, and datagrams beside it", "[emulation]") {
  Path path({.rate_gbit_s = 0.04, .queue_bytes = 100'000});
  const UniqueFd client = path.stream_client();
  const UniqueFd target = path.accepted();
  const UniqueFd datagrams = path.datagram_client();
  const Bytes sent = random_bytes(1'000'000);
  const LocalInstant began = local_now();
  const std::future<void> sending = start_sending(client, sent);
  put(datagrams, numbered(1));
  CHECK(get(path.target.datagrams));
  CHECK(get_all(target) == sent);
  const double gbit_s = 8.0 * static_cast<double>(sent.size()) / as_double(local_now() - began);
  CAPTURE(gbit_s);
  CHECK(gbit_s <= 0.04 * 1.01);
}

TEST_CASE("datagrams that find the queue full are dropped", "[emulation]") {
  Path path({.rate_gbit_s = 0.0005, .queue_bytes = 14'000});
  const UniqueFd client = path.datagram_client();
  for (std::uint32_t i = 0; i < 60; ++i) put(client, numbered(i, 1400));
  while (path.relay.counters().received < 60) std::this_thread::yield();
  const std::uint64_t dropped = path.relay.counters().dropped_by_queue;
  CHECK(dropped > 0);
  for (std::uint64_t i = dropped; i < 60; ++i) REQUIRE(get(path.target.datagrams));
  CHECK(path.relay.counters().forwarded == 60 - dropped);
}

TEST_CASE("nothing passes a path that is cut, and connections stay open", "[emulation]") {
  Path path({.delay = milliseconds(20)});
  const UniqueFd client = path.datagram_client();
  const UniqueFd stream = path.stream_client();
  const UniqueFd target = path.accepted();
  put(client, numbered(1));
  put(stream, numbered(1));
  path.relay.cut();  // with both under way
  put(client, numbered(2));
  put(stream, numbered(2));
  put(target, numbered(3));
  CHECK_FALSE(get(path.target.datagrams, milliseconds(60)));
  CHECK_FALSE(get(target, milliseconds(30)));  // not even its end
  CHECK_FALSE(get(stream, milliseconds(30)));
  CHECK(path.relay.counters().forwarded == 0);
  CHECK(path.relay.counters().lost == 2);
  path.relay.drop_connections();
  const std::optional<Bytes> end = get(stream);
  CHECK((!end || end->empty()));
}

TEST_CASE("dropped connections end on both sides, and new ones pass", "[emulation]") {
  Path path({});
  const UniqueFd client = path.stream_client();
  const UniqueFd target = path.accepted();
  path.relay.drop_connections();
  for (const UniqueFd* end : {&client, &target}) {
    const std::optional<Bytes> last = get(*end);
    REQUIRE(last);
    CHECK(last->empty());
  }
  const UniqueFd again = path.stream_client();
  const UniqueFd again_target = path.accepted();
  put(again, numbered(5));
  const std::optional<Bytes> came = get(again_target);
  REQUIRE(came);
  CHECK(number_of(*came) == 5);
}

TEST_CASE("a reset passes a path as a reset", "[emulation]") {
  Path path({});
  UniqueFd client = path.stream_client();
  const UniqueFd target = path.accepted();
  const linger at_once = {1, 0};
  check_sys(::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), "linger");
  client.reset();
  CHECK(is_reset(target));
}

TEST_CASE("a connection to a target that is not there is reset", "[emulation]") {
  Path path({});
  path.target.listener.reset();
  const UniqueFd client = path.stream_client_if_kept();
  CHECK((client.empty() || is_reset(client)));
}
