#include "net/seal/packet_seal.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sync/base/error.hpp"
#include "tests/support/hex_bytes.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

using Packet = std::vector<std::byte>;

constexpr SealKind all_kinds[] = {SealKind::checksum, SealKind::tag, SealKind::encrypted};
constexpr std::uint64_t some_sequence = 0x0102030405060708;

Packet packet_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

const Packet some_header = packet_of("a header of 23 bytes, n");
const Packet some_payload = packet_of("and a payload of a length that is odd");

SessionKey counting_key() {
  SessionKey key{};
  std::iota(key.begin(), key.end(), std::uint8_t{0});
  return key;
}

AuthKey wall_key(std::string_view secret) { return AuthKey(std::as_bytes(std::span(secret))); }

template <typename Bytes>
std::string hex_text(const Bytes& bytes) {
  return test::hex(std::as_bytes(std::span(bytes)));
}

struct Sealed {
  Packet header;
  Packet payload;  ///< as it travels
  SealTag tag;
};

Sealed seal_packet(SealKind kind, std::uint64_t sequence, const Packet& header,
                   const Packet& payload) {
  PacketSeal seal(kind, counting_key());
  Sealed sealed{header, payload, {}};
  sealed.tag = seal.seal(sequence, header, payload, sealed.payload.data());
  return sealed;
}

