// Samples as a device gets them: where they come from, at any speed, and what happens at jumps.

#include "player/sound/sound_renderer.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "tests/sim/sound_simulation.hpp"
#include "tests/support/sound_items.hpp"

using namespace tilewall;
using namespace tilewall::sound;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr int renderer_rate_hz = 48000;
constexpr double frame_ns = 1e9 / renderer_rate_hz;
constexpr GlobalInstant renderer_start{100s};

Timeline line_from(std::int64_t frame, Rational rate = {24, 1}) {
  Timeline line;
  line.start = renderer_start;
  line.rate_fps = rate;
  line.end_frame = 2400;
  line.start_frame = frame;
  return line;
}

SoundScene scene_of(const Timeline& line, double gain = 1) {
  return {line.start, 1, AudioTimeline(line, sound_item(0, {24, 1}, 2400)), gain};
}

struct Rendered {
  std::vector<float> stereo;
  RenderedSound result;

  [[nodiscard]] HeardFrame frame(std::size_t i) const {
    return heard_frame(stereo[2 * i], stereo[2 * i + 1]);
  }
};

Rendered heard(SoundRenderer& renderer, const SoundPlan& plan, GlobalInstant from,
               std::size_t frames) {
  Rendered made{std::vector<float>(frames * 2), {}};
  made.result = renderer.render(plan, made.stereo, from, frame_ns);
  return made;
}

}  // namespace

