// Panels that are told which scene may be shown next: what they draw ahead, what they report, and
// that the first pictures after the change are those that were drawn.

#include "player/panel/armed_scene.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "player/panel/decode_ahead.hpp"
#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scene_maker.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::picture;
using namespace tilewall::scene;
using test::eventually;

namespace {

constexpr GlobalInstant arming_now{std::chrono::seconds(100)};
constexpr SizePx armed_panel_px{160, 96};

/// Global time stands still.
struct ArmingClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override {
    ClockMapping standing;
    standing.anchor_local = local_now();
    standing.anchor_global = arming_now;
    standing.rate_ppb = -1e9;
    return standing;
  }
};

PanelConfig armed_panel(std::size_t index = 0) {
  PanelConfig config;
  config.frame_buffer_px = armed_panel_px;
  config.hashes = true;
  config.late = LatePolicy::slow;  // a slow machine leaves out no tick
  config.places =
      PanelPlaces(wall::load_wall(test::source_path("tests/data/walls/two-by-one.toml")), index);
  return config;
}

SourcePtr source_of_kind(SourceKind kind, const std::string& path) {
  SourceSpec spec = *movie_source(100, path);
  spec.kind = kind;
  return std::make_shared<const SourceSpec>(std::move(spec));
}

/// What the test's disks and decoders do.
struct ArmingDisk {
  std::atomic<bool> hangs{false};    // no picture comes
  std::atomic<bool> refuses{false};  // no source can be opened
  std::atomic<int> opened{0};
  std::atomic<int> asked{0};  // for pictures
  std::atomic<int> drawn{0};
};

