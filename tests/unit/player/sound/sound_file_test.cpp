// The sound of movie files, sample by sample.

#include "player/sound/reader/sound_file.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "player/sound/sound_decoder.hpp"
#include "player/sound/sound_reader.hpp"
#include "sync/base/error.hpp"
#include "tests/support/click_sound.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::sound;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

const std::vector<double> clicks_s = {0.3, 1.1, 2.5, 4.7, 5.2, 7.9};
constexpr int movie_frames = 24 * 9;

/// Another value for every sample.
float noise(std::int64_t sample) {
  auto bits = static_cast<std::uint64_t>(sample) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  bits *= 0xbf58476d1ce4e5b9u;
  return static_cast<float>(static_cast<double>(bits >> 40) / (1 << 24) - 0.5);
}

CountingMovieOptions movie_with(const std::string& codec) {
  CountingMovieOptions options;
  options.size_px = {64, 48};
  options.frames = movie_frames;
  options.audio_codec = codec;
  options.sound = [](std::int64_t sample) { return click_sample(sample, audio_rate_hz, clicks_s); };
  return options;
}

std::vector<float> read(SoundFile& file, std::int64_t first, std::int64_t frames) {
  std::vector<float> stereo(static_cast<std::size_t>(2 * frames));
  file.read(first, stereo);
  return stereo;
}

/// How far, in milliseconds, the click that belongs at `second` is from there; reads just around
/// it.
double click_error_ms(SoundFile& file, double second) {
  const auto first = static_cast<std::int64_t>((second - 0.1) * file.rate_hz());
  const auto found = find_clicks(read(file, first, file.rate_hz() / 5), file.rate_hz());
  if (found.size() != 1) return 1e6;
  return ((static_cast<double>(first) + found.front()) / file.rate_hz() - second) * 1e3;
}

}  // namespace

TEST_CASE("every sample of a movie's sound is where it belongs, in any order", "[sound]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "noise.mov";
  CountingMovieOptions options = movie_with("pcm_f32le");
  options.sound = noise;
  make_counting_movie(file, options);
  SoundFile sound(file);
  CHECK(sound.rate_hz() == audio_rate_hz);
  for (const std::int64_t first : {0, 4096, 300'000, 300'000 + 4096, 12'345, 400'001, 1}) {
    CAPTURE(first);
    const std::vector<float> stereo = read(sound, first, 4096);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 4096; ++i)
      for (const float sample :
           {stereo[static_cast<std::size_t>(2 * i)], stereo[static_cast<std::size_t>(2 * i + 1)]})
        wrong += std::abs(sample - noise(first + i)) > 1e-6F ? 1 : 0;
    CHECK(wrong == 0);
  }
  CHECK(sound.damaged_packets() == 0);
}

TEST_CASE("before its beginning and after its end a file is silent", "[sound]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "noise.mov";
  CountingMovieOptions options = movie_with("pcm_f32le");
  options.sound = noise;
  make_counting_movie(file, options);
  SoundFile sound(file);
  const std::vector<float> start = read(sound, -100, 200);
  CHECK(start[2 * 99] == 0.0F);
  CHECK(start[2 * 100] == Approx(noise(0)));
  for (const float sample : read(sound, 48000 * 20, 4096)) REQUIRE(sample == 0.0F);
  CHECK(read(sound, 0, 10)[0] == Approx(noise(0)));
}

TEST_CASE("clicks stay in their places through codecs and containers, and seeks", "[sound]") {
  struct Kind {
    const char* name;
    const char* codec;
    double tolerance_ms;  // of the container's stamps, and of what the codec rounds off
  };
  const auto kind = GENERATE(values<Kind>({{"movie.mp4", "aac", 0.2},
                                           {"movie.mkv", "aac", 0.8},
                                           {"movie.ts", "ac3", 0.3},
                                           {"movie.mp4", "libopus", 0.3},
                                           {"movie.mkv", "libvorbis", 0.8}}));
  CAPTURE(kind.name, kind.codec);
  const TemporaryFolder folder;
  const fs::path file = folder / kind.name;
  make_counting_movie(file, movie_with(kind.codec));
  SoundFile sound(file);
  for (const std::size_t i : {0U, 1U, 2U, 5U, 1U, 4U, 0U, 3U}) {
    CAPTURE(clicks_s[i]);
    CHECK(std::abs(click_error_ms(sound, clicks_s[i])) < kind.tolerance_ms);
  }
}

TEST_CASE("sound lies beside the pictures as the container means it", "[sound]") {
  const TemporaryFolder folder;
  CountingMovieOptions options = movie_with("aac");
  options.first_pts = 12;  // pictures begin half a second after the sound
  make_counting_movie(folder / "late.mp4", options);
  SoundFile late(folder / "late.mp4");
  CHECK(std::abs(click_error_ms(late, clicks_s[1] - 0.5)) < 0.2);
  options.first_pts = -12;  // and here an edit list cuts their first half second off
  make_counting_movie(folder / "cut.mp4", options);
  SoundFile cut(folder / "cut.mp4");
  CHECK(std::abs(click_error_ms(cut, clicks_s[1])) < 0.2);
}

