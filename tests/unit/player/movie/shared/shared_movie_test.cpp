// The shared memory of a movie: nothing in it is believed, no picture changes while it is read.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "net/local_socket.hpp"
#include "player/host/kept_decoder.hpp"
#include "player/movie/decoder/slot_writer.hpp"
#include "player/movie/shared/movie_request.hpp"
#include "player/movie/shared/picture_pin.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::host;
using namespace tilewall::movie;
using namespace tilewall::net;
using tilewall::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr SizePx picture_px{64, 32};
constexpr std::size_t slot_bytes = 8192;

SharedPicture gray_picture() {
  PlaneFormat format;
  format.family = ZIMG_COLOR_GREY;
  return lay_out_picture(picture_px, format, {});
}

MovieMemory new_memory(int slots) {
  return MovieMemory(make_movie_memory(static_cast<std::size_t>(slots) * slot_bytes).get());
}

void fill(std::span<std::uint8_t> slot, std::int64_t frame) {
  std::fill(slot.begin(), slot.end(), static_cast<std::uint8_t>(frame));
}

void publish_frame(SlotWriter& writer, std::int64_t frame, std::span<const FrameRequest> requests) {
  const auto slot = writer.acquire(0, requests, 0);
  REQUIRE(slot);
  fill(writer.bytes(*slot), frame);
  writer.publish(*slot, gray_picture(), {frame, frame + 1});
}

}  // namespace

TEST_CASE("a picture's layout is found sound, and its planes do not overlap", "[movie]") {
  PlaneFormat format;
  format.depth_bits = 10;
  format.subsample_w_log2 = format.subsample_h_log2 = 1;
  const SharedPicture picture = lay_out_picture({33, 21}, format, {true, false, true});
  CHECK(picture.planes[0].stride_bytes == 128);
  CHECK(picture.planes[1].offset_bytes == 128 * 22);
  CHECK(picture_bytes(picture) == 128 * 22 + 2 * 64 * 11);
  std::vector<std::uint8_t> slot(picture_bytes(picture));
  const auto view = checked_picture(picture, slot);
  REQUIRE(view);
  CHECK(view->size_px == SizePx{33, 21});
  CHECK(view->format == format);
  CHECK(view->orientation == Orientation{true, false, true});
  CHECK(view->planes.samples[2] == slot.data() + picture.planes[2].offset_bytes);
  slot.pop_back();
  CHECK_FALSE(checked_picture(picture, slot));
}

TEST_CASE("numbers of a broken decoder are never believed", "[movie][bad-input]") {
  std::vector<std::uint8_t> slot(slot_bytes);
  const SharedPicture good = gray_picture();
  REQUIRE(checked_picture(good, slot));
  const auto refused = [&](const std::function<void(SharedPicture&)>& spoil) {
    SharedPicture bad = good;
    spoil(bad);
    return !checked_picture(bad, slot);
  };
  CHECK(refused([](SharedPicture& p) { p.width_px = 0; }));
  CHECK(refused([](SharedPicture& p) { p.width_px = -64; }));
  CHECK(refused([](SharedPicture& p) { p.height_px = 1 << 30; }));
  CHECK(refused([](SharedPicture& p) { p.height_px = 129; }));
  CHECK(refused([](SharedPicture& p) { p.family = 17; }));
  CHECK(refused([](SharedPicture& p) { p.family = ZIMG_COLOR_RGB; }));  // its planes are not there
  CHECK(refused([](SharedPicture& p) { p.depth_bits = 7; }));
  CHECK(refused([](SharedPicture& p) { p.depth_bits = 32; }));
  CHECK(refused([](SharedPicture& p) { p.subsample_w_log2 = 1; }));
  CHECK(refused([](SharedPicture& p) { p.subsample_h_log2 = -1; }));
  CHECK(refused([](SharedPicture& p) { p.matrix = 1000; }));
  CHECK(refused([](SharedPicture& p) { p.transfer = -5; }));
  CHECK(refused([](SharedPicture& p) { p.primaries = 1 << 20; }));
  CHECK(refused([](SharedPicture& p) { p.chroma_location = 9; }));
  CHECK(refused([](SharedPicture& p) { p.orientation = 8; }));
  CHECK(refused([](SharedPicture& p) { p.planes[0].offset_bytes = 8; }));
  CHECK(refused([](SharedPicture& p) { p.planes[0].offset_bytes = slot_bytes - 64; }));
  CHECK(refused([](SharedPicture& p) { p.planes[0].offset_bytes = ~std::uint64_t{63}; }));
  CHECK(refused([](SharedPicture& p) { p.planes[0].stride_bytes = 0; }));
  CHECK(refused([](SharedPicture& p) { p.planes[0].stride_bytes = ~std::uint64_t{63}; }));
  CHECK(refused([](SharedPicture& p) { p.planes[0].stride_bytes = 320; }));
}

