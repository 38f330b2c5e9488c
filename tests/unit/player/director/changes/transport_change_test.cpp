// What the commands about playing do at the ends of a movie, of its range and of its speeds.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "player/director/changes/scene_change.hpp"
#include "sync/base/error.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::sync;
using test::at_ms;
using test::start;

namespace {
namespace transport_test {

Scene started_at_once(std::vector<Region> regions) {
  Scene scene = first_scene(std::move(regions));
  for (Region& region : scene.regions) region.timeline.start = start;
  scene.since = start;
  scene.tick_grid = plan_tick_grid(scene.regions, start);
  return scene;
}

/// One movie of 100 frames at 10 fps.
Scene one_movie() { return started_at_once({movie_region("main", movie_source(100))}); }

/// A movie of 100 frames at 10 fps and one of 200 at 25 fps, which belong together.
Scene pair_of_movies() {
  SourceSpec faster = *movie_source(200, "/faster");
  faster.fps = {25, 1};
  Scene scene =
      started_at_once({movie_region("main", movie_source(100)),
                       movie_region("other", std::make_shared<const SourceSpec>(faster))});
  for (Region& region : scene.regions) region.group = "both";
  return scene;
}

template <typename Command>
Scene after(const Scene& scene, GlobalInstant at, Command&& command) {
  SceneChange change(scene, at, Nanos(0));
  command(change);
  return change.finish();
}

const Timeline& line_of(const Scene& scene, std::size_t region = 0) {
  return scene.regions.at(region).timeline;
}

}  // namespace transport_test
}  // namespace

using namespace transport_test;

TEST_CASE("a pause in the middle goes on where it was", "[director]") {
  const Scene paused =
      after(one_movie(), at_ms(3050), [](SceneChange& change) { change.toggle_pause(""); });
  CHECK(line_of(paused).paused());
  CHECK(line_of(paused).frame_at(at_ms(9000)) == 30);
  const Scene again =
      after(paused, at_ms(9000), [](SceneChange& change) { change.toggle_pause(""); });
  CHECK(line_of(again).rate_fps == Rational{10, 1});
  CHECK(line_of(again).frame_at(at_ms(9100)) == 31);
}

TEST_CASE("playing while it plays changes nothing, and the end lifts a limit on frames",
          "[director]") {
  const auto play = [](SceneChange& change) { change.play(""); };
  Scene scene = one_movie();
  scene.regions[0].timeline.tick_limit = 20;
  CHECK(line_of(after(scene, at_ms(1000), play)) == line_of(scene));
  // The last of the 20 frames is due at 1900 ms; from then on the movie has ended.
  CHECK(line_of(after(scene, at_ms(1899), play)) == line_of(scene));
  const Scene again = after(scene, at_ms(1900), play);
  CHECK_FALSE(line_of(again).tick_limit);
  CHECK(line_of(again).frame_at(at_ms(1900)) == 0);
  CHECK(line_of(again).frame_at(at_ms(6900)) == 50);
}

TEST_CASE("the first and the last frame of a range can be sought, no others", "[director]") {
  Scene scene = one_movie();
  scene.regions[0].timeline.first_frame = 10;
  scene.regions[0].timeline.start_frame = 10;
  scene.regions[0].timeline.end_frame = 20;
  const auto sought = [&](std::int64_t frame) {
    return line_of(
               after(scene, at_ms(500), [&](SceneChange& change) { change.seek_to("", frame); }))
        .start_frame;
  };
  CHECK(sought(10) == 10);
  CHECK(sought(19) == 19);
  CHECK_THROWS_WITH(sought(9), Catch::Contains("10 to 19"));
  CHECK_THROWS_AS(sought(20), InputError);
  const auto moved = [&](std::int64_t by) {
    return line_of(after(scene, at_ms(500), [&](SceneChange& change) { change.seek_by("", by); }))
        .start_frame;
  };
  CHECK(moved(3) == 18);  // frame 15 is shown at 500 ms
  CHECK(moved(-3) == 12);
  CHECK(moved(100) == 19);
  CHECK(moved(-100) == 10);
}

