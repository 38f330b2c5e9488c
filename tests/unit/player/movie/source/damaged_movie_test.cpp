// A movie with a damaged picture: which frames are told as damaged, and which are.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "player/movie/decoder/decode_loop.hpp"
#include "player/movie/shared/picture_pin.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "player/movie/source/media_input.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr int frames = 60;
constexpr int key_interval = 20;
constexpr std::int64_t damaged_frame = 25;
constexpr std::int64_t next_key_frame = 40;

std::uint64_t luma_hash(const AVFrame& frame) {
  std::uint64_t hash = 1469598103934665603U;  // FNV-1a
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x)
      hash = (hash ^ frame.data[0][std::ptrdiff_t{y} * frame.linesize[0] + x]) * 1099511628211U;
  return hash;
}

struct ToldFrame {
  std::uint64_t hash = 0;
  bool damaged = false;
};

std::vector<ToldFrame> told_frames(const fs::path& file) {
  FrameCursor cursor(file, {}, 2);
  std::vector<ToldFrame> told;
  while (const auto picture = cursor.next()) {
    const AVFrame& frame = *picture->frame;
    const bool damaged =
        frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
    for (std::int64_t i = 0; i < picture->span.count; ++i)
      told.push_back({luma_hash(frame), damaged || (i > 0 && picture->repeats_lost)});
  }
  return told;
}

/// Overwrites the packet of that number, but for its first bytes.
void damage_packet(const fs::path& file, int number, int from) {
  std::int64_t at = 0;
  int bytes = 0;
  {
    MediaInput input(file);
    const AvPacket packet = new_packet();
    for (int i = 0; i <= number; ++i) {
      av_packet_unref(packet.get());
      REQUIRE(av_read_frame(input.get(), packet.get()) >= 0);
    }
    at = packet.get()->pos;
    bytes = packet.get()->size;
  }
  REQUIRE(bytes > from);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(at + from);
  stream << std::string(static_cast<std::size_t>(bytes - from), '\xff');
}

CountingMovieOptions movie_of(const std::string& codec) {
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = frames;
  options.codec = codec;
  options.key_interval = codec == "mjpeg" ? 1 : key_interval;
  options.b_frames = 0;
  if (codec == "mjpeg") options.pixel_format = "yuvj420p";
  return options;
}

}  // namespace

TEST_CASE("every picture that depends on a damaged one is told, up to the next key picture",
          "[movie][bad-input]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "m.mov";
  struct Case {
    const char* codec;
    int kept_bytes;
  };
  for (const Case& one : {Case{"libx264", 7}, Case{"libx264", 4}, Case{"mpeg4", 6},
                          Case{"mpeg4", 0}, Case{"mjpeg", 0}}) {
    CAPTURE(one.codec, one.kept_bytes);
    make_counting_movie(file, movie_of(one.codec));
    const std::vector<ToldFrame> sound = told_frames(file);
    REQUIRE(sound.size() == frames);
    CHECK(std::ranges::none_of(sound, &ToldFrame::damaged));
    damage_packet(file, static_cast<int>(damaged_frame), one.kept_bytes);
    const std::vector<ToldFrame> told = told_frames(file);
    REQUIRE(told.size() == frames);
    int wrong = 0;
    for (std::int64_t i = 0; i < frames; ++i) {
      const auto at = static_cast<std::size_t>(i);
      CAPTURE(i);
      if (told[at].hash != sound[at].hash) {
        ++wrong;
        CHECK(told[at].damaged);
      }
      if (i < damaged_frame || i >= next_key_frame) CHECK_FALSE(told[at].damaged);
    }
    CHECK(wrong > 0);
    if (std::string(one.codec) == "mjpeg")
      CHECK(std::ranges::count(told, true, &ToldFrame::damaged) == 1);
  }
}

TEST_CASE("a panel is told of the frames that repeat a picture for a lost one",
          "[movie][bad-input]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "m.mov";
  make_counting_movie(file, movie_of("mjpeg"));
  damage_packet(file, static_cast<int>(damaged_frame), 0);
  const UniqueFd fd = make_movie_memory(std::size_t{8} << 20);
  const MovieMemory memory(fd.get());
  DecodeLoop loop(file.string(), memory);
  MovieSeat& seat = memory.page().seats[0];
  const auto repeats = [&](std::int64_t frame) {
    set_request(memory, seat, frame, 1, RequestKind::waiting);
    for (int i = 0; i < 200; ++i) {
      if (const auto pin = try_pin(memory, seat, frame)) return pin->picture().repeats_lost;
      loop.step();
    }
    FAIL("frame " << frame << " does not come");
    return false;
  };
  CHECK_FALSE(repeats(damaged_frame - 1));
  CHECK(repeats(damaged_frame));
  CHECK_FALSE(repeats(damaged_frame + 1));
}