TEST_CASE("a memory that may shrink, is too small or another's is refused", "[movie][bad-input]") {
  const auto memfd = [](off_t bytes, int seals) {
    UniqueFd fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    REQUIRE(::ftruncate(fd.get(), bytes) == 0);
    if (seals != 0) REQUIRE(::fcntl(fd.get(), F_ADD_SEALS, seals) == 0);
    return fd;
  };
  constexpr int fixed = F_SEAL_SHRINK | F_SEAL_GROW;
  CHECK_THROWS_AS(MovieMemory(memfd(1 << 20, 0).get()), JobError);
  CHECK_THROWS_AS(MovieMemory(memfd(4096, fixed).get()), JobError);
  CHECK_THROWS_AS(MovieMemory(memfd(1 << 20, fixed).get()), JobError);  // no page in it
  CHECK_THROWS_AS(MovieMemory(-1), JobError);
  const UniqueFd good = make_movie_memory(slot_bytes);
  CHECK(::ftruncate(good.get(), 0) != 0);
  CHECK(MovieMemory(good.get()).slots_bytes() == slot_bytes);
}

TEST_CASE("slots beyond the memory are none", "[movie][bad-input]") {
  const MovieMemory memory = new_memory(4);
  CHECK(memory.slot(3, slot_bytes).size() == slot_bytes);
  CHECK(memory.slot(4, slot_bytes).empty());
  CHECK(memory.slot(-1, slot_bytes).empty());
  CHECK(memory.slot(max_movie_slots, 64).empty());
  CHECK(memory.slot(1, std::uint64_t{1} << 63).empty());
  CHECK(memory.slot(0, 0).empty());
  CHECK(memory.slot(0, 100).empty());
}

TEST_CASE("a panel pins the picture of the frame it wants, and only a sound one", "[movie]") {
  const MovieMemory memory = new_memory(4);
  SlotWriter writer(memory, slot_bytes);
  REQUIRE(writer.slots() == 4);
  MovieSeat& seat = memory.page().seats[0];
  CHECK_FALSE(try_pin(memory, seat, 0));
  publish_frame(writer, 7, {});
  CHECK_FALSE(try_pin(memory, seat, 6));
  {
    const auto pin = try_pin(memory, seat, 7);
    REQUIRE(pin);
    CHECK(pin->picture().planes.samples[0][0] == 7);
    CHECK(seat.reading.load() >= 0);
  }
  CHECK(seat.reading.load() == -1);
  for (MovieSlot& slot : memory.page().slots) slot.picture.width_px = 1 << 20;
  CHECK_FALSE(try_pin(memory, seat, 7));
  CHECK(seat.reading.load() == -1);
}

