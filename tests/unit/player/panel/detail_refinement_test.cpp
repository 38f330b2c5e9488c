// How fine the volumes of a tick are drawn, and when finer pictures are shown.

#include "player/panel/detail_refinement.hpp"

#include <catch2/catch.hpp>

#include "tests/support/instants.hpp"

using namespace tilewall::panel;
using namespace tilewall::picture;
using namespace tilewall::scene;
using namespace tilewall;

namespace {

/// Of 10 ticks a second; paused: one that stays.
Scene detail_scene(bool paused, std::optional<GlobalInstant> detail_from) {
  Scene scene;
  scene.epoch = 5;
  scene.tick_grid = {test::at_ms(0), {paused ? 0 : 10, 1}, std::nullopt};
  scene.detail_from = detail_from;
  return scene;
}

PanelConfig panel_config(bool headless = false, LatePolicy late = LatePolicy::drop) {
  PanelConfig config;
  config.headless = headless;
  config.late = late;
  return config;
}

struct Refiner {
  explicit Refiner(const PanelConfig& config = panel_config()) : refinement(config, ring) {}

  /// A picture of the tick was drawn; whether the director waits for that.
  bool drew(const Scene& scene, std::int64_t tick, DrawPurpose purpose, DrawStatus status) {
    const bool better_comes =
        status == DrawStatus::finer_available || status == DrawStatus::provisional;
    return refinement.note_drawn(scene, tick, purpose, status, better_comes);
  }
  [[nodiscard]] DetailState state() const { return refinement.report().state; }

  PictureRing ring{{16, 16}, 3};
  DetailRefinement refinement;
};

constexpr TickDetail at_once{};
constexpr TickDetail best{.awaits_best = true};
constexpr TickDetail coarse{.defers = true, .most_stage = 0};

TickDetail in_stage(TickDetail detail, int stage) {
  detail.most_stage = stage;
  return detail;
}

}  // namespace

TEST_CASE("volumes of one host are drawn as fine as they are there", "[panel]") {
  const Refiner refiner;
  const Scene scene = detail_scene(true, std::nullopt);
  CHECK(refiner.refinement.detail_of(scene, 0, DrawPurpose::next) == at_once);
  CHECK(refiner.refinement.detail_of(scene, 0, DrawPurpose::repair) ==
        TickDetail{.awaits_best = true, .refines = true});
  CHECK(refiner.refinement.detail_of(scene, 0, DrawPurpose::refine) ==
        TickDetail{.awaits_best = true, .refines = true});
}

TEST_CASE("volumes of several hosts stay coarse until all hosts have finer ones", "[panel]") {
  const Refiner refiner;
  CHECK(refiner.refinement.detail_of(detail_scene(true, never), 0, DrawPurpose::next) == coarse);
  CHECK(refiner.refinement.detail_of(detail_scene(true, test::at_ms(0)), 0, DrawPurpose::next) ==
        in_stage(best, 0));
  const Scene playing = detail_scene(false, test::at_ms(500));
  CHECK(refiner.refinement.detail_of(playing, 4, DrawPurpose::next) == coarse);
  CHECK(refiner.refinement.detail_of(playing, 5, DrawPurpose::next) == in_stage(at_once, 0));
}

TEST_CASE("volumes are drawn in the stage of their tick, and refined to the one after the scene's",
          "[panel]") {
  Refiner refiner;
  Scene scene = detail_scene(false, test::at_ms(100));
  scene.volume_stage = {3, test::at_ms(500)};
  const auto stage_at = [&](std::int64_t tick, DrawPurpose purpose) {
    return refiner.refinement.detail_of(scene, tick, purpose).most_stage;
  };
  CHECK(stage_at(4, DrawPurpose::next) == 2);
  CHECK(stage_at(5, DrawPurpose::next) == 3);
  CHECK(stage_at(4, DrawPurpose::refine) == 4);
  CHECK(refiner.drew(scene, 4, DrawPurpose::next, DrawStatus::finer_available));
  CHECK(refiner.refinement.report().stage == 3);
  CHECK(refiner.drew(scene, 4, DrawPurpose::refine, DrawStatus::provisional));
  CHECK(refiner.state() == DetailState::ready);
  CHECK(refiner.refinement.report().stage == 4);
  CHECK(refiner.refinement.report().more_comes);
  refiner.refinement.begin(scene, true, test::at_ms(600));  // comes back after that instant
  CHECK(stage_at(4, DrawPurpose::next) == 3);
  scene.volume_stage = whole_volumes;
  CHECK(refiner.drew(scene, 4, DrawPurpose::next, DrawStatus::finer_available));
  CHECK(refiner.refinement.report().stage == whole_volumes.number);  // none follows
}

TEST_CASE("a picture of one stage waits for its stage's instant, not an earlier one's", "[panel]") {
  Refiner refiner;
  Scene scene = detail_scene(true, test::at_ms(100));
  scene.volume_stage = {1, test::at_ms(100)};
  DecodedPicture picture;
  picture.buffer = *refiner.ring.acquire({});
  refiner.refinement.push(scene, picture, {40}, DrawPurpose::refine);
  refiner.refinement.push_deferred(scene, {40});
  CHECK(refiner.refinement.is_deferring());
  scene.volume_stage = {2, test::at_ms(700)};
  refiner.refinement.push_deferred(scene, {40});
  CHECK_FALSE(refiner.refinement.is_deferring());
  const auto shown = refiner.ring.front(std::chrono::milliseconds(0));
  REQUIRE(shown);
  CHECK(shown->not_before == test::at_ms(700));
}

