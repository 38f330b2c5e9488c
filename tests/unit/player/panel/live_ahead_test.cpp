// Timesteps of live sources on a panel: each is drawn ahead, and waits for its instant.

#include "player/panel/live_ahead.hpp"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>

#include "player/panel/decode_ahead.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scene_maker.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::scene;

namespace {

constexpr GlobalInstant live_start{std::chrono::seconds(100)};

/// Global time stands still.
struct LiveClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override {
    ClockMapping standing;
    standing.anchor_local = local_now();
    standing.anchor_global = live_start;
    standing.rate_ppb = -1e9;
    return standing;
  }
};

/// A scene of one region that stands still, whose frames are a live source's timesteps.
Scene live_scene(std::uint64_t version, std::uint64_t epoch) {
  SourceSpec pattern = *movie_source(1, "count");
  pattern.kind = SourceKind::pattern;
  pattern.live = true;
  Scene scene =
      first_scene({movie_region("main", std::make_shared<const SourceSpec>(std::move(pattern)))});
  scene.version = version;
  scene.epoch = epoch;
  scene.since = live_start;
  scene.regions[0].timeline.start = live_start;
  scene.regions[0].timeline.rate_fps = {0, 1};
  scene.tick_grid = plan_tick_grid(scene.regions, live_start);
  return scene;
}

LiveStep step(std::uint64_t number, std::int64_t shown, std::int64_t next,
              GlobalInstant from = never) {
  return {"count", number, shown, next, from};
}

/// A panel's decode thread, whose pictures the test takes from the ring.
struct LivePanel {
  explicit LivePanel(std::size_t buffers = 4) : ring({160, 96}, buffers) {
    config.frame_buffer_px = {160, 96};
    config.places =
        PanelPlaces(wall::load_wall(test::source_path("tests/data/walls/two-by-one.toml")), 0);
    scenes.set(std::make_shared<const Scene>(live_scene(1, 1)));
    DecodeAhead::Callbacks callbacks;
    callbacks.ready = [](std::uint64_t, std::int64_t) {};
    callbacks.failed = [](const std::exception&) {};
    callbacks.problem = [](const std::string&) {};
    callbacks.late = [](LateCause, std::int64_t) {};
    callbacks.detail_news = [] {};
    callbacks.live_drawn = [this](const LiveDrawn& drawn) {
      const std::scoped_lock lock(mutex);
      drawn_number = drawn.number;
      told.push_back(drawn.number);
      changed.notify_all();
    };
    decoder.emplace(config, std::filesystem::path(), clock, scenes, ring, nullptr,
                    DecodeAhead::Places{}, std::move(callbacks));
    decoder->start();
  }

  bool draws(std::uint64_t number) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), [&] { return drawn_number == number; });
  }

  /// The next picture; its frame is -2 where none comes.
  DecodedPicture next_picture() {
    const auto picture = ring.front(std::chrono::seconds(20));
    DecodedPicture none;
    none.frame = -2;
    if (!picture) return none;
    ring.pop_front();
    return *picture;
  }

  /// Whether a buffer is free, or becomes so.
  bool has_free_buffer() {
    std::stop_source stopped;  // so that acquire() does not wait
    stopped.request_stop();
    return test::eventually([&] {
      const auto buffer = ring.acquire(stopped.get_token());
      if (buffer) ring.give_back(*buffer);
      return buffer.has_value();
    });
  }

  PanelConfig config;
  SceneSlot scenes;
  LiveClock clock;
  PictureRing ring;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t drawn_number = 0;      // guarded by mutex
  std::vector<std::uint64_t> told;     // guarded by mutex: the numbers of all steps told as drawn
  std::optional<DecodeAhead> decoder;  // last: its thread uses what stands above
};

}  // namespace

TEST_CASE("a timestep is drawn ahead, and shown from its instant on", "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7));
  REQUIRE(panel.draws(1));
  CHECK(panel.ring.ready() == 0);  // it waits
  const GlobalInstant from = live_start + std::chrono::milliseconds(40);
  panel.scenes.set_live(step(2, no_timestep, 7, from));
  const DecodedPicture shown = panel.next_picture();
  CHECK(shown.frame == 7);
  CHECK(shown.not_before == from);
  // The next one is drawn while this one is shown, by what the message says of both.
  panel.scenes.set_live(step(3, 7, 9));
  REQUIRE(panel.draws(3));
  CHECK(panel.ring.ready() == 0);
  panel.scenes.set_live(step(4, 7, 9, from + std::chrono::milliseconds(40)));
  CHECK(panel.next_picture().frame == 9);
}