TEST_CASE("a slot that is read is not overwritten, until its reader has died", "[movie]") {
  const MovieMemory memory = new_memory(3);
  SlotWriter writer(memory, slot_bytes);
  const std::vector<FrameRequest> requests = {{100, 1, 0}};
  for (const std::int64_t frame : {1, 2, 3}) publish_frame(writer, frame, requests);
  MovieSeat* const seats = memory.page().seats;
  auto first = try_pin(memory, seats[0], 1);
  auto second = try_pin(memory, seats[1], 2);
  auto third = try_pin(memory, seats[2], 3);
  REQUIRE((first && second && third));
  CHECK_FALSE(writer.has_room(0, requests, 0));
  CHECK_FALSE(writer.acquire(0, requests, 0));
  CHECK(first->picture().planes.samples[0][0] == 1);
  CHECK(writer.held().size() == 3);  // still whole and to be had
  seats[1].reading.store(-1);        // what the host service does when a panel's connection ends
  publish_frame(writer, 4, requests);
  CHECK_FALSE(try_pin(memory, seats[3], 2));
  CHECK(try_pin(memory, seats[3], 4));
}

TEST_CASE("the farthest picture gives way, a nearer one does not", "[movie]") {
  const MovieMemory memory = new_memory(3);
  SlotWriter writer(memory, slot_bytes);
  const std::vector<FrameRequest> requests = {{10, 1, 0}};
  for (const std::int64_t frame : {9, 10, 12}) publish_frame(writer, frame, requests);
  REQUIRE(writer.acquire(1, requests, 0));  // 9 is behind: nobody wants it
  CHECK(writer.held().size() == 2);
  const auto slot = writer.acquire(1, requests, 0);
  REQUIRE(slot);
  writer.publish(*slot, gray_picture(), {11, 12});
  CHECK_FALSE(writer.acquire(3, requests, 0));
  CHECK_FALSE(writer.has_room(3, requests, 0));
  CHECK(writer.has_room(1, requests, 0));  // 12 would give way
}

TEST_CASE("a picture that a panel began to want meanwhile does not give way", "[movie]") {
  const MovieMemory memory = new_memory(3);
  SlotWriter writer(memory, slot_bytes);
  const std::vector<FrameRequest> requests = {{10, 1, 0}};  // as the decoder saw them
  for (const std::int64_t frame : {7, 8, 10}) publish_frame(writer, frame, requests);
  set_request(memory, memory.page().seats[0], 7, 1, RequestKind::next);
  CHECK_FALSE(writer.acquire(1, requests, 0));
  CHECK(writer.held().size() == 3);
  set_request(memory, memory.page().seats[0], 8, 1, RequestKind::next);
  CHECK(writer.acquire(1, requests, 0));
  CHECK_FALSE(try_pin(memory, memory.page().seats[1], 7));
  CHECK(try_pin(memory, memory.page().seats[1], 8));
}

TEST_CASE("readers see whole pictures only, whatever the writer does meanwhile", "[movie]") {
  const MovieMemory memory = new_memory(3);
  constexpr int readers = 3;
  constexpr std::int64_t frames = 3000;
  std::atomic<bool> done{false};
  std::atomic<int> mixed{0};
  std::atomic<int> seen{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < readers; ++i)
    threads.emplace_back([&, i] {
      MovieSeat& seat = memory.page().seats[i];
      for (std::int64_t frame = i; !done; frame = (frame + 1) % 100) {
        const auto pin = try_pin(memory, seat, frame);
        if (!pin) continue;
        ++seen;
        const std::uint8_t* const samples = pin->picture().planes.samples[0];
        for (std::size_t at = 0; at < 64 * 32; at += 16)
          if (samples[at] != static_cast<std::uint8_t>(frame)) ++mixed;
      }
    });
  SlotWriter writer(memory, slot_bytes);
  for (std::int64_t n = 0; n < frames || (seen < 10 && n < 1000 * frames); ++n) {
    const std::int64_t frame = n % 100;
    const auto slot = writer.acquire(0, std::vector<FrameRequest>{}, 0);
    if (!slot) continue;
    fill(writer.bytes(*slot), frame);
    writer.publish(*slot, gray_picture(), {frame, frame + 1});
  }
  done = true;
  threads.clear();
  CHECK(seen > 0);
  CHECK(mixed == 0);
}

