#include "net/clock/clock_wire.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "net/clock/clock_conversation.hpp"
#include "net/clock/clock_daemon.hpp"
#include "net/clock/receive_stamp.hpp"
#include "tests/support/hex_bytes.hpp"

using namespace tilewall;
using namespace tilewall::net;
using test::hex;

namespace {

using Bytes = std::vector<std::byte>;

AuthKey key_of(const std::string& secret) { return AuthKey(std::as_bytes(std::span(secret))); }

const std::optional<AuthKey> no_key;

ClockMessage golden_reply() {
  ClockMessage message;
  message.kind = ClockMessageKind::reply;
  message.sequence = 0x01020304;
  message.nonce = 0x1112131415161718;
  message.client_sent_ns = 0x2122232425262728;
  message.daemon_received_ns = 0x3132333435363738;
  message.daemon_sent_ns = 0x4142434445464748;
  message.daemon_boot_id = 0x5152535455565758;
  message.utc_minus_global_ns = -2;
  message.axis_boot_id = 0x6162636465666768;
  message.axis_minus_daemon_ns = -0x7172737475767778;
  message.axis_rate_ppt = -3;
  message.axis_bound_ns = 0x8182838485;
  message.axis_bound_growth_ppt = 0x919293;
  return message;
}

Bytes bytes_of(const ClockMessage& message) {
  const auto bytes = std::as_bytes(std::span(&message, 1));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("a clock message's bytes are what the protocol says", "[net][wire]") {
  ClockMessage message = golden_reply();
  CHECK(hex(bytes_of(message)) ==
        "5457434b0200020078000000040302011817161514131211"
        "282726252423222138373635343332314847464544434241"
        "5857565554535251feffffffffffffff6867666564636261"
        "8888898a8b8c8d8efdffffffffffffff8584838281000000"
        "9392910000000000"
        "00000000000000000000000000000000");
  // By Python's hashlib: blake2b(bytes, key=blake2b(secret, digest_size=32), digest_size=16).
  sign(message, key_of("sixteen bytes or more"));
  CHECK(hex(bytes_of(message)).substr(208) == "d66f4a06102367333b960ef5e127fa54");
}

TEST_CASE("decode rejects every truncation and every longer datagram", "[net][wire]") {
  const Bytes whole = bytes_of(golden_reply());
  for (std::size_t size = 0; size <= whole.size() + 16; ++size) {
    const auto exact = std::make_unique<std::byte[]>(size);  // so that ASan sees an over-read
    std::memcpy(exact.get(), whole.data(), std::min(size, whole.size()));
    ClockMessage out;
    out.sequence = 77;
    const ClockDecodeStatus status = decode({exact.get(), size}, out);
    CHECK((status == ClockDecodeStatus::ok) == (size == whole.size()));
    CHECK(out.sequence == (size == whole.size() ? 0x01020304u : 77u));
  }
}

TEST_CASE("decode tells what is wrong with a header", "[net][wire]") {
  const auto status_of = [](auto&& change) {
    ClockMessage message = golden_reply();
    change(message);
    ClockMessage out;
    return decode(bytes_of(message), out);
  };
  CHECK(status_of([](ClockMessage& m) { m.magic++; }) == ClockDecodeStatus::wrong_magic);
  CHECK(status_of([](ClockMessage& m) { m.version = 1; }) == ClockDecodeStatus::wrong_version);
  CHECK(status_of([](ClockMessage& m) { m.length_bytes = 4096; }) ==
        ClockDecodeStatus::wrong_length);
  CHECK(status_of([](ClockMessage& m) { m.kind = ClockMessageKind{3}; }) ==
        ClockDecodeStatus::wrong_kind);
}

TEST_CASE("a tag is broken by any flipped bit and by any other key", "[net][wire]") {
  const std::optional<AuthKey> key = key_of("sixteen bytes or more");
  ClockMessage message = golden_reply();
  sign(message, key);
  REQUIRE(is_authentic(message, key));
  CHECK_FALSE(is_authentic(message, key_of("Sixteen bytes or more")));
  CHECK_FALSE(is_authentic(message, no_key));
  Bytes bytes = bytes_of(message);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
    ClockMessage flipped;
    std::memcpy(&flipped, bytes.data(), bytes.size());
    if (is_authentic(flipped, key)) FAIL("bit " << bit);
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
  }
  sign(message, no_key);
  CHECK(is_authentic(message, no_key));
  CHECK_FALSE(is_authentic(message, key));
}

namespace {

constexpr LocalInstant asked_at{Nanos{1'000'000}};
constexpr LocalInstant received_at{Nanos{1'080'000}};

ClockMessage reply_to(const ClockMessage& request, const std::optional<AuthKey>& key) {
  ClockMessage reply = request;
  reply.kind = ClockMessageKind::reply;
  reply.daemon_received_ns = 5'040'000;
  reply.daemon_sent_ns = 5'045'000;
  reply.daemon_boot_id = 9;
  reply.utc_minus_global_ns = 123;
  sign(reply, key);
  return reply;
}

}  // namespace

TEST_CASE("a reply completes its request once, with both sides' stamps", "[net][clock]") {
  ClockConversation conversation(no_key);
  const Bytes reply = bytes_of(reply_to(conversation.ask(asked_at), no_key));
  const auto taken = conversation.take(reply, received_at);
  REQUIRE(taken);
  CHECK(taken->sample.sent == asked_at);
  CHECK(taken->sample.received == received_at);
  CHECK(taken->sample.round_trip() == Nanos{75'000});
  CHECK(taken->word.boot_id == 9);
  CHECK(taken->word.utc_minus_global == Nanos{123});
  CHECK_FALSE(conversation.take(reply, received_at));  // a copy
}

TEST_CASE("nothing but the true reply completes a request", "[net][clock]") {
  const std::optional<AuthKey> key = key_of("the wall's own key");
  ClockConversation conversation(key);
  const ClockMessage request = conversation.ask(asked_at);
  const auto takes = [&](auto&& change) {
    ClockMessage reply = reply_to(request, key);
    change(reply);
    return conversation.take(bytes_of(reply), received_at).has_value();
  };
  const auto sign_anew = [&](ClockMessage& m) { sign(m, key); };
  CHECK_FALSE(takes([](ClockMessage& m) { m.daemon_sent_ns++; }));
  CHECK_FALSE(takes([](ClockMessage& m) { sign(m, no_key); }));
  CHECK_FALSE(takes([&](ClockMessage& m) { m.nonce++, sign_anew(m); }));
  CHECK_FALSE(takes([&](ClockMessage& m) { m.sequence++, sign_anew(m); }));
  CHECK_FALSE(takes([&](ClockMessage& m) { m.client_sent_ns++, sign_anew(m); }));
  CHECK_FALSE(takes([&](ClockMessage& m) { m.daemon_boot_id = 0, sign_anew(m); }));
  CHECK_FALSE(takes([&](ClockMessage& m) { m.kind = ClockMessageKind::request, sign_anew(m); }));
  CHECK_FALSE(conversation.take(bytes_of(request), received_at));  // reflected
  CHECK(takes([](ClockMessage&) {}));
}

TEST_CASE("random datagrams complete nothing", "[net][wire]") {
  std::mt19937_64 random(11);
  ClockConversation conversation(no_key);
  const Bytes good = bytes_of(reply_to(conversation.ask(asked_at), no_key));
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = good;
    const std::size_t bit = random() % (bytes.size() * 8);
    const bool harmless = bit / 8 >= offsetof(ClockMessage, daemon_received_ns) && bit / 8 < 104;
    if (harmless) continue;  // without a key nobody can tell
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
    if (conversation.take(bytes, received_at)) FAIL("bit " << bit);
  }
  CHECK(conversation.take(good, received_at));
}

TEST_CASE("a request whose place a later one takes is lost", "[net][clock]") {
  ClockConversation conversation(no_key);
  for (int i = 0; i < 64; ++i) std::ignore = conversation.ask(asked_at);
  CHECK(conversation.lost() == 0);  // as many as are remembered
  std::ignore = conversation.ask(asked_at);
  CHECK(conversation.lost() == 1);
  conversation.give_up_old(asked_at + std::chrono::seconds(1));
  CHECK(conversation.lost() == 65);
}

TEST_CASE("requests without an answer are counted once each", "[net][clock]") {
  ClockConversation conversation(no_key);
  LocalInstant now = asked_at;
  for (int i = 0; i < 10; ++i) std::ignore = conversation.ask(now);
  conversation.give_up_old(now + std::chrono::milliseconds(999));
  CHECK(conversation.lost() == 0);
  conversation.give_up_old(now + std::chrono::seconds(1));
  conversation.give_up_old(now + std::chrono::seconds(9));
  CHECK(conversation.lost() == 10);
}

TEST_CASE("a stamp is converted late, and not at all where real time was set", "[net][clock]") {
  const auto pair = [](std::int64_t local, std::int64_t real, std::int64_t width) {
    return ClockPair{{Nanos{local}}, Nanos{real}, {Nanos{local + width}}};
  };
  // Real time is local time plus 1000000.
  const ClockPair earlier = pair(100, 1'000'120, 40);
  const ClockPair later = pair(900, 1'000'910, 30);
  const auto local = to_local(Nanos{1'000'500}, earlier, later);
  REQUIRE(local);
  CHECK(local->since_epoch >= Nanos{500});
  CHECK(local->since_epoch <= Nanos{520});
  CHECK_FALSE(to_local(Nanos{1'000'500}, earlier, pair(900, 1'000'990, 30)));  // set on by 80
  CHECK_FALSE(to_local(Nanos{1'000'500}, earlier, pair(900, 1'000'810, 30)));  // set back by 100
  // By no more than the nanosecond that readings are cut to.
  CHECK(to_local(Nanos{1'000'500}, earlier, pair(900, 1'000'951, 30)));
  CHECK_FALSE(to_local(Nanos{1'000'500}, earlier, pair(900, 1'000'952, 30)));
  CHECK(to_local(Nanos{1'000'500}, earlier, pair(900, 1'000'879, 30)));
  CHECK_FALSE(to_local(Nanos{1'000'500}, earlier, pair(900, 1'000'878, 30)));
  CHECK_FALSE(to_local(Nanos{1'000'050}, earlier, later));  // came before the first reading
  CHECK_FALSE(to_local(Nanos{1'001'500}, earlier, later));  // after the second
}

TEST_CASE("boots are told apart", "[net][clock]") {
  // The first eight bytes of BLAKE2b-128, as Python's hashlib has them.
  CHECK(fold_boot_id("3f1c") == 0xd8f3e33a58ae8354);
  CHECK(fold_boot_id("3f1d") == 0xfcfbcfdc06596775);
  std::ifstream kernel("/proc/sys/kernel/random/boot_id");
  const std::string own(std::istreambuf_iterator<char>(kernel), {});
  REQUIRE(own.size() == 37);
  CHECK(boot_id() == fold_boot_id(own));
}

TEST_CASE("a daemon's word of its axis comes back as it was, at the instant of the reply",
          "[net][wire]") {
  sync::DaemonWord word;
  word.boot_id = 5;
  word.axis_boot_id = 9;
  word.utc_minus_global = Nanos(-77);
  word.to_axis.anchor_local = {Nanos(1'000'000'000)};
  word.to_axis.anchor_global = {Nanos(5'000'000'000)};
  word.to_axis.rate_ppb = 2000;
  word.to_axis.bound_at_anchor = Nanos(300);
  word.to_axis.bound_growth_ppb = 100;
  ClockMessage reply;
  reply.daemon_sent_ns = 3'000'000'000;
  put_word(reply, word);
  CHECK(reply.daemon_boot_id == 5);
  CHECK(reply.axis_boot_id == 9);
  CHECK(reply.utc_minus_global_ns == -77);
  // Two seconds after the anchor, at 2000 ppb: 4 us more than the distance at the anchor.
  CHECK(reply.axis_minus_daemon_ns == 4'000'004'000);
  CHECK(reply.axis_rate_ppt == 2'000'000);
  CHECK(reply.axis_bound_ns == 300 + 200 + 1);  // 100 ppb of two seconds, and the rounding
  CHECK(reply.axis_bound_growth_ppt == 100'000 + 1);
  const auto read = word_of(reply);
  REQUIRE(read);
  CHECK(read->boot_id == 5);
  CHECK(read->axis_boot_id == 9);
  CHECK(read->utc_minus_global == Nanos(-77));
  CHECK(read->to_axis.anchor_local == LocalInstant{Nanos(3'000'000'000)});
  CHECK(read->to_axis.anchor_global == GlobalInstant{Nanos(7'000'004'000)});
  CHECK(read->to_axis.rate_ppb == Approx(2000));
  CHECK(read->to_axis.bound_at_anchor == Nanos(501));
  CHECK(read->to_axis.bound_growth_ppb == Approx(100.001));
  sync::DaemonWord own = word;  // a daemon whose own clock is the axis
  own.axis_boot_id = 5;
  ClockMessage plain;
  put_word(plain, own);
  CHECK(plain.axis_minus_daemon_ns == 0);
  CHECK(plain.axis_bound_ns == 0);
}

TEST_CASE("a word that no daemon can have sent is refused", "[net][wire]") {
  ClockMessage good;
  good.daemon_boot_id = 1;
  good.axis_boot_id = 2;
  CHECK(word_of(good));
  const auto refused = [&](const auto& change) {
    ClockMessage message = good;
    change(message);
    return !word_of(message);
  };
  constexpr std::int64_t most = 1'000'000'000;
  CHECK(refused([](ClockMessage& m) { m.daemon_boot_id = 0; }));
  CHECK(refused([](ClockMessage& m) { m.axis_bound_ns = -1; }));
  CHECK(refused([](ClockMessage& m) { m.axis_bound_growth_ppt = -1; }));
  CHECK(refused([](ClockMessage& m) { m.axis_bound_growth_ppt = most + 1; }));
  CHECK(refused([](ClockMessage& m) { m.axis_rate_ppt = most + 1; }));
  CHECK(refused([](ClockMessage& m) { m.axis_rate_ppt = -most - 1; }));
  CHECK_FALSE(refused([](ClockMessage& m) { m.axis_bound_ns = 0; }));
  CHECK_FALSE(refused([](ClockMessage& m) { m.axis_bound_growth_ppt = most; }));
  CHECK_FALSE(refused([](ClockMessage& m) { m.axis_rate_ppt = most; }));
  CHECK_FALSE(refused([](ClockMessage& m) { m.axis_rate_ppt = -most; }));
}
