// Ten minutes of a show's sound on devices that drift, through all that an operator does.

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/sim/sound_simulation.hpp"
#include "tests/support/sound_items.hpp"

using namespace tilewall;
using namespace tilewall::sound;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t movie_frames = 24 * 61;
constexpr Nanos change_lead = 100ms;  // a director's
constexpr Nanos show_length = 600s;
constexpr std::uint64_t frames_judged_s = 2000 / SoundSimulation::judged_frames;

SoundScene sound_from(GlobalInstant from, std::uint64_t schedule, const Timeline& line) {
  return {from, schedule, AudioTimeline(line, sound_item(0, {24, 1}, movie_frames))};
}

/// Seeks, speeds, pauses, sections in a loop, reverse: another one every few seconds.
std::vector<SoundScene> busy_operator() {
  const Rational rates[] = {{24, 1}, {12, 1}, {24, 1}, {48, 1}, {30, 1}, {0, 1}, {24, 1}, {96, 1}};
  std::vector<SoundScene> scenes;
  GlobalInstant at = SoundSimulation::power_on + 2s;
  for (std::uint64_t i = 0; at < SoundSimulation::power_on + show_length; ++i) {
    Timeline line;
    line.start = at;
    line.rate_fps = rates[i % std::size(rates)];
    line.end_frame = movie_frames;
    line.loop = LoopMode::loop;
    line.start_frame = static_cast<std::int64_t>(i * 397 % movie_frames);
    if (i % 5 == 3) {
      line.first_frame = line.start_frame;
      line.end_frame = std::min(movie_frames, line.start_frame + 31);
    }
    if (i % 11 == 7) line.direction = -1;
    scenes.push_back(sound_from(at, i + 1, line));
    at = at + 3s + Nanos(static_cast<std::int64_t>(i * 7919 % 11'000) * 1'000'000);
  }
  return scenes;
}

void play(SoundSimulation& simulation, const std::vector<SoundScene>& scenes) {
  SoundPlan truth;
  for (const SoundScene& one : scenes) truth.add(one);
  SoundPlan plan;
  auto next = scenes.begin();
  while (simulation.next_request() < SoundSimulation::power_on + show_length) {
    while (next != scenes.end() && next->from - change_lead <= simulation.next_request())
      plan.add(*next++);
    simulation.step(plan, truth);
    plan.forget_before(simulation.next_request() - 1s);
    truth.forget_before(simulation.next_request() - 1s);
  }
}

}  // namespace

TEST_CASE("ten minutes of plain playback stay within 20 ms on a drifting device", "[sound][sim]") {
  const double rate_error = GENERATE(-200e-6, 200e-6);
  SoundSimulation simulation({.rate_error = rate_error});
  Timeline line;
  line.start = SoundSimulation::power_on + 1s;
  line.end_frame = movie_frames;
  line.loop = LoopMode::loop;
  play(simulation, {sound_from(line.start, 1, line)});
  const Percentiles errors_us = simulation.errors_us().percentiles();
  CAPTURE(rate_error, errors_us.p50, errors_us.p99, errors_us.max);
  CHECK(simulation.errors_us().count() > 590 * frames_judged_s);
  CHECK(errors_us.max < 20'000);
  CHECK(errors_us.p99 < 2'000);
  CHECK(simulation.wrong_silences() == 0);
}

TEST_CASE("ten minutes of seeks, speeds, loops and pauses stay within 20 ms", "[sound][sim]") {
  const double rate_error = GENERATE(-200e-6, 200e-6);
  SoundSimulation simulation({.rate_error = rate_error, .seed = 7});
  const std::vector<SoundScene> scenes = busy_operator();
  play(simulation, scenes);
  const Percentiles errors_us = simulation.errors_us().percentiles();
  CAPTURE(rate_error, errors_us.p50, errors_us.p99, errors_us.max);
  CHECK(simulation.errors_us().count() > 300 * frames_judged_s);
  CHECK(errors_us.max < 20'000);
  CHECK(errors_us.p99 < 2'000);
  CHECK(simulation.wrong_silences() == 0);
  CHECK(simulation.untold() < static_cast<std::int64_t>(scenes.size()));
}