TEST_CASE("another decoder takes up what the one before left in the slots", "[movie]") {
  const MovieMemory memory = new_memory(4);
  {
    SlotWriter writer(memory, slot_bytes);
    publish_frame(writer, 5, {});
  }
  CHECK(SlotWriter(memory, slot_bytes).held().size() == 1);
  CHECK(SlotWriter(memory, slot_bytes / 2).held().empty());
  CHECK_THROWS_AS(SlotWriter(memory, 4 * slot_bytes), JobError);
}

TEST_CASE("slots change their size only when no panel reads any", "[movie]") {
  const MovieMemory memory = new_memory(8);
  SlotWriter writer(memory, slot_bytes);
  publish_frame(writer, 5, {});
  auto pin = try_pin(memory, memory.page().seats[0], 5);
  REQUIRE(pin);
  CHECK_THROWS_AS(SlotWriter(memory, slot_bytes / 2), JobError);
  CHECK(memory.page().slot_bytes.load() == slot_bytes);
  CHECK(pin->picture().planes.samples[0][0] == 5);
  pin.reset();
  CHECK(SlotWriter(memory, slot_bytes / 2).held().empty());
  CHECK(memory.page().slot_bytes.load() == slot_bytes / 2);
}

TEST_CASE("frames that nobody can deliver are out of reach at once", "[movie]") {
  const MovieMemory memory = new_memory(3);
  MoviePage& page = memory.page();
  CHECK_FALSE(is_out_of_reach(page, 1'000'000));
  page.end_frame.store(100);
  CHECK(is_out_of_reach(page, 100));
  CHECK_FALSE(is_out_of_reach(page, 99));
  page.failed.first.store(10);
  page.failed.end.store(12);
  page.crash_zone.first.store(20);
  page.crash_zone.end.store(52);
  CHECK(is_out_of_reach(page, 11));
  CHECK_FALSE(is_out_of_reach(page, 12));
  CHECK(is_out_of_reach(page, 51));
  page.phase.store(MoviePhase::lost);
  CHECK(is_out_of_reach(page, 0));
}

TEST_CASE("frame numbers from the memory are brought to where sums of them fit",
          "[movie][bad-input]") {
  CHECK(bounded_frame(7) == 7);
  CHECK(bounded_frame(std::numeric_limits<std::int64_t>::min()) == 0);
  CHECK(bounded_frame(std::numeric_limits<std::int64_t>::max()) == most_frames);
  const MovieMemory memory = new_memory(3);
  SlotWriter writer(memory, slot_bytes);
  memory.page().slots[0].first.store(std::numeric_limits<std::int64_t>::max());
  memory.page().slots[1].first.store(5);
  memory.page().slots[1].end.store(std::numeric_limits<std::int64_t>::max());
  for (const FrameReach& held : writer.held()) {
    CHECK(held.first <= most_frames);
    CHECK(held.end <= most_frames);
  }
  CHECK(writer.acquire(0, std::vector<FrameRequest>{{100, -1, 0}}, 0));
}

