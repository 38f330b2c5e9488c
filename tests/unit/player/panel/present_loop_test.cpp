// Which pictures of its ring a panel shows, and what it tells of them.

#include "player/panel/present_loop.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::scene;
using namespace tilewall::sync;

namespace {
namespace present_loop_test {

constexpr SizePx size_px{8, 4};

/// Global time goes on from that instant.
struct RunningClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override {
    ClockMapping running;
    running.anchor_local = begin;
    running.anchor_global = test::at_ms(10'000'000);
    return running;
  }
  const LocalInstant begin = local_now();
};

/// Counts what it is asked for.
struct CountingPresenter final : present::Presenter {
  [[nodiscard]] std::string name() const override { return "counting"; }
  void prepare(const ImageView& picture, const present::Inset& /*inset*/) override {
    ++prepared;
    pixels.clear();
    for (int y = 0; y < picture.size_px.height; ++y)
      for (int x = 0; x < picture.size_px.width; ++x) pixels.push_back(picture.pixel(x, y)[0]);
  }
  LocalInstant swap() override {
    ++swapped;
    return local_now();
  }
  [[nodiscard]] std::vector<present::OperatorInput> poll_input() override {
    return std::exchange(input, {});
  }
  [[nodiscard]] ImageView shown() override { return {}; }
  std::vector<int> pixels;  // The first channel of the picture that was prepared last.
  int prepared = 0;
  int swapped = 0;
  std::vector<present::OperatorInput> input;
};

PanelConfig config_of_panel() {
  PanelConfig config;
  config.frame_buffer_px = size_px;
  config.headless = true;
  return config;
}

/// A panel of a movie with a tick each 100 s. Pictures are so late where it is half of that.
struct ShownPanel {
  /// An instant of global time, in seconds from when the panel began.
  [[nodiscard]] static GlobalInstant at_s(int s) { return test::at_ms(10'000'000 + 1000 * s); }

  /// Tick 0 is due at `start_s`.
  static Scene scene_of(std::uint64_t version, std::uint64_t epoch, int start_s,
                        std::int64_t ticks = 100) {
    Scene scene = first_scene({movie_region("main", movie_source(ticks))});
    scene.version = version;
    scene.epoch = epoch;
    scene.since = at_s(start_s);
    scene.tick_grid = {at_s(start_s), {1, 100}, ticks};
    return scene;
  }
  void set(const Scene& scene) { scenes.set(std::make_shared<const Scene>(scene)); }
  void push(std::uint64_t epoch, std::int64_t tick, bool is_again = false) {
    DecodedPicture picture;
    picture.epoch = epoch;
    picture.tick = tick;
    picture.frame = 10 + tick;
    picture.hash = 5;
    picture.is_again = is_again;
    picture.buffer = *ring.acquire({});
    const ImageView image = ring.image(picture.buffer);
    for (int y = 0; y < size_px.height; ++y)
      for (int x = 0; x < size_px.width; ++x)
        image.row(y)[4 * x] = static_cast<std::uint8_t>(10 * y + x);
    ring.push(picture);
  }
  /// Runs turns on a thread like the panel's, whose priority is its own.
  void turn(int times = 1) {
    std::jthread([&] {
      if (!loop) loop.emplace(config, clock, scenes, ring, gate, log, presenter, pictures, calls);
      for (int i = 0; i < times; ++i) loop->step();
    }).join();
  }
  /// The ticks that it has reported as shown since the last call.
  std::vector<std::int64_t> shown() {
    std::vector<std::int64_t> ticks;
    for (const ShownFrames& group : log.take())
      for (const ShownFrame& frame : group.frames) ticks.push_back(frame.tick);
    return ticks;
  }