/// Paints its frame's number.
class ArmedSource final : public PictureSource {
 public:
  ArmedSource(ArmingDisk& disk, const DrawCancellation& cancellation)
      : disk_(disk), cancellation_(cancellation) {}
  [[nodiscard]] SizePx size_px() const noexcept override { return {1000, 500}; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  [[nodiscard]] bool is_late() override { return disk_.hangs; }
  DrawStatus draw(std::int64_t frame, const Placement& /*placement*/, const ImageView& picture,
                  const ImageView* /*last_good*/) override {
    ++disk_.asked;
    while (disk_.hangs) {
      if (cancellation_.is_unwanted()) return DrawStatus::abandoned;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ++disk_.drawn;
    for (int y = 0; y < picture.size_px.height; ++y)
      std::fill_n(picture.row(y), 4 * picture.size_px.width,
                  static_cast<std::uint8_t>(100 + frame));
    return DrawStatus::whole;
  }

 private:
  ArmingDisk& disk_;
  const DrawCancellation& cancellation_;
  DrawCounters counters_;
};

/// A panel between two pictures of its running show.
struct ArmingPanel {
  ArmingPanel() { show(movie_source(100, "/running")); }

  /// The running show plays the source.
  void show(SourcePtr source) {
    Scene scene = first_scene({movie_region("main", std::move(source))});
    scene.version = ++version;
    scene.since = arming_now;
    scene.regions[0].timeline.start = arming_now;
    scenes.set(std::make_shared<const Scene>(std::move(scene)));
    cancellation.set_version(version);
  }
  void prepare(std::uint64_t token, Scene scene) {
    auto prepared = std::make_shared<PreparedScene>();
    prepared->token = token;
    prepared->scene = std::move(scene);
    scenes.set_prepared(std::move(prepared));
    armed.update();
  }
  /// Lets the panel work until it has nothing to do, or reports.
  void work() {
    const std::size_t before = reports.size();
    eventually([&] {
      if (armed.again() <= local_now()) armed.step(local_now() + std::chrono::milliseconds(20));
      return armed.again() == ArmedScene::nothing_to_do || reports.size() > before;
    });
  }
  /// Lets the panel work until it has asked for so many pictures.
  void work_until_asked(int pictures) {
    REQUIRE(eventually([&] {
      armed.step(local_now() + std::chrono::milliseconds(20));
      return disk.asked >= pictures;
    }));
  }

  std::uint64_t version = 0;
  ArmingDisk disk;
  const PanelConfig config = armed_panel();
  SceneSlot scenes;
  const ArmingClock clock{};
  DrawCancellation cancellation{scenes, clock};
  std::vector<ArmedReport> reports;
  SourceCache::Open open = [this](const SourceSpec& spec) {
    if (disk.refuses) throw InputError({spec.path}, "", "a movie", "nothing");
    ++disk.opened;
    return std::make_unique<ArmedSource>(disk, cancellation);
  };
  ArmedScene armed{config, open, cancellation, scenes,
                   [this](const ArmedReport& report) { reports.push_back(report); }};
};

Scene next_scene(SourcePtr source = movie_source(100, "/next")) {
  return first_scene({movie_region("main", std::move(source))});
}

/// The same scene at the change.
Scene taking_effect(Scene scene, std::uint64_t version, std::uint64_t epoch) {
  scene.version = version;
  scene.epoch = epoch;
  scene.since = arming_now;
  for (Region& region : scene.regions) region.timeline.start = arming_now;
  scene.tick_grid = plan_tick_grid(scene.regions, arming_now);
  return scene;
}

}  // namespace

TEST_CASE("a scene is armed once its first two pictures are drawn, and no earlier", "[panel]") {
  ArmingPanel panel;
  panel.disk.hangs = true;
  panel.prepare(7, next_scene());
  panel.work_until_asked(3);
  CHECK(panel.disk.drawn == 0);
  CHECK(panel.reports.empty());
  panel.disk.hangs = false;
  panel.work();
  CHECK(panel.disk.drawn == 2);
  CHECK(panel.reports == std::vector<ArmedReport>{{7, {}}});
}

TEST_CASE("of a scene that stands still one picture is drawn ahead", "[panel]") {
  ArmingPanel panel;
  Scene still = next_scene();
  still.regions[0].timeline.rate_fps = {0, 1};
  still.tick_grid = plan_tick_grid(still.regions, never);
  panel.prepare(7, still);
  panel.work();
  CHECK(panel.disk.drawn == 1);
  CHECK(panel.reports == std::vector<ArmedReport>{{7, {}}});
}

TEST_CASE("a panel tells which source is missing, and tries it again", "[panel]") {
  ArmingPanel panel;
  panel.disk.refuses = true;
  panel.prepare(7, next_scene());
  panel.work();
  REQUIRE(panel.reports.size() == 1);
  CHECK(panel.reports[0].token == 7);
  REQUIRE(panel.reports[0].missing.size() == 1);
  CHECK(panel.reports[0].missing[0].find("/next: expected a movie") != std::string::npos);
  panel.disk.refuses = false;
  panel.work();
  CHECK(panel.reports.back() == ArmedReport{7, {}});
}

TEST_CASE("a source whose pictures do not come is named after a while", "[panel]") {
  ArmingPanel panel;
  panel.disk.hangs = true;
  panel.prepare(7, next_scene(movie_source(100, "/movies/next.tw")));
  panel.work();
  CHECK(panel.reports ==
        std::vector<ArmedReport>{{7, {"next.tw: its first pictures have not come"}}});
}

TEST_CASE("a scene that is armed already is answered at once, under its new token", "[panel]") {
  ArmingPanel panel;
  panel.prepare(7, next_scene());
  panel.work();
  panel.prepare(8, next_scene());  // equal, but not the same objects
  CHECK(panel.reports == std::vector<ArmedReport>{{7, {}}, {8, {}}});
  panel.prepare(8, next_scene());  // the panel came back to its director
  CHECK(panel.reports.size() == 3);
  CHECK(panel.disk.drawn == 2);
  panel.prepare(9, next_scene(movie_source(100, "/other")));
  CHECK(panel.reports.size() == 3);
  panel.work();
  CHECK(panel.reports.back() == ArmedReport{9, {}});
  CHECK(panel.disk.drawn == 4);
}

TEST_CASE("a newer scene of the running show ends a draw for the armed one", "[panel]") {
  ArmingPanel panel;
  panel.disk.hangs = true;
  panel.prepare(7, next_scene());
  panel.work_until_asked(1);
  Scene newer = *panel.scenes.get();
  newer.version = 2;
  panel.scenes.set(std::make_shared<const Scene>(std::move(newer)));
  const int asked = panel.disk.asked;
  panel.armed.step(local_now() + std::chrono::hours(1));  // would take that long
  CHECK(panel.disk.asked == asked + 1);
  CHECK(panel.reports.empty());
}

TEST_CASE("a movie whose decoder is playing it is not drawn ahead", "[panel]") {
  ArmingPanel panel;
  panel.show(source_of_kind(SourceKind::movie, "/a/clip.mp4"));
  panel.prepare(7, next_scene(source_of_kind(SourceKind::movie, "/a/clip.mp4")));
  panel.work();
  REQUIRE(panel.reports.size() == 1);
  REQUIRE(panel.reports[0].missing.size() == 1);
  CHECK(panel.reports[0].missing[0].starts_with("clip.mp4: is playing now"));
  CHECK(panel.disk.opened == 0);
  panel.show(movie_source(100, "/running"));
  panel.work();
  CHECK(panel.reports.back() == ArmedReport{7, {}});
}

TEST_CASE("a region that plays on is not drawn ahead", "[panel]") {
  ArmingPanel panel;
  Scene scene = first_scene({movie_region("on", movie_source(100, "/on")),
                             movie_region("new", movie_source(100, "/next"))});
  scene.regions[0].timeline.start = arming_now;
  scene.tick_grid = plan_tick_grid(scene.regions, never);
  panel.prepare(7, scene);
  panel.work();
  CHECK(panel.reports == std::vector<ArmedReport>{{7, {}}});
  CHECK(panel.disk.opened == 1);
}

TEST_CASE("the running show goes on with the sources of the armed scene", "[panel]") {
  ArmingPanel panel;
  const Scene next = next_scene();
  panel.prepare(7, next);
  panel.work();
  Composer composer(panel.config, panel.open, [](const std::string& line) { FAIL(line); });
  const Scene now = taking_effect(next, 2, 2);
  composer.begin(now, false);
  const TickDetail detail;
  const auto plan = [&](std::int64_t tick) {
    const GlobalInstant due = now.tick_grid.due(tick);
    return composer.plan(due, frames_at(now, due));
  };
  const ArmedPicture* const first = panel.armed.find(now, plan(0), detail);
  REQUIRE(first != nullptr);
  CHECK(first->pixels.pixel(80, 48)[0] == 100);
  REQUIRE(panel.armed.find(now, plan(1), detail) != nullptr);
  CHECK(panel.armed.find(now, plan(1), detail)->pixels.pixel(80, 48)[0] == 101);
  CHECK(panel.armed.find(now, plan(2), detail) == nullptr);
  panel.armed.hand_over(composer, true);
  CHECK(composer.source_of({now.regions[0].source, 2}) != nullptr);
  CHECK(panel.disk.opened == 1);
  CHECK(panel.armed.again() == ArmedScene::nothing_to_do);
}

TEST_CASE("nothing more is armed of a scene that is shown", "[panel]") {
  ArmingPanel panel;
  panel.prepare(7, next_scene());
  Composer composer(panel.config, panel.open, [](const std::string& line) { FAIL(line); });
  const Scene now = taking_effect(next_scene(), 2, 2);
  composer.begin(now, false);
  CHECK(panel.armed.again() != ArmedScene::nothing_to_do);
  panel.armed.hand_over(composer, true);
  CHECK(panel.armed.again() == ArmedScene::nothing_to_do);
  CHECK(panel.disk.opened == 0);
}

TEST_CASE("another look, place or frame is another picture", "[panel]") {
  ArmingPanel panel;
  panel.prepare(7, next_scene());
  panel.work();
  Composer composer(panel.config, panel.open, [](const std::string& line) { FAIL(line); });
  const auto is_armed = [&](const std::function<void(Scene & scene)>& change) {
    Scene now = taking_effect(next_scene(), 2, 2);
    change(now);
    composer.begin(now, false);
    const GlobalInstant due = now.tick_grid.due(0);
    return panel.armed.find(now, composer.plan(due, frames_at(now, due)), {}) != nullptr;
  };
  CHECK(is_armed([](Scene&) {}));
  CHECK_FALSE(is_armed([](Scene& scene) { scene.regions[0].opacity = OpacityPath::at_rest(0.5); }));
  CHECK_FALSE(is_armed([](Scene& scene) { scene.regions[0].canvas_px.x = 1; }));
  CHECK_FALSE(is_armed([](Scene& scene) { scene.regions[0].timeline.start_frame = 3; }));
  CHECK_FALSE(is_armed([](Scene& scene) { scene.regions[0].blend = BlendMode::difference; }));
  CHECK_FALSE(is_armed([](Scene& scene) { scene.regions[0].slate = "wait"; }));
  CHECK_FALSE(is_armed([](Scene& scene) { scene.coarser_by = 1; }));
  CHECK_FALSE(is_armed([](Scene& scene) { scene.blank = true; }));
}

TEST_CASE("an armed picture of a volume is shown while the volume is in the same stage of its own",
          "[panel]") {
  ArmingPanel panel;
  Scene next = next_scene(volume_region("main").source);
  next.detail_from = never;
  next.volume_stage = {3, GlobalInstant{}};
  next.regions[0].first_stage = 1;
  panel.prepare(7, next);
  panel.work();
  REQUIRE(panel.reports.size() == 1);
  Composer composer(panel.config, panel.open, [](const std::string& line) { FAIL(line); });
  const auto is_armed = [&](int stage, int first_stage) {
    Scene now = taking_effect(next, 2, 2);
    now.volume_stage.number = stage;
    now.regions[0].first_stage = first_stage;
    composer.begin(now, false);
    const GlobalInstant due = now.tick_grid.due(0);
    const TickDetail detail{.refines = true, .defers = true, .most_stage = stage};
    return panel.armed.find(now, composer.plan(due, frames_at(now, due)), detail) != nullptr;
  };
  CHECK(is_armed(3, 1));
  CHECK(is_armed(5, 3));
  CHECK_FALSE(is_armed(3, 3));
  CHECK_FALSE(is_armed(4, 1));
  const int drawn = panel.disk.drawn;
  next.volume_stage.number = 5;
  next.regions[0].first_stage = 3;
  panel.prepare(8, next);
  CHECK(panel.reports.back() == ArmedReport{8, {}});
  next.volume_stage.number = 6;
  panel.prepare(9, next);
  panel.work();
  CHECK(panel.reports.back() == ArmedReport{9, {}});
  CHECK(panel.disk.drawn > drawn);
  Scene movie = next_scene();
  panel.prepare(10, movie);
  panel.work();
  const int opened = panel.disk.opened;
  movie.volume_stage.number = 7;  // which is nothing to a movie
  panel.prepare(11, movie);
  CHECK(panel.reports.back() == ArmedReport{11, {}});
  CHECK(panel.disk.opened == opened);
}

namespace {

/// A panel's decode thread, whose running show plays a pattern.
struct ArmedThread {
  struct Ready {
    std::int64_t tick = 0;
    DrawnWhen when = DrawnWhen::now;
  };