TEST_CASE("a panel that joins after the finer volumes were shown shows them at once", "[panel]") {
  Refiner refiner;
  const Scene scene = detail_scene(false, test::at_ms(500));
  refiner.refinement.begin(scene, true, test::at_ms(499));
  CHECK(refiner.refinement.detail_of(scene, 4, DrawPurpose::next) == coarse);
  refiner.refinement.begin(scene, true, test::at_ms(500));
  CHECK(refiner.refinement.detail_of(scene, 4, DrawPurpose::next) == in_stage(at_once, 0));
  refiner.refinement.begin(scene, false, test::at_ms(500));
  CHECK(refiner.refinement.detail_of(scene, 4, DrawPurpose::next) == coarse);
}

TEST_CASE("what a wall without windows saves is drawn as fine as it gets", "[panel]") {
  const Refiner drops(panel_config(true));
  CHECK(drops.refinement.detail_of(detail_scene(false, std::nullopt), 3, DrawPurpose::next) ==
        best);
  CHECK(drops.refinement.detail_of(detail_scene(false, never), 3, DrawPurpose::next) == coarse);
  const Refiner waits(panel_config(true, LatePolicy::slow));
  CHECK(waits.refinement.detail_of(detail_scene(false, never), 3, DrawPurpose::next) == best);
  CHECK(waits.refinement.detail_of(detail_scene(true, never), 0, DrawPurpose::next) == coarse);
}

TEST_CASE("the director hears once that a finer picture is ready", "[panel]") {
  Refiner refiner;
  const Scene scene = detail_scene(true, never);
  CHECK_FALSE(refiner.drew(scene, 0, DrawPurpose::next, DrawStatus::provisional));
  CHECK(refiner.state() == DetailState::coming);
  CHECK(refiner.refinement.report().epoch == 5);
  CHECK(refiner.refinement.report().best_tick == 1);
  CHECK(refiner.drew(scene, 0, DrawPurpose::refine, DrawStatus::whole));
  CHECK(refiner.state() == DetailState::ready);
  CHECK(refiner.refinement.report().best_tick == 0);
  CHECK_FALSE(refiner.drew(scene, 0, DrawPurpose::refine, DrawStatus::whole));
}

TEST_CASE("the director hears that no finer picture comes after all", "[panel]") {
  Refiner refiner;
  const Scene scene = detail_scene(false, std::nullopt);
  CHECK_FALSE(refiner.drew(scene, 0, DrawPurpose::next, DrawStatus::whole));
  CHECK_FALSE(refiner.drew(scene, 1, DrawPurpose::next, DrawStatus::provisional));
  CHECK(refiner.drew(scene, 2, DrawPurpose::next, DrawStatus::whole));
  CHECK(refiner.state() == DetailState::none);
  CHECK(refiner.refinement.report().best_tick == 2);
}

TEST_CASE("a scene that plays is ready where a finer picture is only deferred", "[panel]") {
  Refiner refiner;
  CHECK(
      refiner.drew(detail_scene(false, never), 3, DrawPurpose::next, DrawStatus::finer_available));
  CHECK(refiner.state() == DetailState::ready);
  Refiner still;
  CHECK_FALSE(
      still.drew(detail_scene(true, never), 0, DrawPurpose::next, DrawStatus::finer_available));
  CHECK(still.state() == DetailState::coming);  // the finer picture is yet to be drawn
}

TEST_CASE("a finer picture waits for the instant at which all hosts show theirs", "[panel]") {
  Refiner refiner;
  Scene scene = detail_scene(true, never);
  DecodedPicture picture;
  picture.buffer = *refiner.ring.acquire({});
  refiner.refinement.push(scene, picture, {40}, DrawPurpose::refine);
  CHECK(refiner.refinement.is_deferring());
  refiner.refinement.push_deferred(scene, {40});
  CHECK(refiner.ring.ready() == 0);
  SECTION("the scene names it") {
    scene.detail_from = test::at_ms(700);
    scene.volume_stage = {1, test::at_ms(700)};
    refiner.refinement.push_deferred(scene, {40});
    CHECK_FALSE(refiner.refinement.is_deferring());
    const auto shown = refiner.ring.front(std::chrono::milliseconds(0));
    REQUIRE(shown);
    CHECK(shown->not_before == test::at_ms(700));
  }
  SECTION("a later timestep of a live source comes first") {
    scene.detail_from = test::at_ms(700);
    scene.volume_stage = {1, test::at_ms(700)};
    refiner.refinement.push_deferred(scene, {41});
    CHECK_FALSE(refiner.refinement.is_deferring());
    CHECK(refiner.ring.ready() == 0);
    for (int i = 0; i < 3; ++i) CHECK(refiner.ring.acquire({}));
  }
  SECTION("another scene comes first") {
    refiner.refinement.begin(scene, false, test::at_ms(0));
    CHECK_FALSE(refiner.refinement.is_deferring());
    for (int i = 0; i < 3; ++i) CHECK(refiner.ring.acquire({}));  // its buffer is free again
  }
}

TEST_CASE("pictures of one host and first pictures are never deferred", "[panel]") {
  Refiner refiner;
  DecodedPicture picture;
  picture.buffer = *refiner.ring.acquire({});
  refiner.refinement.push(detail_scene(true, std::nullopt), picture, {40}, DrawPurpose::refine);
  CHECK(refiner.ring.ready() == 1);
  picture.buffer = *refiner.ring.acquire({});
  refiner.refinement.push(detail_scene(true, never), picture, {40}, DrawPurpose::next);
  CHECK(refiner.ring.ready() == 2);
}
