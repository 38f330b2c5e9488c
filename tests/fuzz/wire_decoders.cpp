// The clock, control messages, and the handshakes of the control port and of slabs.

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "net/clock/clock_conversation.hpp"
#include "net/clock/clock_wire.hpp"
#include "net/control/control_handshake.hpp"
#include "net/control/message_stream.hpp"
#include "net/slab/handshake.hpp"
#include "net/slab/slab_acceptor.hpp"
#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

using namespace net;
namespace {

using Json = nlohmann::json;

constexpr LocalInstant now{std::chrono::seconds(1000)};

const AuthKey& wall_key() {
  static const AuthKey key(std::as_bytes(std::span("a secret of the wall")));
  return key;
}

Bytes clock_reply(std::uint64_t axis) {
  ClockMessage message;
  message.kind = ClockMessageKind::reply;
  message.daemon_boot_id = 7;
  message.daemon_sent_ns = 1'000'000'000;
  message.axis_boot_id = axis;
  message.axis_minus_daemon_ns = -55;
  message.axis_rate_ppt = 12'000;
  message.axis_bound_ns = 900;
  message.axis_bound_growth_ppt = 44;
  sign(message, std::nullopt);
  return joined(message);
}

void decode_clock(std::span<const std::byte> input) {
  ClockMessage message;
  if (decode(input, message) != ClockDecodeStatus::ok) return;
  TW_CHECK(!is_authentic(message, wall_key()));
  const auto word = word_of(message);
  if (!word) return;
  static_cast<void>(word->to_axis.to_global(now));
  static_cast<void>(word->to_axis.bound_at(now));
  put_word(message, *word);
  // As the asking side takes it for its own question's.
  ClockConversation conversation(std::nullopt);
  const ClockMessage asked = conversation.ask(now);
  message.kind = ClockMessageKind::reply;
  message.sequence = asked.sequence;
  message.nonce = asked.nonce;
  message.client_sent_ns = asked.client_sent_ns;
  sign(message, std::nullopt);
  const auto reply = conversation.take(joined(message), now + std::chrono::milliseconds(1));
  if (reply) static_cast<void>(reply->word.to_axis.to_global(now));
}

void decode_messages(std::span<const std::byte> input) {
  constexpr MessageLimits limits{.text_bytes = 4096, .blob_bytes = 4096};
  std::array<int, 2> ends{};
  check_sys(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), "socketpair");
  UniqueFd peer(ends[0]);
  MessageStream stream(UniqueFd(ends[1]), limits);
  std::vector<Message> received;
  StreamStatus status = StreamStatus::open;
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < input.size() && status == StreamStatus::open; at += 4000) {
    const auto part = input.subspan(at, std::min<std::size_t>(4000, input.size() - at));
    check_sys(::write(peer.get(), part.data(), part.size()), "write");
    status = stream.read_some(received);
  }
  for (const Message& message : received) {
    TW_CHECK(message.text.size() <= limits.text_bytes && message.blob.size() <= limits.blob_bytes);
    bytes += message.text.size() + message.blob.size() + 12;
    stream.queue(message);
  }
  TW_CHECK(bytes <= input.size());
  TW_CHECK(stream.write_some() == StreamStatus::open);
}

const ControlChallenge control_challenge{std::string(32, 'a'), SealKind::encrypted};

/// The other side's message in a handshake of the control port, whichever is expected.
void decode_greeting(std::span<const std::byte> input) {
  const Json message = json_of(input);
  const ControlHandshake handshake(wall_key(), control_challenge, std::string(32, 'b'));
  refusing([&] {
    const ControlChallenge challenge = control_challenge_from_json(message);
    TW_CHECK(challenge.seal != SealKind::checksum && challenge.nonce.size() == 32);
    TW_CHECK(control_challenge_from_json(to_json(challenge)).nonce == challenge.nonce);
    static_cast<void>(ControlHandshake(wall_key(), challenge, std::string(32, 'b')).answer());
  });
  refusing([&] {
    const auto of = ControlHandshake::from_answer(wall_key(), control_challenge, message);
    TW_CHECK(of.answer() == handshake.answer());  // the only one with a right tag that is known
    static_cast<void>(of.seal(ControlSide::server));
  });
  refusing([&] {
    handshake.check_welcome(message);
    TW_CHECK(message.at("tag") == handshake.welcome().at("tag"));
  });
}

std::vector<Bytes> greetings() {
  const ControlHandshake handshake(wall_key(), control_challenge, std::string(32, 'b'));
  return {bytes_of(to_json(control_challenge).dump()), bytes_of(handshake.answer().dump()),
          bytes_of(handshake.welcome().dump())};
}

const std::string provided = "heat 2/4";

SlabHello hello_with(SealKind seal) {
  SlabHello hello;
  hello.nonce = std::string(32, 'b');
  hello.packet_bytes = 8952;
  hello.receive_buffer_bytes = 1 << 20;
  hello.udp_port = 50'001;
  hello.seal = seal;
  return hello;
}

