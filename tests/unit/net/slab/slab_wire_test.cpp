// What stands on the wire, byte by byte, and what is made of bytes that should not.

#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "net/control/control_seal.hpp"
#include "net/slab/handshake.hpp"
#include "net/slab/remote_url.hpp"
#include "net/slab/stripe.hpp"
#include "player/movie/remote/block_request.hpp"
#include "sync/base/error.hpp"
#include "tests/support/hex_bytes.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::net;
using test::hex;
using namespace std::chrono_literals;

namespace {

/// Fields of a message that get other values, one by one.
using Changes = std::vector<std::pair<std::string, nlohmann::json>>;

/// Both ends of a control connection.
struct Ends {
  explicit Ends(SealKind kind, std::uint8_t first = 7)
      : client(kind, {key(first), key(9)}), server(kind, {key(9), key(first)}) {}
  static SessionKey key(std::uint8_t byte) {
    SessionKey all;
    all.fill(byte);
    return all;
  }
  ControlSeal client;
  ControlSeal server;
};

/// A hello to a server without a key.
SlabHello plain_hello() {
  SlabHello hello;
  hello.nonce = std::string(32, 'b');
  hello.packet_bytes = 8972;
  return hello;
}

std::string hex_of(const auto& bytes) { return hex(std::as_bytes(std::span(bytes))); }

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t most) {
  std::vector<std::byte> bytes(random() % (most + 1));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace

TEST_CASE("a packet's header stands on the wire as written", "[slab]") {
  const PacketHeader header{packet_magic, PacketKind::data,   0,
                            0x1122,       0x3132333435363738, 0x4142434445464748,
                            0x51525354,   0x61626364,         0x71727374};
  CHECK(hex(std::as_bytes(std::span(&header, 1))) ==
        "54575331"
        "03002211"
        "3837363534333231"
        "4847464544434241"
        "54535251"
        "64636261"
        "7473727100000000");
}

TEST_CASE("a packet is one that keeps to every bound of its header", "[slab]") {
  constexpr std::size_t datagram_bytes = packet_head_bytes + 10;
  const PacketHeader good{packet_magic, PacketKind::data, 0, 10, 1, 1, 1, 0, largest_slab_bytes};
  CHECK(check_packet(good, datagram_bytes));
  CHECK_FALSE(check_packet(good, datagram_bytes + 1));
  CHECK_FALSE(check_packet(good, datagram_bytes - 1));
  CHECK_FALSE(check_packet(good, packet_head_bytes - 1));
  const auto checked = [&](auto&& change) {
    PacketHeader header = good;
    change(header);
    return check_packet(header, packet_head_bytes + header.payload_bytes);
  };
  CHECK(checked([](PacketHeader& h) { h.payload_bytes = 0; }));
  CHECK(checked([](PacketHeader& h) { h.kind = PacketKind::hello; }));
  CHECK(checked([](PacketHeader& h) { h.kind = PacketKind::cancel; }));
  CHECK_FALSE(checked([](PacketHeader& h) { h.kind = PacketKind{0}; }));
  CHECK_FALSE(checked([](PacketHeader& h) { h.kind = PacketKind{7}; }));
  CHECK_FALSE(checked([](PacketHeader& h) { h.magic ^= 1; }));
  CHECK_FALSE(checked([](PacketHeader& h) { h.reserved = 1; }));
  CHECK_FALSE(checked([](PacketHeader& h) { h.sequence = 0; }));
  CHECK_FALSE(checked([](PacketHeader& h) { ++h.slab_bytes; }));
}

TEST_CASE("an ack has a bitmap of whole words, up to the longest", "[slab]") {
  const auto parses = [](std::uint32_t bits, std::size_t bitmap_bytes) {
    const AckHeader header{100'000, 5, 7, bits};
    std::vector<std::byte> payload(sizeof header + bitmap_bytes);
    std::memcpy(payload.data(), &header, sizeof header);
    return parse_ack(payload).has_value();
  };
  CHECK(parses(0, 0));
  CHECK(parses(64, 8));
  CHECK(parses(most_ack_bits, most_ack_bits / 8));
  CHECK_FALSE(parses(most_ack_bits + 64, most_ack_bits / 8 + 8));
  CHECK_FALSE(parses(32, 4));
  CHECK_FALSE(parses(64, 7));
  CHECK_FALSE(parses(64, 9));
  CHECK_FALSE(parse_ack(std::vector<std::byte>(sizeof(AckHeader) - 1)));
}

TEST_CASE("a stripe's header stands on the wire as written", "[slab]") {
  StripeHeader header = {};
  header.magic = stripe_magic;
  header.kind = PacketKind::data;
  header.request = 0x11121314;
  header.bytes = 0x21222324;
  header.slab_bytes = 0x3132333435363738;
  header.offset = 0x4142434445464748;
  header.sequence = stripe_sequence(2, 5);
  CHECK(hex(std::as_bytes(std::span(&header, 1))) ==
        "54575354"
        "03000000"
        "14131211"
        "24232221"
        "3837363534333231"
        "4847464544434241"
        "0500000000000002");
}

TEST_CASE("a block request stands on the wire as written", "[slab]") {
  const auto bytes = to_bytes({"ab", 3, 0x0102, {4, 5, 6, 9}});
  CHECK(hex(bytes) ==
        "54574252"
        "03000000"
        "0201000000000000"
        "0200"
        "0200"
        "00000000"
        "6162"
        "0400000003000000"
        "0900000001000000");
  const BlockRequest request = parse_block_request(bytes);
  CHECK(request.name == "ab");
  CHECK(request.level == 3);
  CHECK(request.frame == 0x0102);
  CHECK(request.blocks == std::vector<int>{4, 5, 6, 9});
}

TEST_CASE("a request of many runs is asked for in parts, none of it twice", "[slab]") {
  BlockRequest request{"movie", 0, 1, {}};
  for (int i = 0; i < 1000; ++i) request.blocks.push_back(3 * i);
  std::vector<int> asked;
  for (const BlockRequest& part : split_request(request)) {
    CHECK(to_bytes(part).size() <= 1400);
    const BlockRequest parsed = parse_block_request(to_bytes(part));
    asked.insert(asked.end(), parsed.blocks.begin(), parsed.blocks.end());
  }
  CHECK(asked == request.blocks);
  CHECK(split_request({"movie", 0, 1, {}}).empty());
}

TEST_CASE("requests that cannot be are refused", "[slab]") {
  const auto good = to_bytes({"movie", 0, 7, {0, 1, 2, 8}});
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_THROWS_AS(parse_block_request(std::span(good).first(size)), InputError);
  const auto changed = [&](std::size_t offset, std::uint64_t value, std::size_t bytes) {
    auto wrong = good;
    std::memcpy(wrong.data() + offset, &value, bytes);
    return wrong;
  };
  CHECK_THROWS_AS(parse_block_request(changed(0, 1, 4)), InputError);                  // magic
  CHECK_THROWS_AS(parse_block_request(changed(4, 65, 4)), InputError);                 // level
  CHECK_THROWS_AS(parse_block_request(changed(8, ~std::uint64_t{0}, 8)), InputError);  // frame
  CHECK_THROWS_AS(parse_block_request(changed(16, 0, 2)), InputError);                 // no name
  CHECK_THROWS_AS(parse_block_request(changed(29 + 4, 0, 4)), InputError);  // an empty run
  CHECK_THROWS_AS(parse_block_request(changed(29 + 4, 0xffffffff, 4)), InputError);
  CHECK_THROWS_AS(parse_block_request(changed(37, 1, 4)), InputError);  // runs that overlap
}

TEST_CASE("random bytes are no message, and nothing is read beyond them", "[slab]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = random_bytes(random, 120);
    const auto begin_with = [&](std::uint32_t magic) {
      if (bytes.size() >= 4 && i % 2 == 0) std::memcpy(bytes.data(), &magic, 4);
    };
    begin_with(block_request_magic);
    CHECK_THROWS_AS(parse_block_request(bytes), InputError);
    begin_with(block_answer_magic);
    if (const BlockAnswer answer = parse_block_answer(bytes, random() % 8); !answer.blocks.empty())
      for (const auto block : answer.blocks)
        CHECK(block.data() + block.size() <=
              reinterpret_cast<const std::uint8_t*>(bytes.data()) + bytes.size());
    if (const auto ack = parse_ack(bytes))
      for (std::uint32_t bit = 0; bit < ack->header.bitmap_bits; ++bit)
        static_cast<void>(ack->came(ack->header.largest - ack->header.bitmap_bits + bit));
    static_cast<void>(parse_cancel(bytes));
  }
}

TEST_CASE("an answer gives each block its bytes, or none", "[slab]") {
  const BlockAnswerHeader header{block_answer_magic, 0, 3, 0};
  const std::uint32_t sizes[] = {2, 0, 1};
  std::vector<std::byte> bytes(sizeof header + sizeof sizes + 3);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, sizes, sizeof sizes);
  bytes.back() = std::byte{9};
  const BlockAnswer answer = parse_block_answer(bytes, 3);
  REQUIRE(answer.status == BlockAnswerStatus::found);
  CHECK(answer.blocks[0].size() == 2);
  CHECK(answer.blocks[1].empty());
  CHECK(answer.blocks[2][0] == 9);
  CHECK(parse_block_answer(bytes, 4).blocks.empty());
  CHECK(parse_block_answer(std::span(bytes).first(bytes.size() - 1), 3).blocks.empty());
  CHECK(parse_block_answer({}, 3).status == BlockAnswerStatus::damaged_frame);
}

