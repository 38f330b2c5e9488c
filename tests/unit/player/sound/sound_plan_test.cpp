// Scenes that follow each other, as sound.

#include "player/sound/sound_plan.hpp"

#include <catch2/catch.hpp>

#include "tests/support/sound_items.hpp"

using namespace tilewall;
using namespace tilewall::sound;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr GlobalInstant plan_start{1000s};

SoundScene scene_at(GlobalInstant from, std::uint64_t epoch, std::int64_t start_frame,
                    double gain = 1) {
  Timeline line;
  line.start = from;
  line.rate_fps = {24, 1};
  line.end_frame = 2400;
  line.start_frame = start_frame;
  return {from, epoch, AudioTimeline(line, sound_item(7, {24, 1}, 2400)), gain};
}

}  // namespace

TEST_CASE("a plan without scenes is silent", "[sound]") {
  const SoundPlan plan;
  CHECK_FALSE(plan.piece_at(plan_start).audible());
  CHECK(plan.piece_at(plan_start).until == end_of_time);
}

TEST_CASE("a scene lasts until the next one takes effect", "[sound]") {
  SoundPlan plan;
  plan.add(scene_at(plan_start, 1, 0));
  plan.add(scene_at(plan_start + 5s, 2, 960, 0.5));
  CHECK_FALSE(plan.piece_at(plan_start - 1s).audible());
  CHECK(plan.piece_at(plan_start - 1s).until == plan_start);
  CHECK(plan.piece_at(plan_start + 4s).until == plan_start + 5s);
  CHECK(plan.piece_at(plan_start + 4s).due_s(plan_start + 4s) == Approx(4.0));
  CHECK(plan.piece_at(plan_start + 6s).due_s(plan_start + 6s) == Approx(41.0));
  CHECK(plan.gain_at(plan_start + 4s) == 1.0);
  CHECK(plan.gain_at(plan_start + 5s) == 0.5);
}

TEST_CASE("a scene replaces those that would have begun after it", "[sound]") {
  SoundPlan plan;
  plan.add(scene_at({Nanos(std::int64_t{1} << 62)}, 1, 0));
  plan.add(scene_at(plan_start, 1, 0));
  CHECK(plan.piece_at(plan_start + 1s).until == plan_start + 100s);
  plan.add(scene_at(plan_start, 1, 240));
  CHECK(plan.piece_at(plan_start + 1s).due_s(plan_start + 1s) == Approx(11.0));
}

TEST_CASE("a wall that has fallen behind is heard behind", "[sound]") {
  SoundPlan plan;
  plan.add(scene_at(plan_start, 1, 0));
  plan.delay(1, 300ms);
  plan.delay(2, 5s);
  CHECK(plan.piece_at(plan_start + 4s).due_s(plan_start + 4s) == Approx(3.7));
  CHECK_FALSE(plan.piece_at(plan_start + 200ms).audible());
}

TEST_CASE("what is over is forgotten, what lasts is not", "[sound]") {
  SoundPlan plan;
  plan.add(scene_at(plan_start, 1, 0));
  plan.add(scene_at(plan_start + 5s, 2, 960));
  plan.forget_before(plan_start + 4s);
  CHECK(plan.piece_at(plan_start + 4s).audible());
  plan.forget_before(plan_start + 6s);
  CHECK_FALSE(plan.piece_at(plan_start + 4s).audible());
  CHECK(plan.piece_at(plan_start + 6s).audible());
}

TEST_CASE("a delay counts for later scenes of its epoch, and small changes do not", "[sound]") {
  DelayedPlan plan;
  plan.add(scene_at(plan_start, 5, 0));
  CHECK(plan.delay(5, 100ms));
  CHECK_FALSE(plan.delay(5, 100ms + 900us));
  CHECK(plan.delay(5, 102ms));
  plan.add(scene_at(plan_start + 10s, 5, 240));
  plan.add(scene_at(plan_start + 20s, 6, 480));
  SoundPlan expected;
  expected.add(scene_at(plan_start, 5, 0));
  expected.add(scene_at(plan_start + 10s, 5, 240));
  expected.add(scene_at(plan_start + 20s, 6, 480));
  expected.delay(5, 102ms);
  for (const Nanos at : {Nanos(1s), Nanos(11s), Nanos(21s)}) {
    CAPTURE(at.count());
    CHECK(plan.now().piece_at(plan_start + at).from == expected.piece_at(plan_start + at).from);
    CHECK(plan.now().piece_at(plan_start + at).until == expected.piece_at(plan_start + at).until);
  }
  plan.forget_before(plan_start + 15s);
  CHECK(plan.delay(6, 0ms));
}
