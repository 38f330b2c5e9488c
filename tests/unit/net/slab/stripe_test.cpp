// Chunks of slabs on a stream, and the memory that they are written to.

#include "net/slab/stripe.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "net/slab/slab_buffer.hpp"
#include "sync/base/check.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

struct Ends {
  Ends() {
    std::array<int, 2> ends{};
    check_sys(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), "socketpair");
    writer_end = UniqueFd(ends[0]);
    reader_end = UniqueFd(ends[1]);
  }
  UniqueFd writer_end;
  UniqueFd reader_end;
};

StripeHeader data_header(std::uint64_t slab_bytes, std::uint64_t offset, std::uint32_t bytes) {
  StripeHeader header = {};
  header.magic = stripe_magic;
  header.kind = PacketKind::data;
  header.request = 1;
  header.slab_bytes = slab_bytes;
  header.offset = offset;
  header.bytes = bytes;
  return header;
}

/// Bytes 0, 1, 2, ...
std::vector<std::byte> counted(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

PacketSeal checksum() { return {SealKind::checksum, {}}; }

void fill(SlabBuffer& buffer, int byte) { std::memset(buffer.data(), byte, buffer.size()); }

}  // namespace

TEST_CASE("a chunk must lie inside of its slab and be of a known kind", "[slab]") {
  CHECK(check_stripe(data_header(1000, 0, 1000)));
  CHECK(check_stripe(data_header(1000, 400, 600)));
  CHECK(check_stripe(data_header(1000, 1000, 0)));
  CHECK_FALSE(check_stripe(data_header(1000, 400, 601)));
  CHECK_FALSE(check_stripe(data_header(1000, 1001, 0)));
  CHECK_FALSE(check_stripe(data_header(1000, ~std::uint64_t{0}, 2)));  // its end wraps to 1
  CHECK(check_stripe(data_header(largest_slab_bytes, 0, 262'144)));
  CHECK_FALSE(check_stripe(data_header(largest_slab_bytes, 0, 262'145)));  // 256 KiB at most
  CHECK_FALSE(check_stripe(data_header(std::uint64_t{largest_slab_bytes} + 1, 0, 1)));

  StripeHeader request = data_header(0, 0, 0);
  request.kind = PacketKind::request;
  request.bytes = static_cast<std::uint32_t>(largest_request_bytes);
  CHECK(check_stripe(request));
  request.bytes += 1;
  CHECK_FALSE(check_stripe(request));
  request.kind = PacketKind::cancel;
  CHECK_FALSE(check_stripe(request));
  request.bytes = 4;
  CHECK(check_stripe(request));
  request.kind = PacketKind::ack;  // acks belong to UDP
  CHECK_FALSE(check_stripe(request));
  StripeHeader other = data_header(1000, 0, 1000);
  other.magic += 1;
  CHECK_FALSE(check_stripe(other));
}

TEST_CASE("chunks come in order, and the stream's end is told", "[slab]") {
  Ends ends;
  PacketSeal sending = checksum();
  PacketSeal receiving = checksum();
  StripeWriter writer(ends.writer_end.get(), 2, sending);
  StripeReader reader(ends.reader_end.get(), 2, receiving);
  const std::vector<std::byte> whole = counted(300);
  std::vector<std::byte> slab(300);
  std::vector<std::uint64_t> done;
  StripeReader::Handler handler;
  handler.place = [&](const StripeHeader& header) { return slab.data() + header.offset; };
  handler.done = [&](const StripeHeader& header, std::span<const std::byte> payload) {
    done.push_back(header.offset);
    CHECK(payload.size() == header.bytes);
  };
  CHECK(reader.read_some(handler) == StripeStatus::open);  // nothing has come yet
  for (const std::size_t offset : {200U, 0U, 100U}) {
    writer.start(data_header(300, offset, 0), std::span(whole).subspan(offset, 100), nullptr);
    CHECK_FALSE(writer.idle());
    REQUIRE(writer.write_some() == StripeStatus::open);
    CHECK(writer.idle());
  }
  CHECK(reader.read_some(handler) == StripeStatus::open);
  CHECK(done == std::vector<std::uint64_t>{200, 0, 100});
  CHECK(slab == whole);
  ends.writer_end = UniqueFd();
  CHECK(reader.read_some(handler) == StripeStatus::closed);
  ends.reader_end = UniqueFd();
}

TEST_CASE("a peer that has gone is told to the writer", "[slab]") {
  Ends ends;
  PacketSeal sending = checksum();
  StripeWriter writer(ends.writer_end.get(), 0, sending);
  ends.reader_end = UniqueFd();
  const std::vector<std::byte> payload = counted(10);
  writer.start(data_header(10, 0, 0), payload, nullptr);
  CHECK(writer.write_some() == StripeStatus::closed);
}

TEST_CASE("a chunk of another stripe, or out of turn, is malformed", "[slab]") {
  const std::vector<std::byte> payload = counted(10);
  for (const int from : {2, 3}) {
    CAPTURE(from);
    Ends ends;
    PacketSeal sending = checksum();
    PacketSeal receiving = checksum();
    StripeWriter writer(ends.writer_end.get(), from, sending);
    StripeWriter first_again(ends.writer_end.get(), from, sending);
    StripeReader reader(ends.reader_end.get(), 2, receiving);
    StripeReader::Handler handler;
    int done = 0;
    handler.place = [](const StripeHeader&) { return nullptr; };
    handler.done = [&](const StripeHeader&, std::span<const std::byte>) { ++done; };
    for (StripeWriter* one : {&writer, &first_again}) {
      one->start(data_header(10, 0, 0), payload, nullptr);
      REQUIRE(one->write_some() == StripeStatus::open);
    }
    CHECK(reader.read_some(handler) == StripeStatus::malformed);
    CHECK(done == (from == 2 ? 1 : 0));
  }
}

TEST_CASE("a chunk that is forgotten half way writes no more to its place", "[slab]") {
  Ends ends;
  PacketSeal sending = checksum();
  PacketSeal receiving = checksum();
  StripeHeader header = data_header(100, 0, 100);
  header.sequence = stripe_sequence(0, 1);
  const std::vector<std::byte> payload = counted(100);
  const SealTag tag =
      sending.seal(header.sequence, std::as_bytes(std::span(&header, 1)), payload, nullptr);
  std::vector<std::byte> wire(sizeof header + tag.size());
  std::memcpy(wire.data(), &header, sizeof header);
  std::memcpy(wire.data() + sizeof header, tag.data(), tag.size());
  wire.insert(wire.end(), payload.begin(), payload.end());

  std::vector<std::byte> place(100);
  std::vector<std::byte> got;
  StripeReader reader(ends.reader_end.get(), 0, receiving);
  StripeReader::Handler handler;
  handler.place = [&](const StripeHeader&) { return place.data(); };
  handler.done = [&](const StripeHeader&, std::span<const std::byte> bytes) {
    got.assign(bytes.begin(), bytes.end());
  };
  const std::size_t half = stripe_head_bytes + 60;
  REQUIRE(::write(ends.writer_end.get(), wire.data(), half) == static_cast<ssize_t>(half));
  REQUIRE(reader.read_some(handler) == StripeStatus::open);
  reader.forget(2);  // another request's chunk stays
  reader.forget(1);
  REQUIRE(::write(ends.writer_end.get(), wire.data() + half, wire.size() - half) == 40);
  CHECK(reader.read_some(handler) == StripeStatus::open);
  CHECK(got == payload);  // the tag covers the part that came before
  for (std::size_t i = 0; i < place.size(); ++i)
    CHECK(place[i] == (i < 60 ? payload[i] : std::byte{0}));
}

TEST_CASE("a buffer that was moved from is empty, and can be used anew", "[slab]") {
  SlabBuffer first;
  first.resize(5000);
  CHECK(first.size() == 5000);
  CHECK(first.capacity() == 8192);  // two pages
  fill(first, 7);
  SlabBuffer second = std::move(first);
  SlabBuffer third;
  third.resize(10);
  third = std::move(second);
  for (SlabBuffer* moved : {&first, &second}) {
    CHECK(moved->size() == 0);
    CHECK(moved->capacity() == 0);
    CHECK(moved->data() == nullptr);
    moved->resize(3);
    REQUIRE(moved->data() != nullptr);
    fill(*moved, 1);
  }
  CHECK(third.size() == 5000);
  CHECK(third.capacity() == 8192);
  CHECK(third.data()[4999] == std::byte{7});
  third.resize(8193);
  CHECK(third.capacity() == 12'288);
  CHECK(third.data()[4999] == std::byte{7});
  third.resize((std::size_t{2} << 20) + 1);
  CHECK(third.capacity() == std::size_t{4} << 20);  // huge pages
  third.resize(1);
  CHECK(third.capacity() == std::size_t{4} << 20);
}

TEST_CASE("a pool hands out kept buffers that fit, and frees the oldest", "[slab]") {
  SlabPool pool(64 * 1024);
  const auto buffer_of = [](std::size_t size) {
    SlabBuffer buffer;
    buffer.resize(size);
    return buffer;
  };
  pool.give_back(buffer_of(40 * 1024));
  // A quarter of 40 KiB is 10 KiB: a buffer for less, beyond a page, would waste memory.
  CHECK(pool.take(6 * 1024 - 1).capacity() == 8 * 1024);
  SlabBuffer again = pool.take(6 * 1024);
  CHECK(again.capacity() == 40 * 1024);
  CHECK(again.size() == 6 * 1024);
  CHECK(pool.take(6 * 1024).capacity() == 8 * 1024);  // nothing is kept now

  pool.give_back(std::move(again));
  pool.give_back(buffer_of(24 * 1024));  // both are kept: 64 KiB
  again = pool.take(36 * 1024);
  CHECK(again.capacity() == 40 * 1024);
  SlabBuffer small = pool.take(20 * 1024);
  CHECK(small.capacity() == 24 * 1024);
  pool.give_back(std::move(again));
  pool.give_back(std::move(small));
  pool.give_back(buffer_of(4 * 1024));  // the oldest, of 40 KiB, makes room
  CHECK(pool.take(36 * 1024).capacity() == 36 * 1024);
  CHECK(pool.take(20 * 1024).capacity() == 24 * 1024);
  pool.give_back(buffer_of(68 * 1024));  // more than may be kept
  CHECK(pool.take(61 * 1024).capacity() == 64 * 1024);
  CHECK(pool.take(1).capacity() == 4 * 1024);
}
