// Which sound is due when: from the pictures' timeline.

#include "player/sound/audio_timeline.hpp"

#include <catch2/catch.hpp>

#include "tests/support/sound_items.hpp"

using namespace tilewall;
using namespace tilewall::sound;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr GlobalInstant start{1000s};
constexpr int movie = 3;

Timeline line_of(std::int64_t frames) {
  Timeline line;
  line.start = start;
  line.rate_fps = {24, 1};
  line.end_frame = frames;
  return line;
}

AudioTimeline sound_of(const Timeline& line, Rational fps = {24, 1}) {
  return {line, sound_item(movie, fps, 1'000'000)};
}

}  // namespace

TEST_CASE("sound follows the frames of ordinary playback", "[sound]") {
  const AudioTimeline sound = sound_of(line_of(240));
  const SoundPiece piece = sound.piece_at(start + 3s);
  CHECK(piece.file == movie);
  CHECK(piece.speed == 1.0);
  CHECK(piece.due_s(start + 3s) == Approx(3.0));
  CHECK(piece.due_s(start + 3s + 7ms) == Approx(3.007));
  CHECK(piece.until == start + 10s);
}

TEST_CASE("before the start and after the last frame's time there is silence", "[sound]") {
  const AudioTimeline sound = sound_of(line_of(240));
  CHECK_FALSE(sound.piece_at(start - 1ns).audible());
  CHECK(sound.piece_at(start - 1s).until == start);
  CHECK(sound.piece_at(start + 10s - 1ns).audible());
  CHECK_FALSE(sound.piece_at(start + 10s).audible());
  CHECK(sound.piece_at(start + 10s).until == end_of_time);
}

TEST_CASE("a timeline that has not begun is silent for ever", "[sound]") {
  Timeline line = line_of(240);
  line.start = {Nanos(std::int64_t{1} << 62)};
  const SoundPiece piece = sound_of(line).piece_at(start);
  CHECK_FALSE(piece.audible());
  CHECK(piece.until == line.start);
  CHECK(sound_of(line).piece_at(line.start).audible());
}

TEST_CASE("speed is the timeline's rate over the movie's own", "[sound]") {
  Timeline line = line_of(240);
  line.rate_fps = {36, 1};
  line.start_frame = 48;
  const SoundPiece piece = sound_of(line).piece_at(start + 2s);
  CHECK(piece.speed == 1.5);
  CHECK(piece.due_s(start + 2s) == Approx(2.0 + 3.0));
}

TEST_CASE("film at 25 frames a second sounds as much faster", "[sound]") {
  Timeline line = line_of(240);
  line.rate_fps = {25, 1};
  CHECK(sound_of(line, {24000, 1001}).piece_at(start).speed == Approx(25.0 * 1001 / 24000));
}

TEST_CASE("too slow, too fast, paused or backwards there is silence", "[sound]") {
  Timeline line = line_of(2400);
  line.rate_fps = {24 * 4, 1};
  CHECK(sound_of(line).piece_at(start + 1s).audible());
  line.rate_fps = {24 * 4 + 1, 1};
  CHECK_FALSE(sound_of(line).piece_at(start + 1s).audible());
  line.rate_fps = {6, 1};
  CHECK(sound_of(line).piece_at(start + 1s).audible());
  line.rate_fps = {3, 1};
  CHECK_FALSE(sound_of(line).piece_at(start + 1s).audible());
  line.rate_fps = {0, 1};
  CHECK_FALSE(sound_of(line).piece_at(start + 1s).audible());
  line.rate_fps = {24, 1};
  line.direction = -1;
  line.start_frame = 2399;
  CHECK_FALSE(sound_of(line).piece_at(start + 1s).audible());
}

TEST_CASE("a loop's seam is a jump back to the range's first frame", "[sound]") {
  Timeline line = line_of(240);
  line.loop = LoopMode::loop;
  line.first_frame = 24;
  line.start_frame = 120;
  const AudioTimeline sound = sound_of(line);
  CHECK(sound.piece_at(start + 1s).until == start + 5s);
  const SoundPiece again = sound.piece_at(start + 5s);
  CHECK(again.due_s(start + 5s) == Approx(1.0));
  CHECK(again.until == start + 5s + 9s);
  CHECK(sound.piece_at(start + 5s + 900s).due_s(start + 5s + 900s) == Approx(1.0));
}

