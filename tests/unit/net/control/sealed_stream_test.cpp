// Both sides of a control connection: handshake, seals, and what a man in the middle can do.

#include "net/control/sealed_stream.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "tests/support/hex_bytes.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {
namespace sealed_stream_test {

using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t header_bytes = 12;
constexpr MessageLimits limits{.text_bytes = 1 << 16, .blob_bytes = 1 << 16};

AuthKey key_of(std::string_view secret) { return AuthKey(std::as_bytes(std::span(secret))); }

const AuthKey show_key = key_of("sixteen bytes ok");
const AuthKey other_key = key_of("sixteen bytes no");

std::array<UniqueFd, 2> socket_pair() {
  std::array<int, 2> ends{};
  check_sys(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), "socketpair");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// One side, and what it has received.
struct Side {
  explicit Side(SealedStream stream) : stream(std::move(stream)) {}

  /// Sends and receives what there is. Returns whether anything has come.
  bool turn() {
    const std::size_t before = received.size();
    const bool was_authenticated = stream.is_authenticated();
    if (status == StreamStatus::open) static_cast<void>(stream.write_some());
    if (status == StreamStatus::open) status = stream.read_some(received);
    if (status == StreamStatus::open) static_cast<void>(stream.write_some());
    return received.size() != before || was_authenticated != stream.is_authenticated();
  }

  SealedStream stream;
  std::vector<Message> received;
  StreamStatus status = StreamStatus::open;
};

/// A client and a server that are connected with each other.
struct Connected {
  explicit Connected(SealKind seal, const AuthKey& client_key = show_key)
      : Connected(socket_pair(), seal, client_key) {}

  void run() {
    for (int idle = 0; idle < 3; ++idle) {
      const bool client_moved = client.turn();
      if (server.turn() || client_moved) idle = 0;
    }
  }

  Side client;
  Side server;

 private:
  Connected(std::array<UniqueFd, 2> ends, SealKind seal, const AuthKey& client_key)
      : client(SealedStream::client(std::move(ends[0]), client_key, limits)),
        server(SealedStream::server(std::move(ends[1]), show_key, seal, limits)) {}
};

bool are_same(const Message& a, const Message& b) { return a.text == b.text && a.blob == b.blob; }

ControlHandshake golden_handshake(SealKind seal) {
  return {show_key, {"000102030405060708090a0b0c0d0e0f", seal}, "101112131415161718191a1b1c1d1e1f"};
}

std::string on_wire(ControlSeal& seal, Message message) {
  std::array<UniqueFd, 2> ends = socket_pair();
  MessageStream stream(std::move(ends[0]), limits);
  stream.queue(seal.seal(std::move(message)));
  REQUIRE(stream.write_some() == StreamStatus::open);
  Bytes bytes(256);
  bytes.resize(static_cast<std::size_t>(::read(ends[1].get(), bytes.data(), bytes.size())));
  return test::hex(std::as_bytes(std::span(bytes)));
}

}  // namespace sealed_stream_test
}  // namespace

using namespace sealed_stream_test;

TEST_CASE("the handshake of the control port stands on the wire as written", "[net][wire]") {
  // By Python's hashlib: blake2b(b"tilewall control 2 client tag NONCE NONCE", digest_size=16,
  // key=blake2b(b"sixteen bytes ok", digest_size=32).digest()).
  const ControlHandshake tag = golden_handshake(SealKind::tag);
  CHECK(to_json(ControlChallenge{"000102030405060708090a0b0c0d0e0f", SealKind::tag}).dump() ==
        R"({"nonce":"000102030405060708090a0b0c0d0e0f","seal":"tag","type":"challenge",)"
        R"("version":2})");
  CHECK(tag.answer().dump() == R"({"nonce":"101112131415161718191a1b1c1d1e1f",)"
                               R"("tag":"aecab1531d1f97d3c0fcb6cfecde179f","type":"answer"})");
  CHECK(tag.welcome().dump() == R"({"tag":"08469299d4ec8dd6bbc64dab128c8969","type":"welcome"})");
  const ControlHandshake encrypted = golden_handshake(SealKind::encrypted);
  CHECK(encrypted.answer().at("tag") == "824f3fdadaa73123e5bf9e8f91608ed7");
  CHECK(encrypted.welcome().at("tag") == "1b9d9e4289a89d39a23e795e6216b35e");
}