void flip(void* bytes, std::size_t bit) {
  static_cast<unsigned char*>(bytes)[bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<PacketSeal> &&
              std::is_nothrow_move_assignable_v<PacketSeal> &&
              !std::is_copy_constructible_v<PacketSeal>);

TEST_CASE("packets of any length come back as they were sealed, many by one seal", "[net][slab]") {
  const SealKind kind = GENERATE(from_range(std::begin(all_kinds), std::end(all_kinds)));
  PacketSeal sealing(kind, counting_key());
  PacketSeal opening(kind, counting_key());
  Packet header(40, std::byte{0x5a});
  for (std::size_t size = 0; size < 700; size += size < 130 ? 1 : 97) {
    Packet payload(size);
    for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<std::byte>(i * 7 + size);
    Packet travelling = payload;
    const SealTag tag = sealing.seal(size, header, payload, travelling.data());
    CAPTURE(static_cast<int>(kind), size);
    if (size >= 16) CHECK((travelling == payload) == (kind != SealKind::encrypted));
    REQUIRE(opening.open(size, header, travelling, tag));
    REQUIRE(travelling == payload);
  }
}

TEST_CASE("a payload is encrypted in place as it is into other memory", "[net][slab]") {
  PacketSeal seal(SealKind::encrypted, counting_key());
  Packet apart(some_payload.size() + 1, std::byte{0xee});
  const SealTag tag = seal.seal(some_sequence, some_header, some_payload, apart.data());
  CHECK(apart.back() == std::byte{0xee});
  apart.pop_back();
  Packet inside = some_payload;
  CHECK(seal.seal(some_sequence, some_header, inside, inside.data()) == tag);
  CHECK(inside == apart);
  CHECK(seal.open(some_sequence, some_header, inside, tag));  // what seals can open
  CHECK(inside == some_payload);
}

TEST_CASE("what does not encrypt leaves the payload and its destination alone", "[net][slab]") {
  for (const SealKind kind : {SealKind::checksum, SealKind::tag}) {
    PacketSeal seal(kind, counting_key());
    const SealTag tag = seal.seal(some_sequence, some_header, some_payload, nullptr);
    Packet elsewhere(some_payload.size(), std::byte{0xee});
    CHECK(seal.seal(some_sequence, some_header, some_payload, elsewhere.data()) == tag);
    CHECK(elsewhere == Packet(some_payload.size(), std::byte{0xee}));
    Packet payload = some_payload;
    CHECK(seal.open(some_sequence, some_header, payload, tag));
    CHECK(payload == some_payload);
  }
}

TEST_CASE("any flipped bit of a packet, its tag or its number is refused", "[net][slab]") {
  const SealKind kind = GENERATE(from_range(std::begin(all_kinds), std::end(all_kinds)));
  PacketSeal opening(kind, counting_key());
  const auto opens = [&](Sealed packet, std::uint64_t sequence) {
    return opening.open(sequence, packet.header, packet.payload, packet.tag);
  };
  for (const Packet& payload : {some_payload, Packet{}}) {
    const Sealed good = seal_packet(kind, some_sequence, some_header, payload);
    CAPTURE(static_cast<int>(kind), payload.size());
    REQUIRE(opens(good, some_sequence));
    const auto refuses_flips = [&](std::size_t bytes, auto&& member) {
      for (std::size_t bit = 0; bit < bytes * 8; ++bit) {
        Sealed bad = good;
        flip(member(bad), bit);
        if (opens(bad, some_sequence)) FAIL("bit " << bit);
      }
    };
    refuses_flips(good.header.size(), [](Sealed& bad) { return bad.header.data(); });
    refuses_flips(good.payload.size(), [](Sealed& bad) { return bad.payload.data(); });
    refuses_flips(good.tag.size(), [](Sealed& bad) { return bad.tag.data(); });
    for (std::size_t bit = 0; bit < 64; ++bit)
      if (opens(good, some_sequence ^ (std::uint64_t{1} << bit))) FAIL("sequence bit " << bit);
    CHECK(opens(good, some_sequence));  // no refusal spoils what comes after it
  }
}

TEST_CASE("a packet is refused when it is shorter or under another key", "[net][slab]") {
  const SealKind kind = GENERATE(from_range(std::begin(all_kinds), std::end(all_kinds)));
  const Sealed good = seal_packet(kind, some_sequence, some_header, some_payload);
  for (std::size_t size = 0; size < good.payload.size(); ++size) {
    PacketSeal opening(kind, counting_key());
    const auto exact = std::make_unique<std::byte[]>(size);  // so that ASan sees an over-read
    std::copy_n(good.payload.begin(), size, exact.get());
    if (opening.open(some_sequence, good.header, {exact.get(), size}, good.tag)) FAIL(size);
  }
  SessionKey other_key = counting_key();
  flip(other_key.data(), 255);
  Packet payload = good.payload;
  PacketSeal other(kind, other_key);
  CHECK(other.open(some_sequence, good.header, payload, good.tag) == (kind == SealKind::checksum));
}

TEST_CASE("a moved seal goes on", "[net][slab]") {
  PacketSeal first(SealKind::tag, counting_key());
  const SealTag tag = first.seal(some_sequence, some_header, some_payload, nullptr);
  PacketSeal second(std::move(first));
  CHECK(second.seal(some_sequence, some_header, some_payload, nullptr) == tag);
  PacketSeal third(SealKind::encrypted, SessionKey{});
  third = std::move(second);
  CHECK(third.kind() == SealKind::tag);
  CHECK(third.seal(some_sequence, some_header, some_payload, nullptr) == tag);
}

// The key, the nonce and so the sequence number of these are zero. Test cases 13 and 14 of McGrew
// and Viega, "The Galois/Counter Mode of Operation", appendix B.
TEST_CASE("encrypting is AES-256-GCM of the standard's test vectors", "[net][wire]") {
  PacketSeal seal(SealKind::encrypted, SessionKey{});
  CHECK(hex_text(seal.seal(0, {}, {}, nullptr)) == "530f8afbc74536b9a963b4f1c4cb738b");
  Packet payload(16);
  CHECK(hex_text(seal.seal(0, {}, payload, payload.data())) == "d0d1c8a799996bf0265b98b5d48ab919");
  CHECK(hex_text(payload) == "cea7403d4d606b6e074ec5d3baf39d18");
}

TEST_CASE("a seal's bytes are what the protocol says", "[net][wire]") {
  // By Python's cryptography: AESGCM(key).encrypt(nonce, payload, header), the nonce being
  // bytes(4) + struct.pack("<Q", sequence).
  const Sealed encrypted =
      seal_packet(SealKind::encrypted, some_sequence, some_header, some_payload);
  CHECK(hex_text(encrypted.payload) ==
        "7d969b65030fb82fec1f9152fa0e55cc9d9417a43dda4e3cc144a4d81f7ca34d7b79401b6c");
  CHECK(hex_text(encrypted.tag) == "9c85d546f9054cfdf0bdced821791256");
  // AESGCM(key).encrypt(nonce, b"", header + payload)
  const Sealed tagged = seal_packet(SealKind::tag, some_sequence, some_header, some_payload);
  CHECK(hex_text(tagged.tag) == "c4ed38a54219c4571f7458542e336d08");
  // CRC-32C of struct.pack("<Q", sequence) + header + payload, bit by bit.
  const Sealed summed = seal_packet(SealKind::checksum, some_sequence, some_header, some_payload);
  CHECK(hex_text(summed.tag) == "cfb759ca000000000000000000000000");
}

TEST_CASE("a session's keys are what the protocol says", "[net][wire]") {
  const AuthKey key = wall_key("sixteen bytes or more");
  // By Python's hashlib: blake2b(label + length + nonce + length + nonce, digest_size=32,
  // key=blake2b(secret, digest_size=32)), the lengths as struct.pack("<Q", length).
  const SessionKeys keys = derive_session_keys(key, packet_of("server's nonce 1"),
                                               packet_of("and the client's, longer"));
  CHECK(hex_text(keys.to_client) ==
        "6fbff8a7f1bf2ddaef315758f2e3d540d9bb07981f2e9334e11487867e51dc35");
  CHECK(hex_text(keys.to_server) ==
        "bebc0871bc4b1dee410bc1f09a5a2d15030f9add63f1d8eecf8864ffb662d41c");
  CHECK(hex_text(keys.control_to_client) ==
        "55a5960e957ebcbd7b1396806f71bbbac12daf109c4a03774ad47931723810b1");
  CHECK(hex_text(keys.control_to_server) ==
        "ae7cfc619c5e57b69142d755ff480424782a6c5438cc4a16f95f459735fa8d05");
  CHECK(hex_text(key.derive(packet_of("hello"))) ==
        "a16518cb5e1b2f73fa7769449f1aa3632abc98b2157719ec54b0c44dfe47e137");
}

TEST_CASE("keys differ by direction, nonce, whose nonce it is, and the wall's key", "[net][slab]") {
  const AuthKey key = wall_key("sixteen bytes or more");
  const Packet one = packet_of("0123456789abcdef");
  const Packet two = packet_of("0123456789abcdeg");
  const Packet longer = packet_of("0123456789abcdef0123456789abcdef");
  const Packet longest = packet_of("0123456789abcdef0123456789abcdef0123456789abcdef");
  std::vector<SessionKey> all;
  const auto add = [&](const SessionKeys& keys) {
    all.push_back(keys.to_client);
    all.push_back(keys.to_server);
    all.push_back(keys.control_to_client);
    all.push_back(keys.control_to_server);
  };
  add(derive_session_keys(key, one, one));
  add(derive_session_keys(key, one, two));
  add(derive_session_keys(key, two, one));
  add(derive_session_keys(key, one, longest));
  add(derive_session_keys(key, longer, longer));  // the same bytes in a row
  add(derive_session_keys(wall_key("Sixteen bytes or more"), one, one));
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(derive_session_keys(key, one, two).to_client ==
        derive_session_keys(key, one, two).to_client);
  CHECK_THROWS_AS(derive_session_keys(key, std::span(one).first(15), two), InternalError);
  CHECK_THROWS_AS(derive_session_keys(key, one, std::span(two).first(15)), InternalError);
}