TEST_CASE("seconds are sought by the movie's own rate, and must be a number", "[director]") {
  const Scene scene = pair_of_movies();
  const Scene by_main =
      after(scene, at_ms(0), [](SceneChange& change) { change.seek_to_seconds("main", 2.04); });
  CHECK(line_of(by_main, 0).start_frame == 20);
  CHECK(line_of(by_main, 1).start_frame == 50);
  const Scene by_other =
      after(scene, at_ms(0), [](SceneChange& change) { change.seek_by_seconds("other", 2.04); });
  CHECK(line_of(by_other, 1).start_frame == 51);
  CHECK(line_of(by_other, 0).start_frame == 20);  // 20.4 of its own frames
  SceneChange change(scene, at_ms(0), Nanos(0));
  for (const double wrong :
       {std::nan(""), std::numeric_limits<double>::infinity(), 1e300, -0.1, 10.0})
    CHECK_THROWS_AS(change.seek_to_seconds("main", wrong), InputError);
}

TEST_CASE("steps go on from where the last one paused", "[director]") {
  const Scene scene = one_movie();
  const Scene stepped =
      after(scene, at_ms(1000), [](SceneChange& change) { change.step_by("", 1); });
  CHECK(line_of(stepped).start_frame == 11);
  CHECK(line_of(stepped).paused());
  const Scene back =
      after(stepped, at_ms(2000), [](SceneChange& change) { change.step_by("", -2); });
  CHECK(line_of(back).start_frame == 9);
}

TEST_CASE("speeds reach from an eighth to sixteen, both ways", "[director]") {
  const Scene scene = one_movie();
  const auto at_speed = [&](Rational speed) {
    return after(scene, at_ms(1000), [&](SceneChange& change) { change.set_speed("", speed); });
  };
  CHECK(line_of(at_speed({1, 8})).rate_fps == Rational{5, 4});
  CHECK(line_of(at_speed({16, 1})).rate_fps == Rational{160, 1});
  const Scene back = at_speed({-16, 1});
  CHECK(line_of(back).rate_fps == Rational{160, 1});
  CHECK(line_of(back).direction == -1);
  CHECK(back.regions[0].speed == Rational{16, 1});
  CHECK(line_of(at_speed({-1, 8})).direction == -1);
  for (const Rational wrong : {Rational{0, 1}, Rational{124, 1000}, Rational{-124, 1000},
                               Rational{161, 10}, Rational{-161, 10}})
    CHECK_THROWS_AS(at_speed(wrong), InputError);
  const Scene paused = after(scene, at_ms(1000), [](SceneChange& change) { change.pause(""); });
  const Scene chosen = after(paused, at_ms(2000), [](SceneChange& change) {
    change.set_speed("", {2, 1});
  });
  CHECK(line_of(chosen).paused());  // the speed is that of the next play
  const Scene played = after(chosen, at_ms(3000), [](SceneChange& change) { change.play(""); });
  CHECK(line_of(played).rate_fps == Rational{20, 1});
}

TEST_CASE("faster and slower end at the bounds, in the direction that it plays", "[director]") {
  const Scene scene = one_movie();
  const auto multiplied = [](const Scene& from, Rational by) {
    return after(from, at_ms(1000), [&](SceneChange& change) { change.multiply_speed("", by); });
  };
  CHECK(multiplied(scene, {2, 1}).regions[0].speed == Rational{2, 1});
  CHECK(multiplied(scene, {1, 2}).regions[0].speed == Rational{1, 2});
  CHECK(multiplied(scene, {100, 1}).regions[0].speed == Rational{16, 1});
  CHECK(multiplied(scene, {1, 100}).regions[0].speed == Rational{1, 8});
  CHECK(line_of(multiplied(scene, {2, 1})).direction == 1);
  const Scene reversed = after(scene, at_ms(1000), [](SceneChange& change) { change.reverse(""); });
  CHECK(line_of(reversed).direction == -1);
  CHECK(line_of(reversed).start_frame == 10);
  CHECK(line_of(multiplied(reversed, {2, 1})).direction == -1);
  CHECK(line_of(after(reversed, at_ms(1200), [](SceneChange& change) {
          change.reverse("");
        })).direction == 1);
}

