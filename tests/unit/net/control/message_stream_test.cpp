#include "net/control/message_stream.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "sync/base/check.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

struct Pair {
  UniqueFd raw;
  MessageStream stream;
};

Pair connected(MessageLimits limits) {
  std::array<int, 2> ends{};
  check_sys(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), "socketpair");
  return {UniqueFd(ends[0]), MessageStream(UniqueFd(ends[1]), limits)};
}

void put(const UniqueFd& to, const std::vector<std::uint8_t>& bytes) {
  REQUIRE(::write(to.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

const std::vector<std::uint8_t> golden = {'T', 'W', 'C', 'M', 2,   0, 0, 0, 3,
                                          0,   0,   0,   '{', '}', 1, 2, 3};

}  // namespace

TEST_CASE("the wire form of a message is fixed", "[net][wire]") {
  Pair pair = connected({.blob_bytes = 16});
  pair.stream.queue({"{}", {1, 2, 3}});
  CHECK(pair.stream.queued_bytes() == golden.size());
  REQUIRE(pair.stream.write_some() == StreamStatus::open);
  CHECK(pair.stream.queued_bytes() == 0);
  std::vector<std::uint8_t> bytes(64);
  bytes.resize(static_cast<std::size_t>(::read(pair.raw.get(), bytes.data(), bytes.size())));
  CHECK(bytes == golden);
}

TEST_CASE("a message that comes byte by byte is received whole", "[net][wire]") {
  Pair pair = connected({.blob_bytes = 16});
  std::vector<Message> received;
  for (const std::uint8_t byte : golden) {
    CHECK(received.empty());
    put(pair.raw, {byte});
    REQUIRE(pair.stream.read_some(received) == StreamStatus::open);
  }
  REQUIRE(received.size() == 1);
  CHECK(received[0].text == "{}");
  CHECK(received[0].blob == std::vector<std::uint8_t>{1, 2, 3});
}

TEST_CASE("messages that come together, and a part of the next, are told apart", "[net][wire]") {
  Pair pair = connected({.blob_bytes = 16});
  const std::vector<std::uint8_t> second = {'T', 'W', 'C', 'M', 3,   0,   0,   0,
                                            1,   0,   0,   0,   'a', 'b', 'c', 9};
  std::vector<std::uint8_t> both = golden;
  both.insert(both.end(), second.begin(), second.end());
  both.insert(both.end(), golden.begin(), golden.end() - 1);
  put(pair.raw, both);
  std::vector<Message> received;
  REQUIRE(pair.stream.read_some(received) == StreamStatus::open);
  REQUIRE(received.size() == 2);
  CHECK(received[0].text == "{}");
  CHECK(received[1].text == "abc");
  CHECK(received[1].blob == std::vector<std::uint8_t>{9});
  put(pair.raw, {3});
  REQUIRE(pair.stream.read_some(received) == StreamStatus::open);
  REQUIRE(received.size() == 3);
  CHECK(received[2].blob == std::vector<std::uint8_t>{1, 2, 3});
}

TEST_CASE("a message that came together with another one waits for the limits that hold then",
          "[net][wire]") {
  const std::vector<std::uint8_t> plain = {'T', 'W', 'C', 'M', 1, 0, 0, 0, 0, 0, 0, 0, 'a'};
  std::vector<std::uint8_t> both = plain;
  both.insert(both.end(), golden.begin(), golden.end());
  std::vector<Message> received;
  SECTION("where one message is read") {
    Pair pair = connected({.blob_bytes = 0});
    put(pair.raw, both);
    REQUIRE(pair.stream.read_one(received) == StreamStatus::open);
    REQUIRE(received.size() == 1);
    CHECK(received[0].text == "a");
    pair.stream.allow({.blob_bytes = 16});
    REQUIRE(pair.stream.read_some(received) == StreamStatus::open);
    REQUIRE(received.size() == 2);
    CHECK(received[1].blob == std::vector<std::uint8_t>{1, 2, 3});
  }
  SECTION("and is malformed by those that hold before, where all are read") {
    Pair pair = connected({.blob_bytes = 0});
    put(pair.raw, both);
    CHECK(pair.stream.read_some(received) == StreamStatus::malformed);
    CHECK(pair.stream.read_some(received) == StreamStatus::malformed);
    CHECK(received.size() == 1);
  }
}

TEST_CASE("a wrong magic or a part over its limit is malformed", "[net][wire]") {
  std::vector<Message> received;
  for (const std::size_t at : {std::size_t{0}, std::size_t{7}, std::size_t{11}}) {
    Pair pair = connected({.text_bytes = 100, .blob_bytes = 16});
    std::vector<std::uint8_t> bad = golden;
    bad[at] ^= 0x40;
    put(pair.raw, bad);
    CAPTURE(at);
    CHECK(pair.stream.read_some(received) == StreamStatus::malformed);
  }
  CHECK(received.empty());
}

TEST_CASE("random bytes never hang or crash the reader", "[net][wire]") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Pair pair = connected({.text_bytes = 64, .blob_bytes = 64});
    std::vector<std::uint8_t> bytes = golden;
    for (int i = 0; i < 40; ++i) bytes.push_back(static_cast<std::uint8_t>(random()));
    bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(random());
    put(pair.raw, bytes);
    std::vector<Message> received;
    CHECK(pair.stream.read_some(received) != StreamStatus::closed);
    CHECK(received.size() <= 4);
  }
}

TEST_CASE("a peer that is gone is noticed", "[net][wire]") {
  Pair pair = connected({});
  pair.raw.reset();
  std::vector<Message> received;
  CHECK(pair.stream.read_some(received) == StreamStatus::closed);
}

TEST_CASE("unfinished messages of all streams share one budget", "[net]") {
  constexpr std::size_t megabyte = 1u << 20;
  ReceiveBudget budget(4 * megabyte);
  constexpr MessageLimits limits{.blob_bytes = 64 * megabyte};
  const auto stream_and_peer = [&] {
    std::array<int, 2> ends{};
    check_sys(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), "socketpair");
    return std::pair(UniqueFd(ends[0]), MessageStream(UniqueFd(ends[1]), limits, &budget));
  };
  std::vector<Message> received;
  auto [first_peer, first] = stream_and_peer();
  auto [second_peer, second] = stream_and_peer();
  // Beginnings of messages of 3 MB, until there is no room.
  const std::vector<std::uint8_t> part(64u << 10, 1);
  const std::vector<std::uint8_t> head = {'T', 'W', 'C', 'M', 0, 0, 0, 0, 0, 0, 0x30, 0};
  const auto feed = [&](const UniqueFd& peer, MessageStream& stream, std::size_t bytes) {
    for (std::size_t sent = 0; sent < bytes; sent += part.size()) {
      put(peer, part);
      if (const StreamStatus status = stream.read_some(received); status != StreamStatus::open)
        return status;
    }
    return StreamStatus::open;
  };
  put(first_peer, head);
  put(second_peer, head);
  CHECK(first.received_bytes() < megabyte);  // what is only announced takes no memory
  CHECK(feed(first_peer, first, 2 * megabyte) == StreamStatus::open);
  CHECK(feed(second_peer, second, 3 * megabyte) == StreamStatus::crowded);
  CHECK(budget.used_bytes() == first.received_bytes() + second.received_bytes());
  CHECK(budget.used_bytes() <= 4 * megabyte);
  // One ends, and the other has room.
  { const MessageStream ended = std::move(first); }
  while (received.empty()) REQUIRE(feed(second_peer, second, 1) == StreamStatus::open);
  CHECK(received.front().blob.size() == 0x300000);
  CHECK(budget.used_bytes() < megabyte);
}
