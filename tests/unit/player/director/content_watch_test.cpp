// When content counts as frozen, and what is said about it.

#include "player/director/content_watch.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/director/slate_watch.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using test::at_ms;

namespace {

ShownFrame picture_at(std::int64_t ms, FrameDamage damage) {
  return {ms / 100, ms / 100, at_ms(ms).since_epoch.count(), 0, damage};
}

/// Frames of a tenth of a second each, from `from_ms` to before `end_ms`.
std::vector<ShownFrame> pictures(std::int64_t from_ms, std::int64_t end_ms, FrameDamage damage) {
  std::vector<ShownFrame> all;
  for (std::int64_t ms = from_ms; ms < end_ms; ms += 100) all.push_back(picture_at(ms, damage));
  return all;
}

/// A movie of 10 fps whose scene is shown from `since_ms` on, each n-th of its ticks.
Scene played_since(std::int64_t since_ms, std::int64_t every = 1) {
  Scene scene = first_scene({movie_region("main", movie_source(1000))});
  scene.since = at_ms(since_ms);
  scene.regions[0].timeline.start = at_ms(since_ms);
  scene.tick_grid = plan_tick_grid(scene.regions, at_ms(since_ms));
  if (every > 1) scene.decimation.ticks.change({0, 0, every});
  return scene;
}

/// The line at `ms`, when the panels have settled.
std::optional<std::string> news_at(ContentWatch& watch, std::int64_t ms) {
  const auto early = watch.news(at_ms(ms) - ContentWatch::settle_time);
  CHECK_FALSE(early);
  return watch.news(at_ms(ms));
}

}  // namespace

TEST_CASE("a picture that stays for a second is frozen until another one comes", "[content]") {
  ContentWatch watch({"left", "right"});
  watch.take(0, true, pictures(0, 500, FrameDamage::none));
  watch.take(0, true, pictures(500, 1500, FrameDamage::missing));
  watch.take(1, true, pictures(0, 1500, FrameDamage::none));
  CHECK(watch.frozen().empty());  // 0.9 s so far
  CHECK_FALSE(news_at(watch, 1400));
  watch.take(0, true, {picture_at(1500, FrameDamage::repeated)});
  CHECK(watch.frozen() == std::vector<std::string>{"left"});
  const auto frozen = news_at(watch, 2000);
  REQUIRE(frozen);
  CHECK(frozen->find("left frozen") != std::string::npos);
  CHECK_FALSE(news_at(watch, 2500));
  watch.take(0, true, {picture_at(2000, FrameDamage::none)});
  CHECK(watch.frozen().empty());
  CHECK(news_at(watch, 3000) == "content moves again: left");
  REQUIRE(watch.report().size() == 1);
  CHECK(watch.report()[0].at("what") == "left");
  CHECK(watch.report()[0].at("from_ns") == at_ms(500).since_epoch.count());
  CHECK(watch.report()[0].at("until_ns") == at_ms(2000).since_epoch.count());
  CHECK(watch.failure() == "content was frozen for 1 s or more on left");
}

TEST_CASE("damaged blocks, pauses, stills and short gaps are no frozen content", "[content]") {
  ContentWatch watch({"left"});
  watch.take(0, true, pictures(0, 3000, FrameDamage::blocks));
  watch.take(0, false, pictures(3000, 6000, FrameDamage::missing));
  for (std::int64_t ms = 6000; ms < 9000; ms += 1000) {
    watch.take(0, true, pictures(ms, ms + 900, FrameDamage::black));
    watch.take(0, true, {picture_at(ms + 900, FrameDamage::none)});
  }
  CHECK(watch.report().empty());
  CHECK(watch.failure().empty());
}