  const PanelConfig config = config_of_panel();
  const RunningClock clock{};
  SceneSlot scenes;
  PictureRing ring{size_px, 4};
  ReleaseGate gate;
  ShownLog log;
  CountingPresenter presenter;
  WatchedBy watched;
  PanelPictures pictures{watched, size_px, [](const nlohmann::json&, std::vector<std::uint8_t>) {}};
  std::vector<std::uint64_t> primed;
  std::vector<std::uint64_t> swapped;
  std::vector<LateCause> late;
  std::vector<present::OperatorKey> keys;
  int last_shown = 0;
  PresentLoop::Callbacks calls{[this](std::uint64_t version) { primed.push_back(version); },
                               [this](present::OperatorKey key) { keys.push_back(key); },
                               [](const CanvasPointer&) {},
                               [](const PanelSnapshot&) {},
                               [](const DecodedPicture&) { return std::vector<SnapshotOrder>(); },
                               [] { return std::string(); },
                               [this](LateCause cause, std::uint64_t) { late.push_back(cause); },
                               [this](std::uint64_t version) { swapped.push_back(version); },
                               [this] { ++last_shown; }};
  std::optional<PresentLoop> loop;
};

using Versions = std::vector<std::uint64_t>;
using Ticks = std::vector<std::int64_t>;

}  // namespace present_loop_test
}  // namespace

TEST_CASE("a panel shows a picture that is due, and tells of its scene once", "[panel]") {
  present_loop_test::ShownPanel panel;
  using namespace present_loop_test;
  panel.turn();  // there is no scene yet
  panel.set(ShownPanel::scene_of(1, 1, -110));
  panel.push(1, 1);  // due 10 s ago
  panel.turn();
  CHECK(panel.presenter.swapped == 1);
  CHECK(panel.primed == Versions{1});
  CHECK(panel.swapped == Versions{1});
  CHECK(panel.late.empty());
  CHECK(panel.ring.ready() == 0);
  const auto groups = panel.log.take();
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].frames.size() == 1);
  CHECK(groups[0].epoch == 1);
  CHECK(groups[0].frames[0].tick == 1);
  CHECK(groups[0].frames[0].frame == 11);
  CHECK(groups[0].frames[0].hash == 5);
  CHECK(groups[0].frames[0].stamp_ns >= ShownPanel::at_s(0).since_epoch.count());
  panel.push(1, 1, true);
  panel.turn();
  CHECK(panel.presenter.swapped == 2);
  CHECK(panel.primed == Versions{1});
  CHECK(panel.swapped == Versions{1});
}

TEST_CASE("a picture more than half a period after its instant is late, unless it is one again",
          "[panel]") {
  present_loop_test::ShownPanel panel;
  using namespace present_loop_test;
  const bool is_again = GENERATE(false, true);
  panel.set(ShownPanel::scene_of(1, 1, -60));
  panel.push(1, 0, is_again);
  panel.turn();
  CHECK(panel.presenter.swapped == 1);
  CHECK(panel.late == (is_again ? std::vector<LateCause>{} : std::vector{LateCause::swap}));
  CHECK(panel.shown() == (is_again ? Ticks{} : Ticks{0}));
}

TEST_CASE("a picture is left out as late once the next one is due", "[panel]") {
  present_loop_test::ShownPanel panel;
  using namespace present_loop_test;
  panel.set(ShownPanel::scene_of(1, 1, -110));
  panel.push(1, 0);
  panel.push(1, 1);
  panel.turn();
  CHECK(panel.presenter.swapped == 0);
  CHECK(panel.late == std::vector{LateCause::swap});
  panel.turn();
  CHECK(panel.late.size() == 1);
  CHECK(panel.shown() == Ticks{1});
}

TEST_CASE("a picture that is not due yet is prepared once, and waits", "[panel]") {
  present_loop_test::ShownPanel panel;
  using namespace present_loop_test;
  panel.set(ShownPanel::scene_of(1, 1, 1000));
  panel.push(1, 0);
  panel.turn(2);
  CHECK(panel.presenter.prepared == 1);
  CHECK(panel.presenter.swapped == 0);
  CHECK(panel.primed == Versions{1});
  CHECK(panel.swapped.empty());
  SECTION("a show that has no start is not begun") {
    panel.set(ShownPanel::scene_of(2, 1, 1000));
    panel.turn();
    CHECK(panel.primed == Versions{1, 2});
  }
  SECTION("a new scene takes the place of pictures that are due after it begins") {
    panel.push(1, 1);
    panel.push(1, 2);
    panel.set(ShownPanel::scene_of(2, 2, 1100));
    panel.turn();
    CHECK(panel.ring.ready() == 1);
    CHECK(panel.late.empty());
  }
}