TEST_CASE("a panel that comes to the show begins with the timestep on the wall", "[panel][live]") {
  {
    LivePanel panel;
    panel.scenes.set_live(step(8, 41, no_timestep));
    DecodedPicture picture = panel.next_picture();
    if (picture.frame == no_timestep) picture = panel.next_picture();  // it was drawn before
    CHECK(picture.frame == 41);
  }
  LivePanel panel;
  panel.scenes.set_live(step(8, 41, 42, live_start - std::chrono::seconds(1)));
  DecodedPicture picture = panel.next_picture();
  if (picture.frame == no_timestep) picture = panel.next_picture();
  CHECK(picture.frame == 42);
}

TEST_CASE("an instant for a timestep that was not drawn ahead shows it as well", "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  const GlobalInstant from = live_start + std::chrono::milliseconds(40);
  panel.scenes.set_live(step(2, no_timestep, 3, from));
  const DecodedPicture picture = panel.next_picture();
  CHECK(picture.frame == 3);
  CHECK(picture.not_before == from);
  panel.scenes.set_live(step(1, no_timestep, 2));  // an older message
  panel.scenes.set_live(step(5, 3, 4));
  CHECK(panel.draws(5));
}

TEST_CASE("a timestep that is shown already is told as drawn at once", "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7, live_start));
  CHECK(panel.next_picture().frame == 7);
  panel.scenes.set_live(step(2, 7, 7));
  REQUIRE(panel.draws(2));
  CHECK(panel.ring.ready() == 0);
  panel.scenes.set_live(step(3, 7, 7, live_start + std::chrono::milliseconds(40)));
  // Its instant needs no picture either, and the next timestep is drawn as ever.
  panel.scenes.set_live(step(4, 7, 8));
  REQUIRE(panel.draws(4));
  CHECK(panel.ring.ready() == 0);
  const std::scoped_lock lock(panel.mutex);
  CHECK(panel.told == std::vector<std::uint64_t>{2, 4});
}

TEST_CASE("a picture that is not wanted any more leaves its buffer to the next one",
          "[panel][live]") {
  LivePanel panel(1);
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7));
  REQUIRE(panel.draws(1));
  SECTION("another timestep comes next") {
    panel.scenes.set_live(step(2, no_timestep, 8));
    CHECK(panel.draws(2));
  }
  SECTION("no timestep comes next") {
    panel.scenes.set_live(step(2, no_timestep, no_timestep));
    CHECK(panel.has_free_buffer());
  }
}

TEST_CASE("a new scene draws the timestep that is shown, and the next one ahead again",
          "[panel][live]") {
  LivePanel panel;
  CHECK(panel.next_picture().frame == no_timestep);
  panel.scenes.set_live(step(1, no_timestep, 7));
  REQUIRE(panel.draws(1));
  {
    const std::scoped_lock lock(panel.mutex);
    panel.drawn_number = 0;
  }
  panel.scenes.set(std::make_shared<const Scene>(live_scene(2, 2)));
  CHECK(panel.next_picture().frame == no_timestep);
  CHECK(panel.draws(1));
  panel.scenes.set_live(step(2, no_timestep, 7, live_start));
  CHECK(panel.next_picture().frame == 7);
}

TEST_CASE("a wait for news of the show ends with a timestep as with a scene", "[panel][live]") {
  SceneSlot scenes;
  scenes.set(std::make_shared<const Scene>(live_scene(1, 1)));
  const LiveStepsPtr before = scenes.live();
  scenes.set_live(step(1, no_timestep, 7));
  const LocalInstant begun = local_now();
  scenes.wait_newer_until(1, before, begun + std::chrono::seconds(20), {});
  CHECK(local_now() < begun + std::chrono::seconds(10));
  scenes.wait_newer_until(1, scenes.live(), begun, {});  // there is no other news
}