TEST_CASE("a panel whose source does not answer is frozen, as no frames come", "[content]") {
  ContentWatch watch({"left"});
  const auto reports = [&](std::int64_t from_ms, std::int64_t end_ms, const Scene& scene) {
    for (std::int64_t ms = from_ms; ms < end_ms; ms += 200) watch.take_none(0, scene, at_ms(ms));
  };
  reports(0, 5000, played_since(0));
  CHECK(watch.frozen().empty());  // it has shown no picture yet
  watch.take(0, true, {picture_at(5000, FrameDamage::none)});
  SECTION("once its last picture has stayed for five seconds") {
    reports(5200, 10'000, played_since(0));
    CHECK(watch.frozen().empty());
    reports(10'000, 10'200, played_since(0));
    CHECK(watch.frozen() == std::vector<std::string>{"left"});
    CHECK(watch.report()[0].at("from_ns") == at_ms(5000).since_epoch.count());
    watch.take(0, true, {picture_at(10'300, FrameDamage::none)});
    CHECK(watch.frozen().empty());
  }
  SECTION("later where the wall shows a tick in three seconds") {
    reports(5200, 11'000, played_since(0, 30));
    CHECK(watch.frozen().empty());
    reports(11'000, 11'200, played_since(0, 30));
    CHECK_FALSE(watch.frozen().empty());
  }
  SECTION("not for the time before its scene, such as a pause") {
    reports(5200, 11'200, played_since(6200));
    CHECK(watch.frozen().empty());
    reports(11'200, 11'400, played_since(6200));
    CHECK_FALSE(watch.frozen().empty());
  }
  SECTION("not for time in which it gave no sign itself") {
    reports(11'000, 15'900, played_since(0));
    CHECK(watch.frozen().empty());
  }
  SECTION("not after it has left") {
    watch.leave(0);
    reports(5200, 12'000, played_since(0));
    CHECK(watch.frozen().empty());
  }
}

TEST_CASE("content advances where a region does, and the scene is neither paused nor frozen",
          "[content]") {
  CHECK(ContentWatch::advances(played_since(0)));
  Scene still = played_since(0);
  still.regions[0].timeline.rate_fps = {0, 1};
  CHECK_FALSE(ContentWatch::advances(still));
  still.regions.push_back(played_since(0).regions[0]);
  CHECK(ContentWatch::advances(still));
  Scene frozen = played_since(0);
  frozen.tick_grid = {at_ms(0), {0, 1}, std::nullopt};
  CHECK_FALSE(ContentWatch::advances(frozen));
}

TEST_CASE("a sound process that stalls is frozen content", "[content]") {
  ContentWatch watch({"left"});
  for (std::int64_t ms = 0; ms <= 1000; ms += 20) watch.take_sound(true, at_ms(ms));
  CHECK(watch.frozen() == std::vector<std::string>{"sound"});
  watch.take_sound(false, at_ms(1020));
  CHECK(watch.frozen().empty());
}

TEST_CASE("a panel that has left is not frozen any more, but the fault stays in the report",
          "[content]") {
  ContentWatch watch({"left"});
  watch.take(0, true, pictures(0, 1100, FrameDamage::missing));
  watch.leave(0);
  CHECK(watch.frozen().empty());
  CHECK(watch.report()[0].at("until_ns").is_null());
  watch.take(0, true, pictures(1100, 1500, FrameDamage::missing));
  CHECK(watch.frozen().empty());  // a new process has its own second
}

TEST_CASE("the next director knows what is frozen and was told", "[content]") {
  ContentWatch before({"left", "right"});
  before.take(1, true, pictures(0, 1100, FrameDamage::missing));
  REQUIRE(news_at(before, 1600));
  ContentWatch after({"left", "right"});
  after.restore(before.checkpoint());
  CHECK(after.frozen() == std::vector<std::string>{"right"});
  CHECK_FALSE(news_at(after, 2100));
  after.take(1, true, {picture_at(1200, FrameDamage::none)});
  CHECK(news_at(after, 2600) == "content moves again: right");
  CHECK(after.report()[0].at("until_ns") == at_ms(1200).since_epoch.count());
}

TEST_CASE("a region has a slate once its pictures stay on all panels that show it", "[content]") {
  SlateWatch watch(3);
  Scene scene = first_scene({movie_region("main", movie_source(1000, "/films/sea"))});
  scene.regions[0].timeline.start = at_ms(0);
  const auto shows = [&](std::size_t panel, std::int64_t since_ms) {
    watch.take(panel, {{"main", since_ms < 0 ? 0 : at_ms(since_ms).since_epoch.count()}});
  };
  using Changes = std::vector<SlateWatch::Change>;
  CHECK(watch.changes(scene, at_ms(5000)).empty());  // no panel has reported
  shows(0, 5000);
  shows(1, -1);
  CHECK(watch.changes(scene, at_ms(9000)).empty());  // one panel alone is in trouble
  shows(1, 5500);
  CHECK(watch.changes(scene, at_ms(6400)).empty());
  CHECK(watch.changes(scene, at_ms(6500)) == Changes{{"main", at_ms(5500)}});

  const std::string text = slate_text(scene.regions[0], at_ms(5500), {at_ms(6500), {}});
  CHECK(text.starts_with("sea\nno signal since "));
  CHECK(text.ends_with(":59"));  // a second before the system clock's epoch
  scene.regions[0].slate = text;
  CHECK(watch.changes(scene, at_ms(7000)).empty());
  watch.leave(0);
  watch.leave(1);
  CHECK(watch.changes(scene, at_ms(8000)).empty());  // nobody knows whether it moves
  shows(1, 8000);
  CHECK(watch.changes(scene, at_ms(8100)).empty());
  shows(2, -1);
  CHECK(watch.changes(scene, at_ms(8200)) == Changes{{"main", std::nullopt}});
  shows(2, 8000);
  scene.regions[0].timeline.rate_fps = {0, 1};
  CHECK(watch.changes(scene, at_ms(9500)) == Changes{{"main", std::nullopt}});  // a pause
}
