// At which tick a panel begins that comes to a show which goes on.

#include "player/panel/decode_ahead.hpp"

#include <catch2/catch.hpp>

#include "tests/support/instants.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scene_maker.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::scene;
using namespace tilewall::wall;

namespace {

/// Global time stands still.
struct StoppedClock final : GlobalClock {
  explicit StoppedClock(GlobalInstant at) : now(at) {}
  [[nodiscard]] ClockMapping mapping() const noexcept override {
    ClockMapping stopped;
    stopped.anchor_local = local_now();
    stopped.anchor_global = now;
    stopped.rate_ppb = -1e9;
    return stopped;
  }
  const GlobalInstant now;
};

struct FirstPicture {
  std::int64_t tick = -1;
  std::int64_t left_out = 0;  ///< Frames that it has reported as late by then
};

/// Of a show of 10 ticks a second that began at test::at_ms(0), for a panel that starts at `now`.
/// Late policy slow: that takes part from `join_tick` on.
FirstPicture first_picture(GlobalInstant now, LatePolicy late = LatePolicy::drop,
                           std::int64_t join_tick = 0) {
  PanelConfig config;
  config.late = late;
  config.frame_buffer_px = {160, 96};
  config.places = PanelPlaces(load_wall(test::source_path("tests/data/walls/two-by-one.toml")), 0);
  auto pattern = *movie_source(1000, "count");
  pattern.kind = SourceKind::pattern;
  Scene scene =
      first_scene({movie_region("main", std::make_shared<const SourceSpec>(std::move(pattern)))});
  scene.since = test::at_ms(0);
  scene.regions[0].timeline.start = test::at_ms(0);
  scene.tick_grid = plan_tick_grid(scene.regions, test::at_ms(0));
  SceneSlot scenes;
  scenes.set(std::make_shared<const Scene>(std::move(scene)), join_tick);
  const StoppedClock clock(now);
  PictureRing ring(config.frame_buffer_px, 3);
  DecodeAhead::Callbacks callbacks;
  std::string problem;
  FirstPicture first;
  callbacks.ready = [](std::uint64_t, std::int64_t, DrawnWhen) {};
  callbacks.failed = [&](const std::exception& error) { problem = error.what(); };
  callbacks.problem = [&](const std::string& line) { problem = line; };
  callbacks.late = [&](LateCause, std::int64_t frames, std::uint64_t) { first.left_out += frames; };
  callbacks.detail_news = [] {};
  callbacks.live_drawn = [](const LiveDrawn&) {};
  callbacks.armed = [](const ArmedReport&) {};
  {
    DecodeAhead decoder(config, {}, clock, scenes, ring, nullptr, {}, callbacks);
    decoder.start();
    if (const auto picture = ring.front(std::chrono::seconds(20))) first.tick = picture->tick;
  }
  CHECK(problem.empty());
  return first;
}

}  // namespace

TEST_CASE("a tick is drawn until it is half a period late", "[panel]") {
  // Ticks are due every 100 ms: tick 9 at 900.
  CHECK(first_picture(test::at_ms(0)).tick == 0);
  CHECK(first_picture(test::at_ms(940)).tick == 9);
  CHECK(first_picture(test::at_ms(960)).tick == 10);
  CHECK(first_picture(test::at_ms(1040)).tick == 10);
  CHECK(first_picture(test::at_ms(1060)).tick == 11);
}

TEST_CASE("what was due before a panel came to the show is none of its late frames", "[panel]") {
  CHECK(first_picture(test::at_ms(5000)).left_out == 0);
}

TEST_CASE("a wall that waits for its panels tells where one takes part", "[panel]") {
  CHECK(first_picture(test::at_ms(5000), LatePolicy::slow).tick == 0);
  CHECK(first_picture(test::at_ms(5000), LatePolicy::slow, 37).tick == 37);
}

TEST_CASE("of a show that is over the last picture is drawn", "[panel]") {
  CHECK(first_picture(test::at_ms(200'000)).tick == 999);
}
