// A panel's seat at a movie that is decoded elsewhere: what it says while the panel waits, and
// after.

#include "player/movie/shared/frame_waiter.hpp"

#include <catch2/catch.hpp>
#include <thread>

#include "net/local_socket.hpp"
#include "player/movie/decoder/slot_writer.hpp"
#include "player/movie/shared/movie_request.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::net;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t waiter_slot_bytes = 8192;

/// A host service that gives one panel seat 0 of a movie without a decoder.
class OneMovie {
 public:
  OneMovie() : listening_(listen_local(socket())) {
    page().phase.store(MoviePhase::playing);
    server_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }

  [[nodiscard]] std::filesystem::path socket() const { return folder_ / "movies"; }
  [[nodiscard]] MoviePage& page() const { return memory_.page(); }
  [[nodiscard]] MovieSeat& seat() const { return page().seats[0]; }

  /// A slot holds `frame` from now on.
  void publish(std::int64_t frame) {
    SlotWriter writer(memory_, waiter_slot_bytes);
    const auto slot = writer.acquire(0, std::vector<FrameRequest>{}, 0);
    REQUIRE(slot);
    PlaneFormat format;
    format.family = ZIMG_COLOR_GREY;
    writer.publish(*slot, lay_out_picture({64, 32}, format, {}), {frame, frame + 1});
  }

 private:
  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested() && connection_.empty()) {
      connection_ = accept_local(listening_.get());
      std::this_thread::sleep_for(1ms);
    }
    const MovieGrant grant{MovieGrant{}.magic, 0};
    if (!connection_.empty())
      static_cast<void>(
          send_packet(connection_.get(), std::as_bytes(std::span(&grant, 1)), memory_fd_.get()));
  }

  const TemporaryFolder folder_;
  const UniqueFd memory_fd_ = make_movie_memory(4 * waiter_slot_bytes);
  const MovieMemory memory_{memory_fd_.get()};
  const UniqueFd listening_;
  UniqueFd connection_;
  std::jthread server_;
};

}  // namespace

TEST_CASE("a panel that goes on without a frame is not seen to wait for it", "[movie]") {
  OneMovie movie;
  std::atomic<bool> abandons{false};
  FrameWaiter waiter({movie.socket(), "m.webm", {64, 32}, 1, [&] { return abandons.load(); }});

  // Late policy drop: the tick has passed, and another movie is shown.
  static_cast<void>(waiter.ready(47));
  waiter.await(47, local_now() + 1ms);
  CHECK(movie.seat().wanted.load() == 47);
  CHECK(movie.seat().waiting_since_ns.load() == 0);
  CHECK_FALSE(anyone_waits(movie.page()));

  // The scene changed while it was waited for.
  abandons = true;
  CHECK(waiter.wait(48).end == FrameWaitEnd::abandoned);
  CHECK(movie.seat().waiting_since_ns.load() == 0);

  // The movie lies on other panels only.
  waiter.leave();
  CHECK(movie.seat().wanted.load() == no_frame);
}

TEST_CASE("a panel tells what decodes its movie, and why no GPU does", "[movie]") {
  OneMovie movie;
  MoviePage& page = movie.page();
  page.decoded_pictures = 40;
  page.decoded_px = 4000;
  page.decode_cpu_ns = 7000;
  set_device_note(page, "no device");
  page.deaths = 2;
  page.death_records[0].died_ns = 100;
  page.death_records[0].back_ns = 150;
  page.death_records[1].died_ns = 300;
  FrameWaiter waiter({movie.socket(), "m.webm", {64, 32}, 1, [] { return false; }});
  const auto told = [&](scene::DecodeDevice device) {
    page.device = device;
    REQUIRE(waiter.decoder_status());
    return *waiter.decoder_status();
  };
  const scene::DecoderStatus status = told(scene::DecodeDevice::cpu);
  CHECK(status.device == scene::DecodeDevice::cpu);
  CHECK(status.device_note == "no device");
  CHECK(status.movies == std::vector<scene::DecodedMovie>{{page.made_ns, 40, 4000, 7000}});
  REQUIRE(status.deaths.size() == 2);
  CHECK(status.deaths[0].died_ns == 100);
  CHECK(status.deaths[0].back_ns == 150);
  CHECK(status.deaths[1].died_ns == 300);
  CHECK(status.deaths[1].back_ns == 0);
  for (const auto device : {scene::DecodeDevice::vaapi, scene::DecodeDevice::cuda}) {
    CHECK(told(device).device == device);
    CHECK(told(device).device_note.empty());
  }
  CHECK(told(scene::DecodeDevice(77)).device == scene::DecodeDevice::cpu);
}