TEST_CASE("a hello that was changed on the way is refused", "[slab]") {
  const std::string secret = "sixteen bytes or more";
  const std::optional<AuthKey> key(std::in_place, std::as_bytes(std::span(secret)));
  const SlabHandshake server(key, std::string(32, 'a'));
  SlabHello hello = plain_hello();
  hello.seal = SealKind::encrypted;
  const auto message = server.hello(hello);
  CHECK(server.parse_hello(message).seal == SealKind::encrypted);
  const Changes changes = {
      {"seal", "tag"},        {"transport", "tcp"},        {"stripes", 2},
      {"packet_bytes", 1452}, {"receive_buffer_bytes", 7}, {"nonce", std::string(32, 'c')}};
  for (const auto& [field, value] : changes) {
    auto changed = message;
    changed[field] = value;
    CAPTURE(field);
    CHECK_THROWS_AS(server.parse_hello(changed), InputError);
  }
  CHECK_THROWS_AS(SlabHandshake(key, std::string(32, 'd')).parse_hello(message), InputError);
}

TEST_CASE("hellos out of bounds are refused with the field's name", "[slab]") {
  const std::optional<AuthKey> no_key;
  const SlabHandshake server(no_key, std::string(32, 'a'));
  const auto message = server.hello(plain_hello());
  CHECK_NOTHROW(server.parse_hello(message));
  const Changes changes = {
      {"stripes", 0},        {"stripes", 65}, {"packet_bytes", 100}, {"packet_bytes", 70'000},
      {"transport", "smtp"}, {"seal", "tag"}, {"nonce", "short"},    {"receive_buffer_bytes", -1},
      {"type", "goodbye"}};
  for (const auto& [field, value] : changes) {
    auto changed = message;
    changed[field] = value;
    CAPTURE(field);
    CHECK_THROWS_WITH(server.parse_hello(changed), Catch::Contains(field));
  }
}

TEST_CASE("a session's number is 16 small hexadecimal digits", "[slab]") {
  const std::optional<AuthKey> no_key;
  const SlabHandshake client(no_key, std::string(32, 'a'));
  const SlabHello hello = plain_hello();
  const auto parsed = [&](const std::string& session) {
    auto message = client.welcome(hello, 1);
    message["session"] = session;
    return client.parse_welcome(hello, message);
  };
  CHECK(parsed("00000000000000ff") == 255);
  CHECK(parsed("ffffffffffffffff") == ~std::uint64_t{0});
  for (const char* other : {"", "ff", "0000000000000ff", "000000000000000ff", "00000000000000FF",
                            "00000000000000f ", "00000000000000-1"}) {
    CAPTURE(other);
    CHECK_THROWS_WITH(parsed(other), Catch::Contains("session"));
  }
}

TEST_CASE("numbers of a hello may reach the ends of their ranges", "[slab]") {
  const std::optional<AuthKey> no_key;
  const SlabHandshake server(no_key, std::string(32, 'a'));
  const auto message = server.hello(plain_hello());
  const auto is_taken = [&](const char* field, const nlohmann::json& value) {
    auto changed = message;
    changed[field] = value;
    try {
      static_cast<void>(server.parse_hello(changed));
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  const auto ends_at = [&](const char* field, std::uint64_t least, std::uint64_t most) {
    CAPTURE(field);
    CHECK(is_taken(field, least));
    CHECK(is_taken(field, most));
    if (least > 0) CHECK_FALSE(is_taken(field, least - 1));
    CHECK_FALSE(is_taken(field, most + 1));
  };
  ends_at("stripes", 1, 64);
  ends_at("packet_bytes", packet_head_bytes + 512, 65'507);
  ends_at("receive_buffer_bytes", 0, std::uint64_t{1} << 40);
  ends_at("udp_port", 0, 65'535);
  ends_at("stripe_port", 0, 65'535);
  for (const std::size_t length : {31, 32, 128, 129}) {
    CAPTURE(length);
    CHECK(is_taken("nonce", std::string(length, 'c')) == (length == 32 || length == 128));
  }
}

TEST_CASE("a hello of another version is refused", "[slab]") {
  const std::optional<AuthKey> no_key;
  const SlabHandshake server(no_key, std::string(32, 'a'));
  auto message = server.hello(plain_hello());
  CHECK(message["version"] == 4);
  message["version"] = 2;
  CHECK_THROWS_WITH(server.parse_hello(message), Catch::Contains("version: expected 4, found 2"));
  message.erase("version");
  CHECK_THROWS_WITH(server.parse_hello(message), Catch::Contains("version: expected 4"));
}

TEST_CASE("what a server tells stands on the wire as written", "[slab]") {
  const auto message = told_message({{"type", "step"}, {"number", 3}});
  CHECK(text_of(message) == R"({"message":{"number":3,"type":"step"},"type":"told"})");
  CHECK(is_told(message));
  CHECK(parse_told(message)["number"] == 3);
  for (const std::string none :
       {R"({"type":"answer"})", R"({"type":7})", R"({})", R"(["told"])", R"("told")"})
    CHECK_FALSE(is_told(nlohmann::json::parse(none)));
  for (const std::string wrong : {R"({"type":"told"})", R"({"type":"told","message":[1]})"})
    CHECK_THROWS_WITH(parse_told(nlohmann::json::parse(wrong)),
                      Catch::Contains("message: expected"));
}

TEST_CASE("control messages after the handshake stand on the wire as written", "[slab]") {
  // By Python's cryptography, the nonce being bytes(4) + struct.pack("<Q", number):
  // AESGCM(key).encrypt(nonce, b"", text), and encrypt(nonce, text, b"").
  Ends tagged(SealKind::tag);
  const Message first = tagged.client.seal({R"({"type":"list"})", {}});
  CHECK(first.text == R"({"type":"list"})");
  CHECK(hex_of(first.blob) == "33357b8d182da5c38283a11ea5cfbb3a");
  CHECK(hex_of(tagged.client.seal({"{}", {}}).blob) == "5f019d004e427aa3fb4ff5fdf8e2ae6b");
  const Message encrypted = Ends(SealKind::encrypted).client.seal({R"({"type":"list"})", {}});
  CHECK(hex_of(encrypted.text) + hex_of(encrypted.blob) ==
        "44b807b374cbcadbe48831ade44498ca40bb799767026e67a4e06932cfa8bd");
  const Message plain = Ends(SealKind::checksum).client.seal({"{}", {}});
  CHECK(plain.text == "{}");
  CHECK(plain.blob.empty());
  CHECK(Ends(SealKind::checksum).client.limits({70, 0}).blob_bytes == 0);
  CHECK(tagged.client.limits({70, 0}).blob_bytes == 16);
}

TEST_CASE("a control message that is not the peer's next one is refused", "[slab]") {
  for (const SealKind kind : {SealKind::tag, SealKind::encrypted}) {
    const auto refused = [&](const auto& change) {
      Ends ends(kind);
      CHECK(ends.server.open(ends.client.seal({"first", {}})).text == "first");
      Message message = ends.client.seal({"second", {}});
      change(message, ends);
      CHECK_THROWS_WITH(ends.server.open(message), Catch::Contains("the peer's next message"));
    };
    for (std::size_t i = 0; i < 6; ++i)
      refused([&](Message& message, Ends&) { message.text[i] ^= 1; });
    for (std::size_t i = 0; i < 16; ++i)
      refused([&](Message& message, Ends&) { message.blob[i] ^= 0x80; });
    for (std::size_t size = 0; size < 6; ++size)
      refused([&](Message& message, Ends&) { message.text.resize(size); });
    for (std::size_t size = 0; size < 16; ++size)
      refused([&](Message& message, Ends&) { message.blob.resize(size); });
    refused([](Message& message, Ends&) { message = {"second", {}}; });   // not sealed
    refused([](Message& message, Ends&) { message.blob.push_back(0); });  // too long a tag
    refused([](Message& message, Ends& ends) {
      message = ends.client.seal({"third", {}});
    });                                         // dropped
    refused([](Message& message, Ends& ends) {  // sent back to who said it
      static_cast<void>(ends.server.seal({"first", {}}));
      message = ends.server.seal({"second", {}});
    });
    refused([&](Message& message, Ends&) {
      message = Ends(kind).client.seal({"first", {}});
    });                                     // again
    refused([&](Message& message, Ends&) {  // of another session
      Ends other(kind, 8);
      static_cast<void>(other.client.seal({"first", {}}));
      message = other.client.seal({"second", {}});
    });
    Ends ends(kind);  // both ways at once, and an empty one
    for (const std::string text : {"", "a", "ab"}) {
      CHECK(ends.server.open(ends.client.seal({text, {}})).text == text);
      CHECK(ends.client.open(ends.server.seal({text, {}})).text == text);
    }
  }
}

TEST_CASE("an address names servers, a movie and the way", "[remote]") {
  const RemoteUrl url =
      parse_remote_url("tilewall://a,b:7,[::1]:8/x/y?transport=tcp&streams=4&encrypt=yes");
  CHECK(url.servers == std::vector<std::string>{"a:7642", "b:7", "[::1]:8"});
  CHECK(url.name == "x/y");
  CHECK(url.transport == SlabTransport::tcp);
  CHECK(url.streams == 4);
  CHECK(url.encrypt);
  CHECK(url.interfaces.empty());
  CHECK(to_string(parse_remote_url(to_string(url))) == to_string(url));
  CHECK(parse_remote_url("tilewall://a").name.empty());
  for (const std::string wrong :
       {"http://a/b", "tilewall:///b", "tilewall://a,/b", "tilewall://a/b?transport=x",
        "tilewall://a/b?streams=0", "tilewall://a/b?streams=1x", "tilewall://a/b?colour=red",
        "tilewall://a/b?interfaces=eth0", "tilewall://a/b?transport=tcp&interfaces=eth0@0",
        "tilewall://a/b?transport=tcp&streams=1&interfaces=eth0,eth1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_remote_url(wrong), InputError);
  }
  CHECK_THROWS_WITH(parse_remote_url("tilewall://a/b?colour=red"),
                    "tilewall://a/b?colour=red: expected transport, streams, encrypt or "
                    "interfaces, found \"colour\"");
}

TEST_CASE("an address spreads streams over interfaces", "[remote]") {
  const RemoteUrl url =
      parse_remote_url("tilewall://a/b?interfaces=eth0@10,eth1@2.5,10.0.0.7&transport=tcp");
  CHECK(url.interfaces == std::vector<NetInterface>{{"eth0", 10}, {"eth1", 2.5}, {"10.0.0.7", 0}});
  CHECK(url.streams == 3);
  CHECK(to_string(parse_remote_url(to_string(url))) == to_string(url));
  CHECK(parse_remote_url("tilewall://a/b?transport=tcp&streams=5&interfaces=e").streams == 5);
}

TEST_CASE("what a stripe's hosts say of it stands on the wire as written, under its tag",
          "[slab]") {
  const std::string secret = "sixteen bytes or more";
  const std::optional<AuthKey> key(std::in_place, std::as_bytes(std::span(secret)));
  const SlabHandshake handshake(key, std::string(32, 'a'));
  CHECK(slab_protocol_version == 4);
  const SlabHandshake::Stripe stripe{0x0123456789abcdef, 3, 1'250'000'000};
  const auto asked = handshake.stripe(stripe);
  CHECK(asked.dump() == R"({"index":3,"rate_bytes_s":1250000000,"session":"0123456789abcdef",)"
                        R"("tag":"413fba757d8853f5cd7ec5e2e5dbc036","type":"stripe"})");
  CHECK(handshake.parse_stripe(asked).rate_bytes_s == 1'250'000'000);
  const auto said = handshake.joined(stripe, {1 << 20, 2 << 20, "bbr"});
  CHECK(said.dump() ==
        R"({"congestion_control":"bbr","tag":"f4c989736cb15814419ff2e2a87d33ba","type":"joined",)"
        R"("wanted_window_bytes":2097152,"window_bytes":1048576})");
  CHECK(handshake.parse_joined(stripe, said).congestion_control == "bbr");
  const auto changed = [](nlohmann::json message, const char* field, const nlohmann::json& value) {
    message[field] = value;
    return message;
  };
  for (const auto& [field, value] :
       Changes{{"index", 4}, {"rate_bytes_s", 0}, {"rate_bytes_s", 125'000'000'001}}) {
    CAPTURE(field);
    CHECK_THROWS_AS(handshake.parse_stripe(changed(asked, field.c_str(), value)), InputError);
  }
  for (const auto& [field, value] : Changes{{"window_bytes", 1},
                                            {"wanted_window_bytes", 1},
                                            {"congestion_control", "cubic"},
                                            {"congestion_control", std::string(16, 'x')}}) {
    CAPTURE(field);
    CHECK_THROWS_AS(handshake.parse_joined(stripe, changed(said, field.c_str(), value)),
                    InputError);
  }
}
