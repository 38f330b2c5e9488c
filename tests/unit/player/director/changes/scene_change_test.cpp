// What each command does to a scene.

#include "player/director/changes/scene_change.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::render;
using namespace tilewall::scene;
using namespace tilewall::sync;
using test::at_ms;
using test::start;

namespace {

Scene started(std::vector<Region> regions) {
  Scene scene = first_scene(std::move(regions));
  for (Region& region : scene.regions) region.timeline.start = start;
  scene.since = start;
  scene.tick_grid = plan_tick_grid(scene.regions, start);
  return scene;
}

Scene playing() { return started({movie_region("main", movie_source(100))}); }

template <typename Command>
Scene changed(const Scene& scene, GlobalInstant at, Command&& command) {
  SceneChange change(scene, at, Nanos(0));
  command(change);
  return change.finish();
}

std::int64_t frame_at(const Scene& scene, GlobalInstant at, std::size_t region = 0) {
  return scene.regions.at(region).timeline.frame_at(at);
}

}  // namespace

TEST_CASE("seeking moves within the range, and says what it is", "[director]") {
  const Scene scene = playing();
  const auto by = [](double seconds) {
    return [seconds](SceneChange& change) { change.seek_by_seconds("", seconds); };
  };
  CHECK(frame_at(changed(scene, at_ms(1000), by(2)), at_ms(1000)) == 30);
  CHECK(frame_at(changed(scene, at_ms(1000), by(-60)), at_ms(1000)) == 0);
  CHECK(frame_at(changed(scene, at_ms(1000), by(1e300)), at_ms(1000)) == 99);
  SceneChange change(scene, at_ms(1000), Nanos(0));
  CHECK_THROWS_WITH(change.seek_to("", 100), Catch::Contains("0 to 99"));
  CHECK_THROWS_AS(change.seek_to("nobody", 1), InputError);
}

TEST_CASE("a step pauses on the neighbouring frame", "[director]") {
  const Scene scene =
      changed(playing(), at_ms(1000), [](SceneChange& change) { change.step_by("", -1); });
  CHECK(scene.regions[0].timeline.paused());
  CHECK(scene.tick_grid.paused());
  CHECK(frame_at(scene, at_ms(5000)) == 9);
}

TEST_CASE("a limit on frames counts what was shown before a change", "[director]") {
  Scene scene = playing();
  scene.regions[0].timeline.tick_limit = 20;
  const auto limit_after = [&](GlobalInstant at) {
    const Scene sought = changed(scene, at, [](SceneChange& change) { change.seek_to("", 50); });
    return sought.regions[0].timeline.tick_limit;
  };
  CHECK(limit_after(at_ms(499)) == 15);
  CHECK(limit_after(at_ms(500)) == 15);  // frame 5 is due then: it is not shown before
  CHECK(limit_after(at_ms(501)) == 14);
  CHECK(limit_after(start) == 20);
}

TEST_CASE("a limit on frames counts those of the first of two compared movies", "[director]") {
  Scene scene = first_scene({movie_region("main", movie_source(100))});  // not started: 10 fps
  scene.regions[0].timeline.tick_limit = 20;
  SceneChange change(scene, never, Nanos(0));
  auto faster = *movie_source(300);
  faster.fps = {25, 1};
  change.compare(CompareMode::swipe, std::make_shared<const SourceSpec>(faster), {2000, 1000}, 0.5);
  change.set_range("", 0, 100);
  const Scene both = change.finish();
  CHECK(both.regions[0].timeline.tick_count() == 20);
  CHECK(both.regions[1].timeline.tick_count() == 48);  // its last one is due with the other's last
}