TEST_CASE("sealed messages of the control port stand on the wire as written", "[net][wire]") {
  // By Python's cryptography, the key being blake2b(b"tilewall control 2 tag to server" + both
  // nonces behind their lengths, digest_size=32, key=the show's), the nonce bytes(4) +
  // pack("<Q", number | part << 62): AESGCM(key).encrypt(nonce, text, b"").
  const Message status{R"({"type":"status"})", {}};
  const Message with_blob{"{}", {1, 2, 3}};
  ControlSeal to_server = golden_handshake(SealKind::tag).seal(ControlSide::client);
  CHECK(
      on_wire(to_server, status) ==
      "5457434d11000000100000007b2274797065223a22737461747573227d0950b9d3a733ba303dfa5ea9406e3914");
  CHECK(on_wire(to_server, with_blob) ==
        "5457434d02000000230000007b7d0102036b9bb66d97e29f92241dd98d1f47ad83"
        "df3013ef0f1c7cc07aa04a8a4be15c16");
  ControlSeal to_client = golden_handshake(SealKind::encrypted).seal(ControlSide::server);
  CHECK(on_wire(to_client, status) ==
        "5457434d11000000100000005531e4a689c557639d8d3debc6cdfdbe83"
        "01c108512b4d5baa7433daea0e0f9d26");
  CHECK(on_wire(to_client, with_blob) ==
        "5457434d0200000023000000e64d372f2addd0c2d98fa1078fa90ff16e48834f21a4b91e1c7b9bb5fff6b4f6"
        "f1a9452590");
}

