// What is to be decoded soon.

#include <catch2/catch.hpp>

#include "player/sound/sound_plan.hpp"
#include "tests/support/sound_items.hpp"

using namespace tilewall;
using namespace tilewall::sound;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr GlobalInstant requests_start{1000s};
constexpr int file = 4;

SoundScene looping(GlobalInstant from, std::int64_t start_frame) {
  Timeline line;
  line.start = from;
  line.rate_fps = {24, 1};
  line.end_frame = 240;
  line.start_frame = start_frame;
  line.loop = LoopMode::loop;
  return {from, 1, AudioTimeline(line, sound_item(file, {24, 1}, 240)), 1};
}

}  // namespace

TEST_CASE("sound is requested ahead, across a loop's seam", "[sound]") {
  SoundPlan plan;
  plan.add(looping(requests_start, 0));
  const auto requests = sound_requests(plan, requests_start + 9s);
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].file == file);
  CHECK(requests[0].from_s == Approx(9).margin(0.2));
  CHECK(requests[0].until_s == Approx(10).margin(0.2));
  CHECK(requests[1].from_s == Approx(0).margin(0.2));
  CHECK(requests[1].until_s == Approx(1.5).margin(0.2));
}

TEST_CASE("the beginning of a show that has not begun is requested", "[sound]") {
  SoundPlan plan;
  plan.add(looping({Nanos(std::int64_t{1} << 62)}, 120));
  const auto requests = sound_requests(plan, requests_start);
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].from_s == Approx(5).margin(0.2));
  CHECK(requests[0].until_s == Approx(6).margin(0.2));
}

TEST_CASE("a scene to come is requested behind what is heard until then", "[sound]") {
  SoundPlan plan;
  plan.add(looping(requests_start, 0));
  plan.add(looping(requests_start + 2s, 200));
  const auto requests = sound_requests(plan, requests_start + 1s);
  REQUIRE(requests.size() >= 2);
  CHECK(requests[0].until_s == Approx(2).margin(0.2));
  CHECK(requests[1].from_s == Approx(200.0 / 24).margin(0.2));
}

TEST_CASE("a loop of a few frames asks for no more than it has", "[sound]") {
  Timeline line;
  line.start = requests_start;
  line.rate_fps = {24, 1};
  line.end_frame = 1;
  line.loop = LoopMode::loop;
  SoundPlan plan;
  plan.add({requests_start, 1, AudioTimeline(line, sound_item(file, {24, 1}, 1)), 1});
  for (const SoundRequest& request : sound_requests(plan, requests_start + 1s))
    CHECK(request.until_s < 0.5);
}