TEST_CASE("speed changes keep the frame, fast ones leave frames out for all alike", "[director]") {
  const Scene fast = changed(playing(), at_ms(1000), [](SceneChange& change) {
    change.set_speed("", {16, 1});
  });
  CHECK(frame_at(fast, at_ms(1000)) == 10);
  CHECK(frame_at(fast, at_ms(1500)) == 90);
  CHECK(fast.tick_grid.rate_fps == Rational{80, 1});  // every second frame
  const Scene back = changed(fast, at_ms(1500), [](SceneChange& change) {
    change.set_speed("", {-1, 2});
  });
  CHECK(frame_at(back, at_ms(3500)) == 80);
  CHECK(back.tick_grid.rate_fps == Rational{5, 1});
  SceneChange change(back, at_ms(3500), Nanos(0));
  for (const Rational speed : {Rational{0, 1}, Rational{1, 9}, Rational{17, 1}, Rational{-17, 1}})
    CHECK_THROWS_AS(change.set_speed("", speed), InputError);
}

TEST_CASE("ping-pong goes on in the direction it has", "[director]") {
  const Scene scene = changed(playing(), at_ms(0), [](SceneChange& change) {
    change.set_range("", 10, 20);
    change.set_loop("", LoopMode::ping_pong);
  });
  CHECK(frame_at(scene, at_ms(0)) == 10);
  CHECK(frame_at(scene, at_ms(900)) == 19);
  CHECK(frame_at(scene, at_ms(1200)) == 16);
  const Scene paused = changed(scene, at_ms(1200), [](SceneChange& change) { change.pause(""); });
  const Scene again = changed(paused, at_ms(5000), [](SceneChange& change) { change.play(""); });
  CHECK(frame_at(again, at_ms(5100)) == 15);
}

TEST_CASE("a range that leaves the current frame out goes on at its nearest end", "[director]") {
  const auto ranged = [&](std::int64_t first, std::int64_t end) {
    const Scene scene = changed(playing(), at_ms(5000),
                                [&](SceneChange& change) { change.set_range("", first, end); });
    return scene.regions[0].timeline.start_frame;
  };
  CHECK(ranged(10, 20) == 19);
  CHECK(ranged(60, 70) == 60);
  CHECK(ranged(50, 51) == 50);
  CHECK(ranged(40, 60) == 50);
}

TEST_CASE("a looping movie that becomes shorter goes on at its last frame", "[director]") {
  const SourcePtr before = movie_source(100);
  Scene scene = started({movie_region("main", before)});
  scene.regions[0].timeline.loop = LoopMode::loop;
  const auto shrunk = [&](GlobalInstant at) {
    return changed(scene, at, [&](SceneChange& change) { change.grow(before, movie_source(50)); });
  };
  CHECK(frame_at(shrunk(at_ms(7000)), at_ms(7000)) == 49);
  CHECK(frame_at(shrunk(at_ms(7000)), at_ms(7100)) == 0);
  CHECK(frame_at(shrunk(at_ms(4000)), at_ms(4000)) == 40);
  CHECK(shrunk(at_ms(7000)).regions[0].timeline.end_frame == 50);
  scene.regions[0].timeline.first_frame = 80;
  scene.regions[0].timeline.start_frame = 80;
  const Timeline line = shrunk(at_ms(500)).regions[0].timeline;
  CHECK(line.first_frame == 49);
  CHECK(line.start_frame == 49);
}

TEST_CASE("who joins a group shows its frames at the same time, as far as it has them",
          "[director]") {
  Region second = movie_region("second", movie_source(30));
  Scene scene = started({movie_region("main", movie_source(100)), second});
  scene.regions[0].group = "both";
  scene.regions[0].timeline.first_frame = 20;
  scene.regions[0].timeline.start_frame = 40;
  const auto joined = [&] {
    return changed(scene, at_ms(0),
                   [](SceneChange& change) { change.join_group("second", "both"); })
        .regions[1]
        .timeline;
  };
  CHECK(joined().first_frame == 20);
  CHECK(joined().end_frame == 30);
  CHECK(joined().start_frame == 29);
  scene.regions[0].timeline.first_frame = 50;  // past its last frame
  scene.regions[0].timeline.start_frame = 50;
  CHECK(joined().first_frame == 29);
  CHECK(joined().start_frame == 29);
  auto slower = *movie_source(30);
  slower.fps = {5, 1};  // two frames of the other pass in one of it
  scene.regions[1] = movie_region("second", std::make_shared<const SourceSpec>(slower));
  scene.regions[0].timeline.first_frame = 20;
  scene.regions[0].timeline.start_frame = 40;
  scene.regions[0].timeline.end_frame = 52;
  scene.regions[0].speed = {1, 2};
  CHECK(joined().first_frame == 10);
  CHECK(joined().start_frame == 20);
  CHECK(joined().end_frame == 26);
  CHECK(joined().rate_fps == Rational{5, 2});
}

