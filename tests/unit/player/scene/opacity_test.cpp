// Regions that fade, leave, freeze and go black, as functions of time.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/scene/scene.hpp"
#include "player/scene/tick_grid_plan.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::scene;
using namespace std::chrono_literals;

namespace {

constexpr GlobalInstant start{100s};

Region still() {
  Region region;
  region.name = "main";
  region.canvas_px = {0, 0, 640, 480};
  region.source = std::make_shared<const SourceSpec>();
  region.timeline.start = start;
  return region;
}

Scene round_trip(const Scene& scene) {
  SourceCatalogue sources;
  ReceivedSources received;
  const nlohmann::json json = to_json(scene, sources);
  for (const Region& region : scene.regions)
    for (const auto& message : sources.messages(sources.id_of(region.source)))
      received.take(message);
  return scene_from_json(json, received);
}

}  // namespace

TEST_CASE("an opacity fades evenly and stays at its end", "[scene]") {
  const OpacityPath fade{0, 0.8, start, 2s};
  CHECK(fade.at(start - 1s) == 0);
  CHECK(fade.at(start + 500ms) == Approx(0.2));
  CHECK(fade.at(start + 1s) == Approx(0.4));
  CHECK(fade.at(start + 2s) == 0.8);
  CHECK(fade.at(start + 9s) == 0.8);
  CHECK(OpacityPath::at_rest(0.3).at(start) == 0.3);
}

TEST_CASE("a region that leaves is there until its instant", "[scene]") {
  Region region = still();
  CHECK(region.is_there(never));
  CHECK_FALSE(region.glides_until());
  region.leaves_at = start + 2s;
  CHECK(region.is_there(start + 2s - 1ns));
  CHECK_FALSE(region.is_there(start + 2s));
  CHECK(region.glides_until() == start + 2s);
}

TEST_CASE("a fade over stills is drawn 30 times a second, and not faster than a movie plays",
          "[scene]") {
  Region region = still();
  region.timeline.rate_fps = {0, 1};
  region.opacity = {0, 1, start, 1s};
  sync::TickGrid grid = plan_tick_grid({region}, start);
  CHECK(grid.rate_fps == Rational{30, 1});
  CHECK(grid.count == 31);
  SourceSpec movie;
  movie.frames = 240;
  region.source = std::make_shared<const SourceSpec>(movie);
  region.timeline.end_frame = 240;
  region.timeline.rate_fps = {24, 1};
  grid = plan_tick_grid({region}, start);
  CHECK(grid.rate_fps == Rational{24, 1});
}

TEST_CASE("a frozen scene keeps the picture of its instant", "[scene]") {
  Scene scene;
  CHECK(scene.pictured_at(start + 5s) == start + 5s);
  scene.frozen_at = start + 1s;
  CHECK(scene.pictured_at(start + 5s) == start + 1s);
  CHECK(scene.pictured_at(start) == start);
}

TEST_CASE("fades, leaving regions, freeze, panic and cues travel with the scene", "[scene]") {
  Scene scene;
  scene.regions = {still()};
  scene.regions[0].opacity = {0.25, 1, start, 3s};
  scene.regions[0].leaves_at = start + 4s;
  scene.panic = true;
  scene.frozen_at = start + 7s;
  scene.cue = CuePosition{"Opening", 2, start + 1s, "Volume", true};
  const Scene read = round_trip(scene);
  CHECK(read.regions[0].opacity == scene.regions[0].opacity);
  CHECK(read.regions[0].leaves_at == scene.regions[0].leaves_at);
  CHECK(read.panic);
  CHECK(read.is_black());
  CHECK(read.frozen_at == scene.frozen_at);
  CHECK(read.cue == scene.cue);
}

TEST_CASE("an opacity beyond 0 to 1 is refused, at rest and in a fade", "[scene]") {
  Scene scene;
  scene.regions = {still()};
  scene.regions[0].opacity = OpacityPath::at_rest(1.5);
  CHECK_THROWS_AS(round_trip(scene), InputError);
  scene.regions[0].opacity = {0, -0.1, start, 1s};
  CHECK_THROWS_AS(round_trip(scene), InputError);
}