TEST_CASE("a stretcher's frames are those of its position at any speed", "[sound]") {
  const TellingSound sound(renderer_rate_hz);
  for (const double step : {0.25, 0.5, 0.9998, 1.0, 1.0002, 2.0, 4.0}) {
    CAPTURE(step);
    Stretcher stretcher;
    stretcher.restart(0, 12'345);
    std::vector<float> stereo(2 * 960);
    double position = 12'345;
    double worst_s = 0;
    for (int call = 0; call < 50; ++call) {
      REQUIRE(stretcher.render(sound, stereo, step));
      for (std::size_t i = 0; i < 960; ++i, position += step) {
        if (call == 0 && i < 200) continue;  // the filter's first frames
        const double told_s = heard_frame(stereo[2 * i], stereo[2 * i + 1]).phase_s;
        worst_s =
            std::max(worst_s, std::abs(phase_distance_s(position / renderer_rate_hz, told_s)));
      }
    }
    CHECK(worst_s < 20e-6);
    CHECK(stretcher.position() == Approx(position));
  }
}

TEST_CASE("a stretcher stays exact while its speed changes", "[sound]") {
  const TellingSound sound(renderer_rate_hz);
  Stretcher stretcher;
  stretcher.restart(0, 0);
  std::vector<float> stereo(2 * 500);
  for (int call = 0; call < 200; ++call) {
    const double step = 1.0 + 0.005 * std::sin(call * 0.3);
    const double position = stretcher.position();
    REQUIRE(stretcher.render(sound, stereo, step));
    if (call == 0) continue;
    const double told_s = heard_frame(stereo[0], stereo[1]).phase_s;
    CHECK(std::abs(phase_distance_s(position / renderer_rate_hz, told_s)) < 20e-6);
  }
}

TEST_CASE("sound sets in at its instant and is the one that is due", "[sound]") {
  const TellingSound sound(renderer_rate_hz);
  SoundRenderer renderer(sound, renderer_rate_hz);
  SoundPlan plan;
  plan.add(scene_of(line_from(48)));
  const Rendered before = heard(renderer, plan, renderer_start - 30ms, 960);
  CHECK_FALSE(before.result.audible);
  CHECK(before.frame(959).level == 0);
  const Rendered across = heard(renderer, plan, renderer_start - 10ms, 960);
  CHECK(across.frame(479).level < 1e-3);
  CHECK(across.frame(500).level > 1e-3);
  CHECK(across.frame(800).level == Approx(1).margin(1e-3));
  const double told_s = across.frame(800).phase_s;
  CHECK(std::abs(phase_distance_s(2.0 + 320.0 / renderer_rate_hz, told_s)) < 30e-6);
}

TEST_CASE("at each seek the old sound fades while the new one sets in", "[sound]") {
  const TellingSound sound(renderer_rate_hz);
  SoundRenderer renderer(sound, renderer_rate_hz);
  SoundPlan plan;
  plan.add(scene_of(line_from(0)));
  static_cast<void>(heard(renderer, plan, renderer_start + 980ms, 960));
  double old_s = 1;  // position of the sound that would go on without the seek
  for (int seek = 0; seek < 3; ++seek) {
    CAPTURE(seek);
    const auto at = renderer_start + Nanos(1s) + seek * Nanos(20ms);
    Timeline sought = line_from(720 + 240 * seek);
    sought.start = at;
    plan.add(scene_of(sought));
    const Rendered made = heard(renderer, plan, at, 960);
    const double new_s = 30 + 10 * seek;
    CHECK(std::abs(phase_distance_s(old_s, made.frame(0).phase_s)) < 2e-3);
    CHECK(std::abs(phase_distance_s(new_s + 250.0 / renderer_rate_hz, made.frame(250).phase_s)) <
          30e-6);
    float largest_step = 0;
    for (std::size_t i = 2; i < made.stereo.size(); ++i)
      largest_step = std::max(largest_step, std::abs(made.stereo[i] - made.stereo[i - 2]));
    CHECK(largest_step < 0.01F);  // no click
    old_s = new_s + 0.02;
  }
}

TEST_CASE("a seek in the middle of a fade sets in from silence, too", "[sound]") {
  const TellingSound sound(renderer_rate_hz);
  SoundRenderer renderer(sound, renderer_rate_hz);
  constexpr std::int64_t whole_turns = 822;  // 34.25 s are 25 turns, so that levels add up
  SoundPlan plan;
  plan.add(scene_of(line_from(0)));
  static_cast<void>(heard(renderer, plan, renderer_start + 980ms, 960));
  const auto seek = [&](std::int64_t frame, GlobalInstant at, std::size_t frames) {
    Timeline sought = line_from(frame);
    sought.start = at;
    plan.add(scene_of(sought));
    return heard(renderer, plan, at, frames);
  };
  static_cast<void>(seek(24 + whole_turns, renderer_start + 1s, 48));  // a fifth of the fade
  const Rendered made = seek(24 + 2 * whole_turns, renderer_start + 1001ms, 480);
  CHECK(made.frame(120).level == Approx(0.5).margin(0.1));
  CHECK(made.frame(300).level == Approx(1).margin(0.01));
}

TEST_CASE("a pause fades to silence, and nothing is left of it later", "[sound]") {
  const TellingSound sound(renderer_rate_hz);
  SoundRenderer renderer(sound, renderer_rate_hz);
  SoundPlan plan;
  plan.add(scene_of(line_from(0)));
  static_cast<void>(heard(renderer, plan, renderer_start + 980ms, 960));
  Timeline paused = line_from(24, {0, 1});
  paused.start = renderer_start + 1s;
  plan.add(scene_of(paused));
  const Rendered made = heard(renderer, plan, renderer_start + 1s, 960);
  CHECK(made.frame(10).level > 0.9);
  CHECK(made.frame(120).level == Approx(0.5).margin(0.02));
  CHECK(made.frame(241).level == 0);
  CHECK(heard(renderer, plan, renderer_start + 1020ms, 960).frame(0).level == 0);
}

TEST_CASE("volume moves within a buffer, and full scale is never exceeded", "[sound]") {
  const TellingSound sound(renderer_rate_hz);
  SoundRenderer renderer(sound, renderer_rate_hz);
  SoundPlan plan;
  plan.add(scene_of(line_from(0)));
  static_cast<void>(heard(renderer, plan, renderer_start + 980ms, 960));
  Timeline going_on = line_from(24);
  going_on.start = renderer_start + 1s;
  plan.add(scene_of(going_on, 0.5));
  const Rendered made = heard(renderer, plan, renderer_start + 1s, 960);
  CHECK(made.frame(480).level == Approx(0.75).margin(0.01));
  CHECK(made.frame(959).level == Approx(0.5).margin(0.01));
  going_on.start = renderer_start + 1100ms;
  going_on.start_frame = 27;
  plan.add(scene_of(going_on, 4));
  static_cast<void>(heard(renderer, plan, renderer_start + 1100ms, 960));
  const Rendered loud = heard(renderer, plan, renderer_start + 1120ms, 960);
  for (const float sample : loud.stereo) REQUIRE(std::abs(sample) <= 1.0F);
}

TEST_CASE("what is not decoded yet is silence, and told", "[sound]") {
  PcmStore store;
  const int file = store.file_id("a");
  store.set_rate_hz(file, renderer_rate_hz);
  SoundRenderer renderer(store, renderer_rate_hz);
  SoundPlan plan;
  plan.add(scene_of(line_from(0)));
  const Rendered lacking = heard(renderer, plan, renderer_start, 960);
  CHECK(lacking.result.audible);
  CHECK(lacking.result.lacking);
  CHECK(lacking.frame(900).level == 0);
}

TEST_CASE("a store gives what was put, in any cut, and forgets what is oldest", "[sound]") {
  PcmStore store;
  const int file = store.file_id("a");
  CHECK(store.file_id("b") == file + 1);
  CHECK(store.file_id("a") == file);
  CHECK(store.path(file) == "a");
  for (std::int64_t index = -1; index < 2; ++index) {
    auto chunk = std::make_shared<PcmChunk>();
    for (std::size_t i = 0; i < chunk->size(); ++i)
      (*chunk)[i] = static_cast<float>(index * chunk_frames + static_cast<std::int64_t>(i / 2));
    store.put(file, index, chunk);
  }
  std::vector<float> stereo(2 * 3000);
  CHECK(store.read(file, -chunk_frames, stereo));
  CHECK(stereo[0] == -chunk_frames);
  CHECK_FALSE(store.read(file, -chunk_frames - 1, stereo));
  CHECK(stereo[0] == 0);
  CHECK(stereo[2] == -chunk_frames);
  CHECK(store.read(file, -1000, stereo));
  for (std::size_t i = 0; i < 3000; ++i) REQUIRE(stereo[2 * i] == static_cast<float>(i) - 1000);
  CHECK_FALSE(store.read(file, 2 * chunk_frames - 1, stereo));
  CHECK(stereo[0] == 2 * chunk_frames - 1);
  CHECK(stereo[2] == 0);
  const auto nothing = std::make_shared<const PcmChunk>();
  for (std::size_t i = 0; i < PcmStore::max_chunks - 2; ++i)
    store.put(file, 100 + static_cast<std::int64_t>(i), nothing);
  CHECK_FALSE(store.has(file, -1));  // read first, so it was the oldest
  CHECK(store.has(file, 1));
}