TEST_CASE("playing on at the end begins at the far end of the range, also backwards",
          "[director]") {
  Scene scene = playing();
  scene.regions[0].timeline.direction = -1;
  scene.regions[0].timeline.start_frame = 5;
  const Scene again = changed(scene, at_ms(20'000), [](SceneChange& change) { change.play(""); });
  CHECK(frame_at(again, at_ms(20'000)) == 99);
  CHECK(frame_at(again, at_ms(20'100)) == 98);
}

TEST_CASE("play at the end begins anew", "[director]") {
  const Scene ended =
      changed(playing(), at_ms(20'000), [](SceneChange& change) { change.toggle_pause(""); });
  CHECK_FALSE(ended.regions[0].timeline.paused());
  CHECK(frame_at(ended, at_ms(20'000)) == 0);
}

TEST_CASE("a view change while playing leaves the frames where they are", "[director]") {
  const Scene scene = changed(playing(), at_ms(1050), [](SceneChange& change) {
    change.zoom_about("", 0, 0, 2, Nanos(0));
  });
  CHECK(scene.regions[0].timeline.start == start);
  CHECK(scene.tick_grid.start == at_ms(1100) + Nanos(1));
  CHECK(scene.ticks_of(scene.regions[0]).frame_of(0) == 11);
  CHECK(scene.ticks_of(scene.regions[0]).frame_of(88) == 99);
  CHECK(scene.tick_grid.count == 89);
  CHECK(scene.regions[0].view->to_px == RectF{0, 0, 500, 250});
}

TEST_CASE("zooming keeps the point under the hand, panning follows it", "[director]") {
  Scene scene = changed(playing(), at_ms(0), [](SceneChange& change) {
    change.zoom_about("", 1000, 500, 4, Nanos(0));
    change.pan_by("", 800, 0, Nanos(0));
  });
  CHECK(scene.regions[0].view->to_px == RectF{275, 187.5, 250, 125});
  scene = changed(scene, at_ms(100),
                  [](SceneChange& change) { change.one_to_one("", 1000, 500, Nanos(0)); });
  CHECK(scene.regions[0].view->to_px.width == 2000);
  scene = changed(scene, at_ms(200), [](SceneChange& change) { change.view_whole("", Nanos(0)); });
  CHECK_FALSE(scene.regions[0].view);
}

TEST_CASE("a view that glides ends on all that the region will show", "[director]") {
  const RectF square = {100, 200, 100, 100};  // the movie has 1000x500, the canvas 2000x1000
  const auto shown = [&](FitMode fit) {
    Scene scene = playing();
    scene.regions[0].fit = fit;
    return changed(scene, at_ms(0),
                   [&](SceneChange& change) { change.set_view("", square, Nanos(1'000'000'000)); })
        .regions[0]
        .view->to_px;
  };
  CHECK(shown(FitMode::stretch) == square);
  // Ten canvas pixels for one of the movie, so the square is 1000 pixels wide, in the middle.
  CHECK(shown(FitMode::contain) == RectF{50, 200, 200, 100});
  // Twenty, and 50 of the square's 100 rows are seen.
  CHECK(shown(FitMode::cover) == RectF{100, 225, 100, 50});
}

TEST_CASE("views outside the movie and of no size are refused", "[director]") {
  SceneChange change(playing(), at_ms(0), Nanos(0));
  const Nanos none(0);
  CHECK_THROWS_WITH(change.set_view("", {1000, 0, 10, 10}, none), Catch::Contains("1000x500"));
  CHECK_THROWS_AS(change.set_view("", {0, 0, 0, 10}, none), InputError);
  CHECK_THROWS_AS(change.set_view("", {0, 0, 1e-4, 10}, none), InputError);
  CHECK_THROWS_AS(change.set_view("", {0, 0, 10, 1e-4}, none), InputError);
  CHECK_THROWS_AS(change.set_view("", {std::nan(""), 0, 10, 10}, none), InputError);
  CHECK_THROWS_AS(change.zoom_about("", 0, 0, 0, none), InputError);
  CHECK_THROWS_AS(change.zoom_about("", 0, 0, -1, none), InputError);
}

TEST_CASE("however far one zooms, something is left to see", "[director]") {
  Scene scene = playing();
  for (int i = 0; i < 100; ++i)
    scene = changed(scene, at_ms(i),
                    [](SceneChange& change) { change.zoom_about("", 3, 7, 3, Nanos(0)); });
  CHECK(scene.regions[0].view->to_px.width == 2000.0 / 64);
  for (int i = 0; i < 100; ++i)
    scene = changed(scene, at_ms(i), [](SceneChange& change) {
      change.zoom_about("", 3, 7, 0.3, Nanos(0));
      change.pan_by("", 5000, -9000, Nanos(0));
    });
  const RectF view = scene.regions[0].view->to_px;
  CHECK(view.width == 4000);
  CHECK_FALSE(intersection(view, RectF{0, 0, 1000, 500}).empty());
}

TEST_CASE("a volume has no pixels that could be viewed by their numbers", "[director]") {
  SourceSpec volume;
  volume.kind = SourceKind::volume;
  const Scene scene =
      started({movie_region("main", std::make_shared<const SourceSpec>(std::move(volume)))});
  SceneChange change(scene, at_ms(1000), Nanos(0));
  CHECK_THROWS_WITH(change.set_view("", {0, 0, 100, 100}, Nanos(0)),
                    Catch::StartsWith("view: expected a picture with pixels"));
  CHECK_THROWS_WITH(change.one_to_one("", 0, 0, Nanos(0)),
                    Catch::StartsWith("one_to_one: expected a picture with pixels"));
  CHECK_NOTHROW(change.view_whole("", Nanos(0)));
}

TEST_CASE("all of a volume is seen by the lens and field of view that were chosen", "[director]") {
  const Scene scene = started({volume_region("main")});
  for (const double fov_rad : {0.2, 1.0}) {
    const auto choose = [&](const VolumeCamera& before) {
      VolumeCamera camera = panned(before, 0.3, 0.2);
      camera.fov_rad = fov_rad;
      camera.lens = fov_rad > 0.5 ? Lens::orthographic : Lens::perspective;
      return camera;
    };
    const Scene chosen = changed(
        scene, at_ms(100), [&](SceneChange& change) { change.set_camera("", choose, Nanos(0)); });
    const Scene whole =
        changed(chosen, at_ms(300), [](SceneChange& change) { change.view_whole("", Nanos(0)); });
    const VolumeCamera& camera = whole.regions[0].look->camera.to;
    CHECK(camera.fov_rad == fov_rad);
    CHECK(camera.lens == chosen.regions[0].look->camera.to.lens);
    const VolumeCamera all = seeing_all(camera, scene.regions[0].source->box, 2);
    CHECK(length(all.eye - camera.eye) < 1e-9 * length(camera.eye));
    CHECK(camera.view_height == Approx(all.view_height));
    CHECK(length(camera.eye) > 1 / fov_rad);
  }
}

TEST_CASE("compared movies keep in step through every change", "[director]") {
  const SourcePtr other = movie_source(80, "/other");
  Scene scene = changed(playing(), at_ms(1050), [&](SceneChange& change) {
    change.compare(CompareMode::swipe, other, {2000, 1000}, 0.25);
  });
  REQUIRE(scene.regions.size() == 2);
  CHECK(scene.regions[1].clip_px == RectF{500, 0, 1500, 1000});
  const auto in_step = [&](GlobalInstant at) {
    return frame_at(scene, at, 0) == frame_at(scene, at, 1);
  };
  CHECK(in_step(at_ms(1099)));
  CHECK(in_step(at_ms(1100)));
  scene = changed(scene, at_ms(2000), [](SceneChange& change) {
    change.seek_to("", 40);
    change.set_speed("", {2, 1});
    change.zoom_about("", 0, 0, 2, Nanos(0));
  });
  for (int ms = 2000; ms < 9000; ms += 7) CHECK(in_step(at_ms(ms)));
  CHECK(scene.regions[0].view == scene.regions[1].view);
  scene = changed(scene, at_ms(3000), [](SceneChange& change) {
    change.end_compare({2000, 1000});
  });
  CHECK(scene.regions.size() == 1);
  SceneChange change(scene, at_ms(4000), Nanos(0));
  CHECK_THROWS_AS(change.compare(CompareMode::difference, nullptr, {2000, 1000}, 0), InputError);
}

TEST_CASE("two compared movies play the frames that both have", "[director]") {
  SourceSpec faster = *movie_source(120, "/faster");
  faster.fps = {25, 1};
  SourceSpec slower = *movie_source(20, "/slower");
  slower.fps = {5, 2};
  // The first has 100 frames at 10 fps. 120 frames at 25 fps last 4.8 s, 20 at 2.5 fps 8 s.
  const auto compared = [](const Scene& scene, const SourceSpec& with) {
    return changed(scene, at_ms(0), [&](SceneChange& change) {
      change.compare(CompareMode::swipe, std::make_shared<const SourceSpec>(with), {2000, 1000},
                     0.5);
    });
  };
  const Scene first = compared(playing(), faster);
  CHECK(first.regions[0].timeline.end_frame == 48);
  const Scene second = compared(first, slower);  // takes the other one's place
  REQUIRE(second.regions.size() == 2);
  CHECK(second.regions[1].source->path == "/slower");
  CHECK(second.regions[0].timeline.end_frame == 80);
  const Scene longer = compared(second, *movie_source(500, "/longer"));
  CHECK(longer.regions[0].timeline.end_frame == 100);
  const Scene kept = changed(longer, at_ms(0), [](SceneChange& change) {
    change.compare(CompareMode::side_by_side, nullptr, {2000, 1000}, 0.5);
  });
  CHECK(kept.regions[1].source->path == "/longer");
  CHECK(kept.regions[0].canvas_px == RectF{0, 0, 1000, 1000});
  CHECK(kept.regions[1].canvas_px == RectF{1000, 0, 1000, 1000});
}

TEST_CASE("regions of different rates share a tick grid that both divide", "[director]") {
  SourceSpec slow = *movie_source(100, "/slow");
  slow.fps = {15, 1};
  const Region other = movie_region("other", std::make_shared<const SourceSpec>(slow));
  const Scene scene = started({movie_region("main", movie_source(100)), other});
  CHECK(scene.tick_grid.rate_fps == Rational{30, 1});
  CHECK(scene.ticks_of(scene.regions[0]).frame_of(30) == 10);
  CHECK(scene.ticks_of(scene.regions[1]).frame_of(30) == 15);
}

TEST_CASE("regions of no size, no name or too many are refused", "[director]") {
  SceneChange change(playing(), at_ms(0), Nanos(0));
  Region region = movie_region("second", movie_source(5));
  region.canvas_px.width = 0;
  CHECK_THROWS_AS(change.add_region(region), InputError);
  region.canvas_px = {0, 0, std::nan(""), 5};
  CHECK_THROWS_AS(change.add_region(region), InputError);
  CHECK_THROWS_AS(change.add_region(movie_region("main", movie_source(5))), InputError);
  CHECK_THROWS_AS(change.add_region(movie_region("", movie_source(5))), InputError);
  CHECK_THROWS_AS(change.remove_region("main"), InputError);
  for (std::size_t i = 1; i < max_regions; ++i)
    change.add_region(movie_region(std::to_string(i), movie_source(5)));
  CHECK_THROWS_AS(change.add_region(movie_region("one more", movie_source(5))), InputError);
}

TEST_CASE("a region belongs to its owner and the operator", "[director]") {
  Region mine = movie_region("mine", movie_source(5));
  mine.owner = "anna";
  const Scene scene = started({movie_region("main", movie_source(5)), mine});
  SceneChange change(scene, at_ms(0), Nanos(0));
  CHECK_NOTHROW(change.check_owner("mine", "anna"));
  CHECK_NOTHROW(change.check_owner("mine", "operator"));
  CHECK_THROWS_AS(change.check_owner("main", "anna"), InputError);
  change.set_owner("main", "anna");
  CHECK_NOTHROW(change.check_owner("main", "anna"));
  CHECK_THROWS_AS(change.set_owner("main", ""), InputError);
  CHECK_THROWS_AS(change.set_owner("main", std::string(65, 'a')), InputError);
}

TEST_CASE("a playlist is one epoch across its seams", "[director]") {
  const SourcePtr list =
      std::make_shared<const SourceSpec>(make_playlist({{movie_source(10, "/a"), 0, 10},
                                                        {movie_source(20, "/b"), 5, 15, 2},
                                                        {movie_source(7), 0, 7}}));
  CHECK(list->frames == 37);
  CHECK(resolve_frame(list, 10).source->path == "/b");
  CHECK(resolve_frame(list, 10).frame == 5);
  CHECK(resolve_frame(list, 20).frame == 5);
  CHECK(resolve_frame(list, 36).frame == 6);
  Scene scene = started({movie_region("main", list)});
  const auto next = [](SceneChange& change) { change.skip_items("", 1); };
  scene = changed(scene, at_ms(100), next);
  CHECK(frame_at(scene, at_ms(100)) == 10);
  scene = changed(scene, at_ms(200), [](SceneChange& change) { change.skip_items("", -1); });
  CHECK(frame_at(scene, at_ms(200)) == 0);
  SceneChange change(playing(), at_ms(0), Nanos(0));
  CHECK_THROWS_WITH(change.skip_items("", 1), Catch::Contains("playlist"));
}

TEST_CASE("a slower movie in a playlist keeps its own rate", "[director]") {
  SourceSpec slow = *movie_source(6, "/slow");
  slow.fps = {5, 1};
  const auto slow_source = std::make_shared<const SourceSpec>(slow);
  const SourcePtr list = std::make_shared<const SourceSpec>(
      make_playlist({{slow_source, 0, 6}, {movie_source(4), 0, 4}}));
  CHECK(list->fps == Rational{10, 1});
  CHECK(list->frames == 16);
  CHECK(resolve_frame(list, 5).frame == 2);
  CHECK(resolve_frame(list, 12).source->path == "/movie");
}

TEST_CASE("a movie that grows plays on into its new frames, in time or once they are there",
          "[director]") {
  SourceSpec spec = *movie_source(100);
  spec.growing = true;
  const auto before = std::make_shared<const SourceSpec>(spec);
  spec.frames = 150;
  const auto now = std::make_shared<const SourceSpec>(spec);
  const Scene scene = started({movie_region("main", before)});
  const auto grow = [&](SceneChange& change) { change.grow(before, now); };
  const Scene in_time = changed(scene, at_ms(9850), grow);
  CHECK(in_time.regions[0].timeline.start == start);
  CHECK(in_time.tick_grid.due(0) == at_ms(9900) + Nanos(1));
  CHECK(frame_at(in_time, at_ms(9900)) == 99);
  CHECK(frame_at(in_time, at_ms(10'000)) == 100);
  CHECK(frame_at(in_time, at_ms(20'000)) == 149);
  const Scene just_ended = changed(scene, at_ms(9950), grow);
  CHECK(just_ended.tick_grid.start == at_ms(10'000));
  CHECK(frame_at(just_ended, at_ms(10'100)) == 101);
  const Scene waited = changed(scene, at_ms(12'000), grow);
  CHECK(frame_at(waited, at_ms(12'000)) == 100);
  CHECK(frame_at(waited, at_ms(12'100)) == 101);
  const Scene looping = changed(
      changed(scene, at_ms(1000), [](SceneChange& change) { change.set_loop("", LoopMode::loop); }),
      at_ms(2000), grow);
  CHECK(frame_at(looping, at_ms(2000)) == 20);
  CHECK(frame_at(looping, at_ms(2000 + 13'000)) == 0);
}

TEST_CASE("a wall's ticks follow its movie, and a faster one's every n-th frame", "[director]") {
  // 120 ticks a second at most, but for a movie that has more itself.
  struct Case {
    Rational own, rate, ticks;
  };
  for (const Case& c : {Case{{24, 1}, {24, 1}, {24, 1}}, Case{{24, 1}, {120, 1}, {120, 1}},
                        Case{{60, 1}, {240, 1}, {120, 1}}, Case{{60, 1}, {360, 1}, {120, 1}},
                        Case{{30, 1}, {130, 1}, {65, 1}}, Case{{50, 1}, {250, 1}, {250, 3}},
                        Case{{200, 1}, {200, 1}, {200, 1}}, Case{{200, 1}, {400, 1}, {200, 1}}}) {
    CAPTURE(to_string(c.own), to_string(c.rate));
    Region region = movie_region("main", movie_source(1000));
    region.base_fps = c.own;
    region.timeline.rate_fps = c.rate;
    region.timeline.start = start;
    CHECK(plan_tick_grid({region}, start).rate_fps == c.ticks);
  }
}

TEST_CASE("a view that glides and zooms moves as its size does", "[director]") {
  // To four times its size: half-way it has twice, a third of the way from 100 to 400.
  const ViewPath path{{0, 0, 100, 50}, {300, 60, 400, 200}, start, Nanos(1'000'000'000)};
  const RectF middle = path.at(at_ms(500));
  CHECK(middle.width == Approx(200));
  CHECK(middle.height == Approx(100));
  CHECK(middle.x == Approx(100));
  CHECK(middle.y == Approx(20));
  CHECK(path.at(at_ms(-1)) == path.from_px);
  CHECK(path.at(at_ms(1000)) == path.to_px);
  const ViewPath level{{0, 0, 100, 50}, {300, 60, 100, 50}, start, Nanos(1'000'000'000)};
  CHECK(level.at(at_ms(250)).x == Approx(75));
  CHECK(level.at(at_ms(250)).y == Approx(15));
}

TEST_CASE("a style glides from what is seen, on all volumes of the group", "[director]") {
  std::vector<Region> regions = {volume_region("left"), volume_region("right"),
                                 volume_region("alone"), movie_region("movie", movie_source(100))};
  for (const std::size_t i : {0u, 1u, 3u}) regions[i].group = "both";
  const auto glide_to = [](double opacity) {
    return [opacity](SceneChange& change) {
      change.change_style(
          "left", [&](VolumeStyle& style) { style.opacity = opacity; },
          std::chrono::milliseconds(400));
    };
  };
  const Scene first = changed(started(std::move(regions)), at_ms(1000), glide_to(4));
  const Scene second = changed(first, at_ms(1200), glide_to(8));
  for (const std::size_t i : {0u, 1u}) {
    CAPTURE(i);
    REQUIRE(second.regions[i].look);
    const StylePath& before = first.regions[i].look->style;
    const StylePath& path = second.regions[i].look->style;
    CHECK(before.from->opacity == 1);
    CHECK(before.to->opacity == 4);
    CHECK(path.from->opacity == before.at(at_ms(1200))->opacity);
    CHECK(path.from->opacity > 1);
    CHECK(path.from->opacity < 4);
    CHECK(path.to->opacity == 8);
    CHECK(path.start == at_ms(1200));
    CHECK(path.duration == std::chrono::milliseconds(400));
  }
  CHECK_FALSE(second.regions[2].look);
  CHECK_FALSE(second.regions[3].look);
}

TEST_CASE("a change of style settles when its glide ends, and needs a volume", "[director]") {
  const Scene scene = started({volume_region("volume"), movie_region("movie", movie_source(100))});
  SceneChange change(scene, at_ms(1000), Nanos(0));
  const auto thicken = [](VolumeStyle& style) { style.opacity = 2; };
  CHECK_FALSE(change.look_settles_at());
  change.change_style("volume", thicken, std::chrono::milliseconds(400));
  CHECK(change.look_settles_at() == at_ms(1400));
  change.change_style("volume", thicken, std::chrono::milliseconds(100));
  CHECK(change.look_settles_at() == at_ms(1400));
  CHECK_THROWS_WITH(change.change_style("movie", thicken, Nanos(0)),
                    Catch::Contains("expected a volume"));
}