TEST_CASE("movies that belong together change together", "[director]") {
  const Scene scene = pair_of_movies();
  const Scene changed = after(scene, at_ms(1000), [](SceneChange& change) {
    change.set_speed("main", {2, 1});
    change.set_loop("other", LoopMode::loop);
  });
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    CHECK(changed.regions[i].speed == Rational{2, 1});
    CHECK(line_of(changed, i).loop == LoopMode::loop);
  }
  CHECK(line_of(changed, 0).rate_fps == Rational{20, 1});
  CHECK(line_of(changed, 1).rate_fps == Rational{50, 1});
  const Scene reversed =
      after(scene, at_ms(1000), [](SceneChange& change) { change.reverse("main"); });
  CHECK(line_of(reversed, 1).direction == -1);
  CHECK(line_of(reversed, 1).start_frame == 25);
  const Scene paused = after(scene, at_ms(1000), [](SceneChange& change) { change.pause("main"); });
  CHECK(line_of(paused, 1).paused());
}

TEST_CASE("a range is the same time of all movies that belong together", "[director]") {
  const auto ranged = [](std::optional<std::int64_t> first, std::optional<std::int64_t> end) {
    return after(pair_of_movies(), at_ms(5000),
                 [&](SceneChange& change) { change.set_range("main", first, end); });
  };
  const Scene middle = ranged(20, 60);
  CHECK(line_of(middle, 0).first_frame == 20);
  CHECK(line_of(middle, 0).end_frame == 60);
  CHECK(line_of(middle, 0).start_frame == 50);
  CHECK(line_of(middle, 1).first_frame == 50);
  CHECK(line_of(middle, 1).end_frame == 150);
  CHECK(line_of(middle, 1).start_frame == 125);
  // The faster movie lasts for 8 s, 80 frames of the slower one.
  const Scene late = ranged(90, 95);
  CHECK(line_of(late, 1).first_frame == 199);
  CHECK(line_of(late, 1).end_frame == 200);
  const Scene open = ranged(10, std::nullopt);
  CHECK(line_of(open, 0).end_frame == 100);
  CHECK(line_of(open, 1).end_frame == 200);
  const Scene all = ranged(std::nullopt, std::nullopt);
  CHECK(line_of(all, 0).first_frame == 0);
  CHECK(line_of(all, 1).end_frame == 200);
  CHECK(line_of(ranged(0, 100), 0).end_frame == 100);
  CHECK(line_of(ranged(99, 100), 0).first_frame == 99);
  for (const auto& [first, end] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {-1, 10}, {10, 10}, {11, 10}, {0, 101}, {100, 101}}) {
    CAPTURE(first, end);
    CHECK_THROWS_WITH(ranged(first, end), Catch::Contains("frames of 0 to 99, at least one"));
  }
}

TEST_CASE("a group's name has 64 bytes at most, and none leaves it", "[director]") {
  const Scene scene = pair_of_movies();
  CHECK_NOTHROW(after(scene, at_ms(0), [](SceneChange& change) {
    change.join_group("other", std::string(64, 'g'));
  }));
  SceneChange change(scene, at_ms(0), Nanos(0));
  CHECK_THROWS_WITH(change.join_group("other", std::string(65, 'g')),
                    Catch::Contains("64 bytes at most"));
  const Scene apart = after(scene, at_ms(1000), [](SceneChange& one) {
    one.join_group("other", "");
    one.pause("main");
  });
  CHECK(line_of(apart, 0).paused());
  CHECK_FALSE(line_of(apart, 1).paused());
  // Regions without a group are none: a region that leaves the last one goes by no other.
  Scene alone = apart;
  for (Region& region : alone.regions) region.group = region.name == "other" ? "g" : "";
  alone = after(alone, at_ms(2000), [](SceneChange& one) { one.join_group("other", ""); });
  CHECK_FALSE(line_of(alone, 1).paused());
}

TEST_CASE("who joins a paused group is paused, and plays with it afterwards", "[director]") {
  Scene scene = pair_of_movies();
  scene.regions[1].group = "";
  scene = after(scene, at_ms(1000), [](SceneChange& change) {
    change.pause("main");
    change.join_group("other", "both");
  });
  CHECK(line_of(scene, 1).paused());
  CHECK(line_of(scene, 1).start_frame == 25);
  scene = after(scene, at_ms(2000), [](SceneChange& change) { change.play("main"); });
  CHECK(line_of(scene, 1).rate_fps == Rational{25, 1});
}

