// A movie's decoder process as the host service keeps it.

#include "player/host/kept_decoder.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "player/movie/shared/picture_pin.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::host;
using namespace tilewall::scene;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

void write_text(const fs::path& file) { std::ofstream(file) << "this is no movie\n"; }

/// Sees to the decoder until `done`; every end is taken.
template <typename Done>
[[nodiscard]] bool look_until(KeptDecoder& decoder, Done done) {
  return eventually([&] {
    while (const auto end = reap_any()) static_cast<void>(decoder.take_end(*end));
    decoder.look();
    return done();
  });
}

}  // namespace

TEST_CASE("a file that is no movie is refused at once, and played once it is one",
          "[movie][bad-input]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "m.mp4";
  write_text(file);
  KeptDecoder decoder(file.string(), {folder / "log", folder / "pid"});
  const MovieMemory memory(decoder.memory_fd());
  const auto is_in = [&](MoviePhase phase) { return memory.page().phase.load() == phase; };
  CHECK(look_until(decoder, [&] { return is_in(MoviePhase::refused); }));
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = 4;
  make_counting_movie(folder / "other.mp4", options);
  fs::rename(folder / "other.mp4", file);
  bool was_starting = false;  // panels go on with what they show of a refused movie
  CHECK(look_until(decoder, [&] {
    was_starting |= is_in(MoviePhase::starting);
    return is_in(MoviePhase::playing);
  }));
  CHECK_FALSE(was_starting);
  CHECK(memory.page().deaths.load() == 0);
}

TEST_CASE("a movie that is mended while it plays is opened anew", "[movie]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "m.mkv";
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = 48;
  make_counting_movie(file, options);
  fs::copy(file, folder / "whole.mkv");
  fs::resize_file(file, fs::file_size(file) / 2);
  KeptDecoder decoder(file.string(), {folder / "log", folder / "pid"});
  const MovieMemory memory(decoder.memory_fd());
  MoviePage& page = memory.page();
  const auto seat = decoder.take_seat();
  REQUIRE(seat);
  const auto shows = [&](std::int64_t frame) {
    set_request(memory, page.seats[*seat], frame, 1, RequestKind::waiting);
    return try_pin(memory, page.seats[*seat], frame).has_value();
  };
  REQUIRE(look_until(decoder, [&] {
    static_cast<void>(shows(47));
    return page.end_frame.load() > 0;
  }));
  CHECK(page.end_frame.load() < 47);
  CHECK_FALSE(shows(47));
  fs::rename(folder / "whole.mkv", file);
  CHECK(look_until(decoder, [&] { return shows(47); }));
  CHECK(page.deaths.load() == 0);
}

TEST_CASE("a movie that is unreadable for a while in mid-show comes back", "[movie]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "m.mp4";
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = 20;
  make_counting_movie(file, options);
  KeptDecoder decoder(file.string(), {folder / "log", folder / "pid"});
  const MovieMemory memory(decoder.memory_fd());
  MoviePage& page = memory.page();
  const auto plays = [&] { return page.phase.load() == MoviePhase::playing; };
  REQUIRE(look_until(decoder, plays));
  fs::rename(file, folder / "away.mp4");
  write_text(file);
  pid_t pid = 0;
  std::ifstream(folder / "pid") >> pid;
  REQUIRE(pid > 0);
  ::kill(pid, SIGKILL);
  REQUIRE(look_until(decoder, [&] { return page.deaths.load() >= 3; }));
  CHECK(page.phase.load() == MoviePhase::starting);
  CHECK(page.crash_zone.end.load() == 0);  // no frame is to blame
  fs::rename(folder / "away.mp4", file);
  CHECK(look_until(decoder, plays));
}

TEST_CASE("a decoder that a signal has stopped is killed and started again", "[movie]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "m.mp4";
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = 20;
  make_counting_movie(file, options);
  KeptDecoder decoder(file.string(), {folder / "log", folder / "pid"});
  const MovieMemory memory(decoder.memory_fd());
  MoviePage& page = memory.page();
  const auto plays = [&] { return page.phase.load() == MoviePhase::playing; };
  REQUIRE(look_until(decoder, plays));
  pid_t pid = 0;
  std::ifstream(folder / "pid") >> pid;
  REQUIRE(pid > 0);
  REQUIRE(::kill(pid, SIGSTOP) == 0);  // although no panel waits for a frame
  CHECK(look_until(decoder, [&] { return page.deaths.load() == 1 && plays(); }));
}

TEST_CASE("after a decoder that died with a GPU the processor decodes, and no frame is to blame",
          "[movie]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "m.mp4";
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = 20;
  make_counting_movie(file, options);
  KeptDecoder decoder(
      file.string(),
      {.log_file = folder / "log", .pid_file = folder / "pid", .decode = DecodeDevice::automatic});
  const MovieMemory memory(decoder.memory_fd());
  MoviePage& page = memory.page();
  const auto plays = [&] { return page.phase.load() == MoviePhase::playing; };
  const auto command_line = [&] {
    std::string pid;
    std::ifstream(folder / "pid") >> pid;
    std::ifstream arguments("/proc/" + pid + "/cmdline");
    std::string text(std::istreambuf_iterator<char>(arguments), {});
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
  };
  REQUIRE(look_until(decoder, plays));
  CHECK_THAT(command_line(), Catch::Matchers::Contains(" --decode auto "));
  for (int deaths = 1; deaths <= 3; ++deaths) {
    page.device.store(DecodeDevice::cuda);  // as if one were there
    pid_t pid = 0;
    std::ifstream(folder / "pid") >> pid;
    REQUIRE(pid > 0);
    ::kill(pid, SIGKILL);
    REQUIRE(look_until(decoder,
                       [&] { return static_cast<int>(page.deaths.load()) == deaths && plays(); }));
    CHECK_THAT(command_line(), Catch::Matchers::Contains(" --decode cpu "));
    CHECK(page.device.load() == DecodeDevice::cpu);
    CHECK(device_note_of(page) == "the GPU's decoder process died");
    CHECK(page.crash_zone.end.load() == 0);
  }
}

TEST_CASE("without room for its process number a decoder runs all the same", "[movie]") {
  const TemporaryFolder folder;
  write_text(folder / "m.mp4");
  KeptDecoder decoder((folder / "m.mp4").string(), {folder / "log", folder / "missing/pid"});
  const MovieMemory memory(decoder.memory_fd());
  CHECK(look_until(decoder, [&] { return memory.page().phase.load() == MoviePhase::refused; }));
}