TEST_CASE("messages that wait for the handshake, and later ones, come in order", "[net]") {
  for (const SealKind seal : {SealKind::tag, SealKind::encrypted}) {
    Connected both(seal);
    both.client.stream.queue({"one", {}});
    both.client.stream.queue({"two", Bytes(40'000, 7)});
    CHECK(both.client.stream.queued_messages() == 2);
    CHECK(both.client.stream.queued_bytes() == 40'006);
    both.server.stream.queue({"before it asks", {1}});
    both.run();
    REQUIRE(both.client.stream.is_authenticated());
    REQUIRE(both.server.stream.is_authenticated());
    both.client.stream.queue({"", {9}});
    both.server.stream.queue({"later", {}});
    both.run();
    REQUIRE(both.server.received.size() == 3);
    CHECK(are_same(both.server.received[0], {"one", {}}));
    CHECK(are_same(both.server.received[1], {"two", Bytes(40'000, 7)}));
    CHECK(are_same(both.server.received[2], {"", {9}}));
    REQUIRE(both.client.received.size() == 2);
    CHECK(are_same(both.client.received[0], {"before it asks", {1}}));
    CHECK(are_same(both.client.received[1], {"later", {}}));
    CHECK(both.client.stream.queued_bytes() == 0);
    CHECK(both.client.stream.queued_messages() == 0);
  }
}

TEST_CASE("neither side accepts a peer with another key", "[net]") {
  Connected both(SealKind::tag, other_key);
  both.client.stream.queue({"secret", {}});
  both.run();
  CHECK_FALSE(both.server.stream.is_authenticated());
  CHECK_FALSE(both.client.stream.is_authenticated());
  const std::string line =
      "message: tag: expected the show's key, found another (the key file, --key-file, has to be "
      "the same on every host)";
  CHECK(both.server.stream.trouble() == line);
  CHECK(both.client.stream.trouble() == line);  // the server told it
  CHECK(both.server.received.empty());
  CHECK(both.server.status == StreamStatus::malformed);

  // A server that says welcome to everybody.
  std::array<UniqueFd, 2> ends = socket_pair();
  Side client(SealedStream::client(std::move(ends[0]), show_key));
  MessageStream liar(std::move(ends[1]), limits);
  liar.queue({to_json(ControlChallenge{std::string(32, 'a'), SealKind::tag}).dump(), {}});
  std::vector<Message> answers;
  while (answers.empty()) {
    static_cast<void>(liar.write_some());
    client.turn();
    REQUIRE(liar.read_some(answers) == StreamStatus::open);
  }
  const Json answer = Json::parse(answers.front().text);
  // Not even with the client's own tag.
  liar.queue({Json{{"type", "welcome"}, {"tag", answer.at("tag")}}.dump(), {}});
  static_cast<void>(liar.write_some());
  client.turn();
  CHECK_FALSE(client.stream.is_authenticated());
  CHECK(client.stream.trouble() == line);
}

TEST_CASE("a peer may send little before it has proved the key, and only that", "[net]") {
  for (const Message& early : {Message{std::string(5000, ' '), {}}, Message{"{}", {1}},
                               Message{R"({"type":"status"})", {}}, Message{"[", {}}}) {
    std::array<UniqueFd, 2> ends = socket_pair();
    Side server(SealedStream::server(std::move(ends[0]), show_key, SealKind::tag, limits));
    MessageStream stranger(std::move(ends[1]), limits);
    stranger.queue(early);
    static_cast<void>(stranger.write_some());
    server.turn();
    CHECK(server.status == StreamStatus::malformed);
    CHECK_FALSE(server.stream.trouble().empty());
    CHECK(server.received.empty());
  }
}

TEST_CASE("limits of an authenticated peer leave room for its tags", "[net]") {
  for (const std::uint32_t blob_bytes : {0U, 100U})
    for (const std::uint32_t more : {0U, 1U}) {
      Connected both(SealKind::tag);
      both.run();
      both.server.stream.allow({.text_bytes = 10, .blob_bytes = blob_bytes});
      if (blob_bytes == 0)
        both.client.stream.queue({std::string(10 + more, 'x'), {}});
      else
        both.client.stream.queue({"", Bytes(blob_bytes + more)});
      both.run();
      CHECK(both.server.received.size() == 1 - more);
      CHECK(both.server.stream.trouble().empty() == (more == 0));
    }
}

namespace {
namespace sealed_stream_test {

/// What a man in the middle does, once.
enum class Fault { flip, drop, repeat, swap, add_byte, lose_byte, add_message, reflect, count };

/// Where: the message of that number in that direction.
struct Attack {
  Fault fault = Fault::flip;
  bool to_server = false;
  std::size_t message = 0;
};

/// Passes the messages of one direction on, but for one fault.
class Way {
 public:
  Way(int from, int to) : from_(from), to_(to) {}

  /// `back` is the other direction, and outlives this one's messages.
  void attack(const Attack& attack, Way& back) {
    attack_ = attack;
    back_ = &back;
  }
  /// Whether the fault has happened.
  [[nodiscard]] bool is_done() const { return done_; }

  bool pass(std::mt19937& random) {
    std::uint8_t chunk[4096];
    const ssize_t got = ::recv(from_, chunk, sizeof chunk, MSG_DONTWAIT);
    if (got > 0) buffer_.insert(buffer_.end(), chunk, chunk + got);
    while (buffer_.size() >= header_bytes) {
      std::uint32_t header[3];
      std::memcpy(header, buffer_.data(), sizeof header);
      const std::size_t whole = header_bytes + header[1] + header[2];
      if (buffer_.size() < whole) break;
      const auto end = buffer_.begin() + static_cast<std::ptrdiff_t>(whole);
      forward(Bytes(buffer_.begin(), end), random);
      buffer_.erase(buffer_.begin(), end);
    }
    return got > 0;
  }

 private:
  void put(const Bytes& bytes) {
    if (!bytes.empty()) static_cast<void>(::send(to_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }

  void forward(Bytes message, std::mt19937& random) {
    const Bytes held = std::exchange(held_, {});
    if (attack_ && seen_++ == attack_->message) {
      done_ = true;
      message = changed(std::move(message), random);
    }
    put(message);
    put(held);
  }

  /// What is sent in place of the message.
  Bytes changed(Bytes message, std::mt19937& random) {
    const auto at = static_cast<std::ptrdiff_t>(random() % message.size());
    switch (attack_->fault) {
      case Fault::flip:
        message[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1U << random() % 8);
        break;
      case Fault::drop:
        message.clear();
        break;
      case Fault::repeat:
        put(message);
        break;
      case Fault::swap:
        held_ = std::exchange(message, {});
        break;
      case Fault::add_byte:
        message.insert(message.begin() + at, static_cast<std::uint8_t>(random()));
        break;
      case Fault::lose_byte:
        message.erase(message.begin() + at);
        break;
      case Fault::add_message: {
        Bytes added = {'T', 'W', 'C', 'M', 2, 0, 0, 0, 16, 0, 0, 0, '{', '}'};
        for (int i = 0; i < 16; ++i) added.push_back(static_cast<std::uint8_t>(random()));
        put(added);
        break;
      }
      case Fault::reflect:
        back_->put(message);
        message.clear();
        break;
      case Fault::count:
        break;
    }
    return message;
  }

  const int from_;
  const int to_;
  Way* back_ = nullptr;
  std::optional<Attack> attack_;
  Bytes buffer_;
  Bytes held_;  // sent behind the next message
  std::size_t seen_ = 0;
  bool done_ = false;
};

std::vector<Message> messages_of(std::mt19937& random) {
  std::vector<Message> all;
  for (int i = 0; i < 3; ++i) {
    Message message{std::string(random() % 40, static_cast<char>('a' + i)), {}};
    if (random() % 2 == 0) message.blob.assign(random() % 40 + 1, static_cast<std::uint8_t>(i));
    all.push_back(std::move(message));
  }
  return all;
}

/// What was received is the beginning of what was sent.
bool is_beginning(const std::vector<Message>& received, const std::vector<Message>& sent) {
  return received.size() <= sent.size() &&
         std::equal(received.begin(), received.end(), sent.begin(), are_same);
}

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos && text.size() < 400;
}

/// One connection through the relay, with that fault.
void run_trial(const Attack& attack, std::mt19937& random) {
  std::array<UniqueFd, 2> left = socket_pair();
  std::array<UniqueFd, 2> right = socket_pair();
  const SealKind seal = random() % 2 == 0 ? SealKind::tag : SealKind::encrypted;
  Side client(SealedStream::client(std::move(left[0]), show_key, limits));
  Side server(SealedStream::server(std::move(right[0]), show_key, seal, limits));
  const std::vector<Message> to_server = messages_of(random);
  const std::vector<Message> to_client = messages_of(random);
  for (const Message& message : to_server) client.stream.queue(message);
  for (const Message& message : to_client) server.stream.queue(message);

  Way there(left[1].get(), right[1].get());
  Way back(right[1].get(), left[1].get());
  Way& attacked = attack.to_server ? there : back;
  attacked.attack(attack, attack.to_server ? back : there);
  for (int idle = 0; idle < 4; ++idle) {
    bool moved = client.turn();
    moved = there.pass(random) || moved;
    moved = server.turn() || moved;
    moved = back.pass(random) || moved;
    if (moved) idle = 0;
  }
  REQUIRE(attacked.is_done());
  CHECK(is_beginning(server.received, to_server));
  CHECK(is_beginning(client.received, to_client));
  // Who got the fault has not got all, or found too much; it waits for the rest, or ended.
  const Side& victim = attack.to_server ? server : client;
  const std::vector<Message>& sent = attack.to_server ? to_server : to_client;
  CHECK((victim.received.size() < sent.size() || victim.status == StreamStatus::malformed));
  for (const Side* side : {&client, &server})
    if (side->status == StreamStatus::malformed) CHECK(is_one_line(side->stream.trouble()));
  // Nothing is accepted after the fault, whatever comes.
  left[1] = UniqueFd();
  right[1] = UniqueFd();
  const std::size_t before = victim.received.size();
  client.turn();
  server.turn();
  CHECK(victim.received.size() == before);
  CHECK(client.status != StreamStatus::open);
  CHECK(server.status != StreamStatus::open);
}

}  // namespace sealed_stream_test
}  // namespace

TEST_CASE("a relay can change, drop, repeat, swap or add nothing unnoticed", "[net]") {
  constexpr int trials = 10'000;
  constexpr std::size_t messages_each_way = 4;  // the handshake has two to the client, one back
  std::mt19937 random(20'261'126);
  for (int trial = 0; trial < trials; ++trial) {
    Attack attack;
    attack.fault = static_cast<Fault>(random() % static_cast<unsigned>(Fault::count));
    attack.to_server = random() % 2 == 0;
    attack.message = random() % (attack.to_server ? messages_each_way : messages_each_way + 1);
    CAPTURE(trial, static_cast<int>(attack.fault), attack.to_server, attack.message);
    run_trial(attack, random);
  }
}

TEST_CASE("a relay cannot weaken the seal of a connection", "[net]") {
  std::array<UniqueFd, 2> left = socket_pair();
  std::array<UniqueFd, 2> right = socket_pair();
  Side client(SealedStream::client(std::move(left[0]), show_key, limits));
  Side server(SealedStream::server(std::move(right[0]), show_key, SealKind::encrypted, limits));
  MessageStream to_client(std::move(left[1]), limits);
  MessageStream to_server(std::move(right[1]), limits);
  client.stream.queue({"secret", {}});
  server.turn();
  std::vector<Message> challenge;
  REQUIRE(to_server.read_some(challenge) == StreamStatus::open);
  Json weaker = Json::parse(challenge.at(0).text);
  CHECK(weaker.at("seal") == "encrypted");
  weaker["seal"] = "tag";
  to_client.queue({weaker.dump(), {}});
  static_cast<void>(to_client.write_some());
  client.turn();
  std::vector<Message> answer;
  REQUIRE(to_client.read_some(answer) == StreamStatus::open);
  to_server.queue(answer.at(0));
  static_cast<void>(to_server.write_some());
  server.turn();
  CHECK_FALSE(server.stream.is_authenticated());
  CHECK(server.stream.trouble() ==
        "message: tag: expected the show's key, found another (the key file, --key-file, has to be "
        "the same on every host)");
  CHECK_FALSE(client.stream.is_authenticated());

  for (const char* seal : {"checksum", "none", ""}) {
    weaker["seal"] = seal;
    CHECK_THROWS_AS(control_challenge_from_json(weaker), InputError);
  }
}