TEST_CASE("regions are stacked at the place that is asked for", "[director]") {
  const SourcePtr source = movie_source(10);
  const Scene scene = started_at_once({movie_region("a", source), movie_region("b", source),
                                       movie_region("c", source), movie_region("d", source)});
  const auto order = [&](const std::string& name, std::size_t place) {
    std::string names;
    for (const Region& region : after(scene, at_ms(100), [&](SceneChange& change) {
                                  change.restack(name, place);
                                }).regions)
      names += region.name;
    return names;
  };
  CHECK(order("a", 0) == "abcd");
  CHECK(order("a", 2) == "bcad");
  CHECK(order("a", 3) == "bcda");
  CHECK(order("d", 0) == "dabc");
  CHECK(order("c", 1) == "acbd");
  CHECK_THROWS_WITH(order("a", 4), Catch::Contains("0 to 3"));
  const Scene three =
      after(scene, at_ms(100), [](SceneChange& change) { change.remove_region("b"); });
  REQUIRE(three.regions.size() == 3);
  CHECK(three.regions[1].name == "c");
}

TEST_CASE("opacity is a share, and a difference is shown 1 to 255 times as large", "[director]") {
  const Scene scene = one_movie();
  const auto opacity = [&](double value) {
    return after(scene, at_ms(0), [&](SceneChange& change) { change.set_opacity("", value); })
        .regions[0]
        .opacity.at(at_ms(0));
  };
  CHECK(opacity(0) == 0);
  CHECK(opacity(0.25) == 0.25);
  CHECK(opacity(1) == 1);
  for (const double wrong : {-0.01, 1.01, std::nan("")})
    CHECK_THROWS_AS(opacity(wrong), InputError);
  const auto gain = [&](double value) {
    return after(scene, at_ms(0),
                 [&](SceneChange& change) { change.set_difference_gain("", value); })
        .regions[0]
        .difference_gain;
  };
  CHECK(gain(1) == 1);
  CHECK(gain(255) == 255);
  for (const double wrong : {0.99, 255.5, std::nan("")}) CHECK_THROWS_AS(gain(wrong), InputError);
}

TEST_CASE("another source begins at its first frame, and plays if the one before did",
          "[director]") {
  SourceSpec other = *movie_source(40, "/other");
  other.fps = {25, 1};
  const auto source = std::make_shared<const SourceSpec>(other);
  Scene scene = one_movie();
  scene.regions[0].timeline.loop = LoopMode::loop;
  const auto exchanged = [&](const Scene& before) {
    return line_of(
        after(before, at_ms(3000), [&](SceneChange& change) { change.set_source("", source); }));
  };
  const Timeline playing_on = exchanged(scene);
  CHECK(playing_on.start == at_ms(3000));
  CHECK(playing_on.rate_fps == Rational{25, 1});
  CHECK(playing_on.first_frame == 0);
  CHECK(playing_on.end_frame == 40);
  CHECK(playing_on.start_frame == 0);
  CHECK(playing_on.direction == 1);
  CHECK(playing_on.loop == LoopMode::loop);
  CHECK_FALSE(playing_on.tick_limit);
  const Scene paused = after(scene, at_ms(1000), [](SceneChange& change) { change.pause(""); });
  CHECK(exchanged(paused).paused());
}

TEST_CASE("a loop that grows keeps its ticks and what is left of its limit", "[director]") {
  const SourcePtr before = movie_source(20);
  Scene scene = started_at_once({movie_region("main", before)});
  scene.regions[0].timeline.loop = LoopMode::loop;
  scene.regions[0].timeline.tick_limit = 100;
  const Timeline line = line_of(after(
      scene, at_ms(2550), [&](SceneChange& change) { change.grow(before, movie_source(30)); }));
  // Tick 25 is due at 2500 ms: frame 5 of the second round.
  CHECK(line.start == at_ms(2500));
  CHECK(line.start_frame == 5);
  CHECK(line.end_frame == 30);
  CHECK(line.tick_limit == 75);
}