TEST_CASE("a file without sound, or none at all, is refused by name", "[sound][bad-input]") {
  const TemporaryFolder folder;
  const fs::path silent = folder / "silent.mp4";
  make_counting_movie(silent, movie_with(""));
  CHECK_THROWS_WITH(SoundFile(silent),
                    silent.string() + ": expected a movie with sound, found no sound");
  CHECK_THROWS_AS(SoundFile(folder / "missing.mp4"), InputError);
}

TEST_CASE("damaged sound is silent there, counted, and right again behind", "[sound][bad-input]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "movie.mp4";
  make_counting_movie(file, movie_with("aac"));
  std::string bytes;
  {
    std::ifstream stream(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
  }
  // Media data comes first in these files: a tenth of it is overwritten.
  for (std::size_t i = bytes.size() * 3 / 10; i < bytes.size() * 4 / 10; ++i)
    bytes[i] = static_cast<char>(i * 151 + 7);
  std::ofstream(file, std::ios::binary) << bytes;
  SoundFile sound(file);
  static_cast<void>(read(sound, 0, audio_rate_hz * 9));
  CHECK(sound.damaged_packets() > 0);
  CHECK(std::abs(click_error_ms(sound, clicks_s[0])) < 0.2);
  CHECK(std::abs(click_error_ms(sound, clicks_s[5])) < 0.2);
}

TEST_CASE("a reader answers what its file has, to the bit", "[sound]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "movie.mp4";
  make_counting_movie(file, movie_with("aac"));
  SoundFile sound(file);
  SoundReader reader(file, "a name");
  CHECK(reader.rate_hz() == sound.rate_hz());
  for (const std::int64_t chunk : {0, 1, 40, 3, 1000, -1}) {
    CAPTURE(chunk);
    PcmChunk answered = {};
    REQUIRE(reader.read(chunk, answered));
    const std::vector<float> expected = read(sound, chunk * chunk_frames, chunk_frames);
    CHECK(std::equal(answered.begin(), answered.end(), expected.begin(), expected.end()));
  }
  CHECK(reader.damaged_packets() == 0);
}

TEST_CASE("a reader refuses its file by the name that it has for people", "[sound][bad-input]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "text\n";
  CHECK_THROWS_WITH(SoundReader(folder / "text", "a name"),
                    "a name: expected a movie that FFmpeg can open, found Invalid data found when "
                    "processing input");
  std::ofstream(folder / "empty");
  CHECK_THROWS_WITH(SoundReader(folder / "empty", "a name"),
                    "a name: expected a movie or an image, found an empty file");
  CHECK_THROWS_AS(SoundReader(folder / "missing", "a name"), InputError);
  CHECK_THROWS_AS(SoundReader(folder.path(), "a name"), InputError);
}

namespace {

/// Kills this thread's child processes, as a crash would. Returns their number.
int kill_children() {
  std::ifstream list("/proc/thread-self/children");
  int killed = 0;
  for (pid_t child = 0; list >> child; ++killed) ::kill(child, SIGKILL);
  return killed;
}

}  // namespace

TEST_CASE("a reader that dies is replaced, as often as it has decoded something before",
          "[sound][bad-input]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "movie.mov";
  make_counting_movie(file, movie_with("pcm_f32le"));
  PcmStore store;
  const int id = store.file_id(file.string());
  std::vector<std::string> notes;
  SoundDecodeLoop loop(
      store, [](const std::string& sound) { return std::filesystem::path(sound); },
      [&](const std::string& line) { notes.push_back(line); });
  for (int second = 0; second <= SoundDecodeLoop::most_crashes; ++second) {
    const std::vector<SoundRequest> next = {{id, second + 0.5, second + 0.5}};
    CHECK(loop.step({{id, second + 0.0, second + 0.0}}));
    REQUIRE(kill_children() == 1);
    CHECK(loop.step(next));  // finds the reader dead
    CHECK(loop.step(next));
    CHECK_FALSE(loop.step(next));  // it is decoded
  }
  CHECK(notes.empty());
}

TEST_CASE("what is requested is decoded, the nearest first, and no more", "[sound]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "movie.mov";
  make_counting_movie(file, movie_with("pcm_f32le"));
  PcmStore store;
  const int id = store.file_id(file.string());
  const int missing = store.file_id("/nowhere.mov");
  std::vector<std::string> notes;
  SoundDecodeLoop loop(
      store, [](const std::string& sound) { return std::filesystem::path(sound); },
      [&](const std::string& line) { notes.push_back(line); });
  const std::vector<SoundRequest> requests = {{missing, 0, 1}, {id, 4.0, 4.2}, {id, 0.0, 0.1}};
  REQUIRE(loop.step(requests));
  CHECK(store.rate_hz(id) == audio_rate_hz);
  CHECK(store.has(id, static_cast<std::int64_t>(4.0 * audio_rate_hz) / chunk_frames));
  int steps = 1;
  while (loop.step(requests)) ++steps;
  CHECK(steps == 4 + 2);
  REQUIRE(notes.size() == 1);
  CHECK(notes.front().find("/nowhere.mov") != std::string::npos);
}