  explicit ArmedThread(std::size_t index) : config(armed_panel(index)), ring(armed_panel_px, 3) {
    set(taking_effect(next_scene(source_of_kind(SourceKind::pattern, "grid")), 1, 1));
    DecodeAhead::Callbacks callbacks;
    callbacks.ready = [this](std::uint64_t epoch, std::int64_t tick, DrawnWhen when) {
      const std::scoped_lock lock(mutex);
      if (epoch == 2) ready.push_back({tick, when});
      changed.notify_all();
    };
    callbacks.failed = [](const std::exception&) {};
    callbacks.problem = [](const std::string&) {};
    callbacks.late = [](LateCause, std::int64_t, std::uint64_t) {};
    callbacks.detail_news = [] {};
    callbacks.live_drawn = [](const LiveDrawn&) {};
    callbacks.armed = [this](const ArmedReport& report) {
      const std::scoped_lock lock(mutex);
      reports.push_back(report);
      changed.notify_all();
    };
    decoder.emplace(config, std::filesystem::path(), clock, scenes, ring, nullptr,
                    DecodeAhead::Places{}, std::move(callbacks));
    decoder->start();
  }

  void set(Scene scene) { scenes.set(std::make_shared<const Scene>(std::move(scene))); }
  bool arms(std::uint64_t token, const Scene& scene) {
    auto prepared = std::make_shared<PreparedScene>();
    prepared->token = token;
    prepared->scene = scene;
    scenes.set_prepared(std::move(prepared));
    // The ring is full, so one of its pictures is shown: that is when a thread looks for orders.
    if (ring.front(std::chrono::seconds(20))) ring.pop_front();
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), [&] {
      return !reports.empty() && reports.back() == ArmedReport{token, {}};
    });
  }
  /// The hashes of the epoch's ticks 0, 1 and 2.
  std::vector<std::uint64_t> first_hashes(std::uint64_t epoch) {
    std::vector<std::uint64_t> hashes;
    while (hashes.size() < 3) {
      const auto picture = ring.front(std::chrono::seconds(20));
      if (!picture) break;
      ring.pop_front();
      if (picture->epoch == epoch) hashes.push_back(picture->hash);
    }
    return hashes;
  }
  /// When the epoch's first three pictures were drawn.
  std::vector<DrawnWhen> ready_when() {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return ready.size() >= 3; });
    std::vector<DrawnWhen> when;
    for (const Ready& one : ready) when.push_back(one.when);
    when.resize(std::min<std::size_t>(when.size(), 3));
    return when;
  }

  const PanelConfig config;
  SceneSlot scenes;
  const ArmingClock clock{};
  PictureRing ring;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<ArmedReport> reports;  // guarded by mutex
  std::vector<Ready> ready;          // guarded by mutex
  std::optional<DecodeAhead> decoder;
};