TEST_CASE("pictures of a scene that was never shown are dropped, and are not late", "[panel]") {
  present_loop_test::ShownPanel panel;
  using namespace present_loop_test;
  panel.set(ShownPanel::scene_of(2, 2, -110));
  panel.push(1, 1);
  panel.push(2, 1);
  panel.turn(2);
  CHECK(panel.late.empty());
  CHECK(panel.primed == Versions{2});
  CHECK(panel.shown() == Ticks{1});
}

TEST_CASE("a scene without new pictures is shown once it takes effect", "[panel]") {
  present_loop_test::ShownPanel panel;
  using namespace present_loop_test;
  panel.set(ShownPanel::scene_of(1, 1, -10, 1));
  panel.push(1, 0);
  panel.turn(2);
  Scene next = ShownPanel::scene_of(2, 1, -10, 1);
  SECTION("it has") {
    next.since = ShownPanel::at_s(-5);
    panel.set(next);
    panel.turn(2);
    CHECK(panel.swapped == Versions{1, 2});
  }
  SECTION("it has not") {
    next.since = ShownPanel::at_s(1000);
    panel.set(next);
    panel.turn();
    CHECK(panel.swapped == Versions{1});
  }
  SECTION("it has another epoch") {
    next.epoch = 2;
    panel.set(next);
    panel.turn();
    CHECK(panel.swapped == Versions{1});
  }
}

TEST_CASE("a picture that stays is shown again when a hint comes and goes", "[panel]") {
  present_loop_test::ShownPanel panel;
  using namespace present_loop_test;
  panel.set(ShownPanel::scene_of(1, 1, -10, 1));
  panel.push(1, 0);
  panel.turn(2);
  REQUIRE(panel.presenter.swapped == 1);
  const std::vector<int> shown = panel.presenter.pixels;
  REQUIRE(shown.size() == 32);
  CHECK(shown[31] == 37);
  Scene hinted = ShownPanel::scene_of(2, 1, -10, 1);
  hinted.hint = Hint{"paused", ShownPanel::at_s(-5), ShownPanel::at_s(1000)};
  const bool is_black = GENERATE(false, true);
  hinted.blank = is_black;
  panel.set(hinted);
  panel.turn(2);
  CHECK(panel.presenter.swapped == (is_black ? 1 : 2));
  CHECK(panel.presenter.pixels == shown);
  panel.set(ShownPanel::scene_of(3, 1, -10, 1));
  panel.turn(2);
  CHECK(panel.presenter.swapped == (is_black ? 1 : 3));
  CHECK(panel.shown() == Ticks{0});
}

TEST_CASE("the last picture of a scene is told once, and no other one", "[panel]") {
  present_loop_test::ShownPanel panel;
  using namespace present_loop_test;
  panel.set(ShownPanel::scene_of(1, 1, -210, 2));
  panel.push(1, 0);
  panel.turn();
  CHECK(panel.last_shown == 0);
  panel.push(1, 1);
  panel.turn();
  CHECK(panel.last_shown == 1);
  panel.push(1, 1, true);
  panel.turn(2);
  CHECK(panel.presenter.swapped == 3);
  CHECK(panel.last_shown == 1);
}

TEST_CASE("keys are handed on also before there is a scene", "[panel]") {
  present_loop_test::ShownPanel panel;
  panel.presenter.input = {present::OperatorKey::quit, present::OperatorKey::back};
  panel.turn();
  CHECK(panel.keys == std::vector{present::OperatorKey::quit, present::OperatorKey::back});
}