void decode_handshake(std::span<const std::byte> input) {
  static const std::optional<AuthKey> no_key;
  static const std::optional<AuthKey> key = wall_key();
  const Json message = json_of(input);
  for (const auto* const held : {&no_key, &key}) {
    const SlabHandshake handshake(*held, std::string(32, 'a'), provided);
    const SlabHello asked = hello_with(*held ? SealKind::tag : SealKind::checksum);
    refusing([&] {
      const SlabHello hello = handshake.parse_hello(message);
      TW_CHECK(handshake.parse_hello(handshake.hello(hello)).nonce == hello.nonce);
      for (const bool server_connected : {false, true})
        refusing([&] { check_ports(hello, server_connected); });
      static_cast<void>(handshake.keys(hello));
    });
    refusing([&] { static_cast<void>(handshake.parse_welcome(asked, message)); });
    refusing([&] {
      const SlabHandshake::Stripe stripe = handshake.parse_stripe(message);
      const SlabHandshake::Joined joined{1 << 20, 1 << 21, "bbr"};
      const auto back = handshake.parse_joined(stripe, handshake.joined(stripe, joined));
      TW_CHECK(back.window_bytes == joined.window_bytes);
    });
    refusing([&] { static_cast<void>(handshake.parse_joined({1, 0, 0}, message)); });
  }
  refusing([&] {
    const SlabChallenge challenge = parse_challenge(message);
    TW_CHECK(challenge.provides.size() <= longest_provides_bytes);
    TW_CHECK(parse_challenge(challenge_message(challenge)).provides == challenge.provides);
  });
  refusing([&] { static_cast<void>(parse_answer(message)); });
  if (is_told(message)) refusing([&] { TW_CHECK(parse_told(message).is_object()); });
}

std::vector<Bytes> handshake_messages() {
  static const std::optional<AuthKey> no_key;
  static const std::optional<AuthKey> key = wall_key();
  std::vector<Bytes> all;
  for (const auto* const held : {&no_key, &key}) {
    const SlabHandshake handshake(*held, std::string(32, 'a'), provided);
    const SlabHello hello = hello_with(*held ? SealKind::tag : SealKind::checksum);
    for (const Json& message :
         {challenge_message({std::string(32, 'a'), held->has_value(), provided}),
          handshake.hello(hello), handshake.welcome(hello, 5), handshake.stripe({1, 0, 5000}),
          handshake.joined({1, 0, 5000}, {1 << 20, 1 << 20, "cubic"})})
      all.push_back(bytes_of(message.dump()));
  }
  all.push_back(bytes_of(R"({"type":"answer","answer":{"movies":[]},"id":3})"));
  all.push_back(bytes_of(told_message({{"type", "step"}, {"number", 3}}).dump()));
  return all;
}

/// What comes over a connection to an acceptor, in parts.
void decode_acceptor(std::span<const std::byte> input) {
  SlabAcceptor acceptor({resolve("127.0.0.1:0", "fuzz")});
  const UniqueFd peer = try_connect_tcp(
      resolve(fmt::format("127.0.0.1:{}", acceptor.port()), "fuzz"), std::chrono::seconds(5));
  acceptor.step(now);
  for (std::size_t at = 0; at < input.size(); at += 1000) {
    const auto part = input.subspan(at, std::min<std::size_t>(1000, input.size() - at));
    static_cast<void>(::send(peer.get(), part.data(), part.size(), MSG_NOSIGNAL));
    acceptor.step(now);
  }
  for (const Offered& offered : acceptor.take())
    TW_CHECK(offered.provides.size() <= longest_provides_bytes);
  TW_CHECK(acceptor.held() + acceptor.refused() <= 1);
}

std::vector<Bytes> offers() {
  const std::string text = net::text_of(challenge_message({std::string(32, 'a'), false, provided}));
  Bytes one = joined(std::array<char, 4>{'T', 'W', 'C', 'M'},
                     static_cast<std::uint32_t>(text.size()), std::uint32_t{0});
  const Bytes message = bytes_of(text);
  one.insert(one.end(), message.begin(), message.end());
  Bytes two = one;
  two.insert(two.end(), one.begin(), one.end());
  return {one, two};
}

}  // namespace

std::vector<Decoder> wire_decoders() {
  const std::string header("TWCM\x2\0\0\0\x3\0\0\0{}abc", 17);
  return {{"clock", {clock_reply(7), clock_reply(9)}, decode_clock},
          {"messages", {bytes_of(header), bytes_of(header + header)}, decode_messages},
          {"offer", offers(), decode_acceptor},
          {"greeting",
           greetings(),
           decode_greeting,
           true,
           {bytes_of(R"({"type":"refused","error":"no"})")}},
          {"handshake",
           handshake_messages(),
           decode_handshake,
           true,
           {bytes_of(R"({"type":"refused","error":"no"})")}}};
}

}  // namespace tilewall::fuzz