TEST_CASE("a limit of ticks ends the sound with the last tick", "[sound]") {
  Timeline line = line_of(240);
  line.loop = LoopMode::loop;
  line.tick_limit = 300;
  const AudioTimeline sound = sound_of(line);
  CHECK(sound.piece_at(start + 11s).until == start + 12'500ms);
  CHECK_FALSE(sound.piece_at(start + 12'500ms).audible());
}

TEST_CASE("items of a playlist sound one after the other", "[sound]") {
  const AudioTimeline sound(line_of(240), sound_items({{0, {24, 1}, 0, 96, 0, 0},
                                                       {1, {12, 1}, 96, 144, 0, 0},
                                                       {2, {24, 1}, 192, 240, 3, 0}}));
  CHECK(sound.piece_at(start + 1s).file == 0);
  CHECK(sound.piece_at(start + 1s).until == start + 4s);
  const SoundPiece second = sound.piece_at(start + 5s);
  CHECK(second.file == 1);
  CHECK(second.speed == 2.0);
  CHECK(second.due_s(start + 5s) == Approx(2.0));
  CHECK_FALSE(sound.piece_at(start + 7s).audible());
  CHECK(sound.piece_at(start + 9s).file == 2);
  CHECK(sound.piece_at(start + 9s).due_s(start + 9s) == Approx(4.0));
}

TEST_CASE("an item's rounds begin its part of the sound anew", "[sound]") {
  // A movie of 10 frames a second in a list of 24: frames [20, 35) three times over.
  const AudioTimeline sound(line_of(120), sound_items({{movie, {24, 1}, 12, 120, 2.0, 36}}));
  CHECK_FALSE(sound.piece_at(start + 499ms).audible());
  const SoundPiece first = sound.piece_at(start + 1s);
  CHECK(first.due_s(start + 1s) == Approx(2.5));
  CHECK(first.speed == 1.0);
  CHECK(first.until == start + 2s);
  CHECK(sound.piece_at(start + 2s).due_s(start + 2s) == Approx(2.0));
  CHECK(sound.piece_at(start + 4s).due_s(start + 4s) == Approx(2.5));
  CHECK(sound.piece_at(start + 4s).until == start + 5s);
}

TEST_CASE("rounds that are no whole number of frames never drift", "[sound]") {
  const double round = 7 * 24.0 / 10;  // frames of the list
  const AudioTimeline sound(line_of(24 * 700),
                            sound_items({{movie, {24, 1}, 0, 24 * 700, 0, round}}));
  for (int i = 0; i < 900; ++i) {
    const GlobalInstant at = start + i * 700ms + 350ms;
    CHECK(sound.piece_at(at).due_s(at) == Approx(0.35).margin(1e-6));
    CHECK(sound.piece_at(at).until - at < 400ms);
  }
}

TEST_CASE("a ping-pong sounds on its ways forwards alone", "[sound]") {
  Timeline line = line_of(49);
  line.loop = LoopMode::ping_pong;
  const AudioTimeline sound = sound_of(line);
  CHECK(sound.piece_at(start + 1s).audible());
  CHECK(sound.piece_at(start + 2s).audible());  // the last frame belongs to the way that led there
  CHECK_FALSE(sound.piece_at(start + 2s + 50ms).audible());
  CHECK_FALSE(sound.piece_at(start + 3s).audible());
  CHECK(sound.piece_at(start + 5s).due_s(start + 5s) == Approx(1.0));
}

TEST_CASE("a source without sound is silent", "[sound]") {
  CHECK_FALSE(AudioTimeline(line_of(240), sound_items({})).piece_at(start + 1s).audible());
  CHECK_FALSE(AudioTimeline().piece_at(start + 1s).audible());
}