TEST_CASE("a panel waits for one frame since the same instant, however often it looks", "[movie]") {
  OneMovie movie;
  FrameWaiter waiter({movie.socket(), "m.webm", {64, 32}, 1, [] { return false; }});
  std::jthread panel([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      static_cast<void>(waiter.ready(5));
      waiter.await(5, local_now() + 1s);
    }
  });
  const auto waits = [&] { return movie.seat().waiting_since_ns.load() != 0; };
  REQUIRE(eventually(waits));
  const std::int64_t since_ns = movie.seat().waiting_since_ns.load();
  CHECK(eventually([&] { return anyone_waits(movie.page()); }));
  for (int i = 0; i < 5; ++i) {
    wake_panels(movie.page());
    std::int64_t now_ns = 0;
    REQUIRE(eventually([&] { return (now_ns = movie.seat().waiting_since_ns.load()) != 0; }));
    if (since_ns != 0) CHECK(now_ns == since_ns);
  }
}

TEST_CASE("a panel reports what its host's decoder has done, and which ones died", "[movie]") {
  OneMovie movie;
  FrameWaiter waiter({movie.socket(), "m.webm", {64, 32}, 1, [] { return false; }});
  MoviePage& page = movie.page();
  page.decoded_pictures.store(7);
  page.decoded_px.store(11);
  page.decode_cpu_ns.store(13);
  page.device.store(scene::DecodeDevice::automatic);
  static_cast<void>(waiter.ready(5));
  const auto status = waiter.decoder_status();
  REQUIRE(status);
  REQUIRE(status->movies.size() == 1);
  CHECK(status->movies[0].pictures == 7);
  CHECK(status->movies[0].px == 11);
  CHECK(status->movies[0].cpu_ns == 13);
  CHECK(status->device == scene::DecodeDevice::cpu);  // what was asked for has not opened yet
  CHECK(status->deaths.empty());

  page.device.store(scene::DecodeDevice::vaapi);
  page.deaths.store(2);
  page.death_records[0].died_ns.store(100);
  page.death_records[0].back_ns.store(200);
  page.death_records[1].died_ns.store(300);
  const auto later = waiter.decoder_status();
  REQUIRE(later);
  CHECK(later->device == scene::DecodeDevice::vaapi);
  REQUIRE(later->deaths.size() == 2);
  CHECK(later->deaths[0].died_ns == 100);
  CHECK(later->deaths[0].back_ns == 200);
  CHECK(later->deaths[1].died_ns == 300);
  CHECK(later->deaths[1].back_ns == 0);

  page.deaths.store(max_death_records + 5);  // only the first ones are recorded
  CHECK(waiter.decoder_status()->deaths.size() == max_death_records);
}

TEST_CASE("a decoder has nothing to do for who waits for a frame that is there", "[movie]") {
  OneMovie movie;
  MovieSeat& seat = movie.page().seats[3];
  CHECK_FALSE(anyone_waits(movie.page()));
  seat.wanted.store(7);
  CHECK_FALSE(anyone_waits(movie.page()));
  seat.waiting_since_ns.store(1);
  CHECK(anyone_waits(movie.page()));
  movie.publish(7);
  CHECK_FALSE(anyone_waits(movie.page()));
  seat.wanted.store(8);
  CHECK(anyone_waits(movie.page()));
  movie.page().end_frame.store(8);
  CHECK_FALSE(anyone_waits(movie.page()));  // it never comes
  seat.wanted.store(no_frame);
  CHECK_FALSE(anyone_waits(movie.page()));
}