Scene counting_scene() { return next_scene(source_of_kind(SourceKind::pattern, "count")); }

}  // namespace

TEST_CASE("each panel shows the armed pictures at the first ticks after the change", "[panel]") {
  for (const std::size_t index : {0U, 1U}) {
    ArmedThread armed(index);
    ArmedThread unarmed(index);
    REQUIRE(armed.arms(5, counting_scene()));
    armed.set(taking_effect(counting_scene(), 2, 2));
    unarmed.set(taking_effect(counting_scene(), 2, 2));
    const auto hashes = armed.first_hashes(2);
    REQUIRE(hashes.size() == 3);
    CHECK(hashes == unarmed.first_hashes(2));
    CHECK(hashes[0] != hashes[1]);
    CHECK(armed.ready_when() ==
          std::vector{DrawnWhen::before_the_scene, DrawnWhen::before_the_scene, DrawnWhen::now});
    CHECK(unarmed.ready_when() == std::vector(3, DrawnWhen::now));
  }
}

TEST_CASE("a scene that is not the armed one is drawn, and the armed one stays", "[panel]") {
  ArmedThread panel(0);
  REQUIRE(panel.arms(5, counting_scene()));
  Scene other = counting_scene();
  other.regions[0].timeline.start_frame = 10;
  panel.set(taking_effect(other, 2, 2));
  const auto hashes = panel.first_hashes(2);
  CHECK(panel.ready_when() == std::vector(3, DrawnWhen::now));
  panel.set(taking_effect(counting_scene(), 3, 3));
  CHECK(panel.first_hashes(3) != hashes);
}

TEST_CASE("a scene that was armed can be armed and shown again", "[panel]") {
  ArmedThread panel(0);
  REQUIRE(panel.arms(5, counting_scene()));
  panel.set(taking_effect(counting_scene(), 2, 2));
  const auto hashes = panel.first_hashes(2);
  REQUIRE(panel.arms(6, counting_scene()));
  panel.set(taking_effect(counting_scene(), 3, 3));
  CHECK(panel.first_hashes(3) == hashes);
}