TEST_CASE("a refusal is one line of bounded length, whatever was written", "[movie][bad-input]") {
  const MovieMemory memory = new_memory(1);
  set_refusal(memory.page(), "a.mp4: expected a movie, found none");
  CHECK(refusal_of(memory.page()) == "a.mp4: expected a movie, found none");
  set_refusal(memory.page(), std::string(10'000, 'x'));
  CHECK(refusal_of(memory.page()).size() == max_refusal_bytes - 1);
  for (const int byte : {0x0a, 0xff}) {  // a control character, no UTF-8
    std::memset(memory.page().refusal, byte, max_refusal_bytes);
    CHECK(refusal_of(memory.page()) == std::string(max_refusal_bytes, '?'));
    std::memset(memory.page().device_note, byte, max_device_note_bytes);
    CHECK(device_note_of(memory.page()) == std::string(max_device_note_bytes, '?'));
  }
}

TEST_CASE("requests of panels: every cut and every wrong length is refused", "[movie][bad-input]") {
  const std::vector<std::byte> packet = encode_request("/movies/a b.mp4");
  CHECK(decode_request(packet) == "/movies/a b.mp4");
  for (std::size_t length = 0; length < packet.size(); ++length) {
    const std::vector<std::byte> cut(packet.begin(),
                                     packet.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_FALSE(decode_request(cut));
  }
  std::vector<std::byte> longer = packet;
  longer.push_back(std::byte{'x'});
  CHECK_FALSE(decode_request(longer));
  std::vector<std::byte> other = packet;
  other[0] = std::byte{0};
  CHECK_FALSE(decode_request(other));
  CHECK_FALSE(decode_request(encode_request("")));
  CHECK_FALSE(decode_request(encode_request(std::string(max_movie_path_bytes + 1, 'x'))));
}

TEST_CASE("a socket in a deep folder hands an open file over", "[net]") {
  const TemporaryFolder folder;
  const fs::path deep = folder / (std::string(100, 'a') + "/" + std::string(100, 'b'));
  fs::create_directories(deep);
  CHECK(try_connect_local(deep / "movies").empty());
  const UniqueFd listening = listen_local(deep / "movies");
  const UniqueFd client = try_connect_local(deep / "movies");
  REQUIRE_FALSE(client.empty());
  const UniqueFd server = accept_local(listening.get());
  REQUIRE_FALSE(server.empty());
  std::byte buffer[16];
  CHECK(receive_packet(client.get(), buffer).status == PacketStatus::nothing_yet);
  const UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  REQUIRE(::ftruncate(file.get(), 12345) == 0);
  REQUIRE(send_packet(server.get(), std::as_bytes(std::span("hello")), file.get()));
  const ReceivedPacket packet = receive_packet(client.get(), buffer);
  CHECK(packet.status == PacketStatus::received);
  CHECK(packet.bytes == 6);
  REQUIRE_FALSE(packet.file.empty());
  CHECK(::lseek(packet.file.get(), 0, SEEK_END) == 12345);
  const UniqueFd again = listen_local(deep / "movies");  // as after a kill: the name is taken over
  CHECK_FALSE(try_connect_local(deep / "movies").empty());
  CHECK_THROWS_AS(listen_local(folder / "missing/movies"), JobError);
}

TEST_CASE("a decoder that dies now and then is started at once, each time", "[movie]") {
  DeathLog log;
  for (int i = 0; i < 100; ++i) {
    CHECK(log.add(i * 100, DeathLog::recovered_pictures) == std::chrono::milliseconds(0));
    CHECK(log.zone() == CrashZone{});
  }
}

TEST_CASE("a place where decoders die is left out, wider each time, and then given up", "[movie]") {
  DeathLog log;
  CHECK(log.add(1000, 500) == std::chrono::milliseconds(0));
  CHECK(log.zone() == CrashZone{});
  auto pause = log.add(1010, 12);
  REQUIRE(pause);
  CHECK(pause->count() > 0);
  CHECK(log.zone() == CrashZone{1000, 1032});
  REQUIRE(log.add(990, 3));
  CHECK(log.zone() == CrashZone{990, 990 + 128});
  int deaths = 3;
  while (log.add(990, 0)) REQUIRE(++deaths < 100);
  CHECK(deaths == DeathLog::most_in_a_row);
}

TEST_CASE("decoders that do not come to open the file blame no frame", "[movie]") {
  DeathLog log;
  REQUIRE(log.add(1000, 500));
  for (int i = 1; i < DeathLog::most_in_a_row; ++i) REQUIRE(log.add(std::nullopt, 0));
  CHECK(log.zone() == CrashZone{});
  CHECK_FALSE(log.add(std::nullopt, 0));
}
