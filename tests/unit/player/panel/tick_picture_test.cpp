// Which picture all panels of a host show at a tick, where their decoder is behind.

#include "player/panel/tick_picture.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sync/timeline/timeline.hpp"

using namespace tilewall::panel;
using namespace tilewall::picture;
using namespace tilewall::scene;
using namespace tilewall::sync;
using namespace tilewall;
using std::chrono::milliseconds;

namespace {

constexpr GlobalInstant timeline_start{Nanos(1'000'000'000)};

Timeline ten_fps(std::int64_t frames, LoopMode loop) {
  Timeline timeline;
  timeline.start = timeline_start;
  timeline.rate_fps = {10, 1};
  timeline.end_frame = frames;
  timeline.loop = loop;
  return timeline;
}

/// A picture that was there so long after the timeline's start.
ReadyPicture ready(std::int64_t frame, milliseconds after_start) {
  return {frame, frame + 1, {timeline_start.since_epoch + after_start}};
}

std::optional<std::int64_t> shown(const Timeline& timeline, std::int64_t tick,
                                  const std::vector<ReadyPicture>& pictures, std::int64_t every = 1,
                                  std::int64_t on_panel = -1) {
  const auto frame_of = [&](std::int64_t of) { return timeline.frame_of(of); };
  const auto found = shown_tick(timeline.ticks(), frame_of, tick, {tick - every, on_panel},
                                pictures, ClockMapping{});
  return found ? std::optional(frame_of(*found)) : std::nullopt;
}

}  // namespace

TEST_CASE("a picture that is there in time is shown at its own tick", "[panel]") {
  const Timeline timeline = ten_fps(100, LoopMode::once);
  CHECK(shown(timeline, 5, {ready(5, milliseconds(450))}) == 5);
  CHECK(shown(timeline, 5, {ready(4, milliseconds(100)), ready(5, milliseconds(-500))}) == 5);
  CHECK_FALSE(shown(timeline, 5, {ready(5, milliseconds(451))}));
  CHECK_FALSE(shown(timeline, 5, {ready(6, milliseconds(100)), ready(4, milliseconds(100))}));
}

TEST_CASE("a picture that comes late is shown once, at the first tick that is left", "[panel]") {
  const Timeline timeline = ten_fps(100, LoopMode::once);
  const std::vector<ReadyPicture> late = {ready(2, milliseconds(451))};
  CHECK_FALSE(shown(timeline, 5, late));
  CHECK(shown(timeline, 6, late) == 2);
  CHECK_FALSE(shown(timeline, 7, late));
}

TEST_CASE("a late picture waits for the next tick that is shown", "[panel]") {
  const Timeline timeline = ten_fps(100, LoopMode::once);
  const std::vector<ReadyPicture> late = {ready(2, milliseconds(451))};  // tick 6 could show it
  CHECK(shown(timeline, 8, late, 4) == 2);
  CHECK_FALSE(shown(timeline, 12, late, 4));
  CHECK_FALSE(shown(timeline, 8, late, 2));
}

TEST_CASE("of several pictures for one tick the newest is shown", "[panel]") {
  const Timeline timeline = ten_fps(100, LoopMode::once);
  std::vector<ReadyPicture> late = {ready(2, milliseconds(470)), ready(4, milliseconds(490)),
                                    ready(3, milliseconds(480))};
  CHECK(shown(timeline, 6, late) == 4);
  late.push_back(ready(6, milliseconds(495)));
  CHECK(shown(timeline, 6, late) == 6);
}

TEST_CASE("a late picture that is older than the one on the panel is not shown", "[panel]") {
  const Timeline timeline = ten_fps(100, LoopMode::once);
  const std::vector<ReadyPicture> late = {ready(2, milliseconds(470)), ready(4, milliseconds(490))};
  CHECK(shown(timeline, 6, late, 1, 3) == 4);
  CHECK_FALSE(shown(timeline, 6, late, 1, 4));
  CHECK_FALSE(shown(timeline, 6, late, 1, 5));
  // In a loop the newer turn counts: frame 0 of tick 40 is newer than frame 39 of tick 39.
  const std::vector<ReadyPicture> first = {ready(0, milliseconds(3960))};
  CHECK(shown(ten_fps(40, LoopMode::loop), 41, first, 1, 39) == 0);
  CHECK_FALSE(shown(ten_fps(40, LoopMode::loop), 41, first, 1, 40));
}

TEST_CASE("a picture that was decoded ahead in a loop is not one that the turn before lacked",
          "[panel]") {
  const Timeline timeline = ten_fps(60, LoopMode::loop);
  CHECK_FALSE(shown(timeline, 60, {ready(16, milliseconds(5900))}));  // for tick 76, not 16
  CHECK(shown(timeline, 60, {ready(40, milliseconds(5900))}) == 40);  // for tick 40, not 100
  // A loop that is shorter than the decoder's slots: the nearer tick counts.
  CHECK(shown(ten_fps(20, LoopMode::loop), 30, {ready(2, milliseconds(2900))}) == 2);
  CHECK_FALSE(shown(ten_fps(20, LoopMode::loop), 30, {ready(16, milliseconds(2900))}));
}

TEST_CASE("late pictures of loops and of reverse play are found behind their ticks", "[panel]") {
  CHECK(shown(ten_fps(40, LoopMode::loop), 81, {ready(39, milliseconds(7960))}) == 39);
  Timeline back = ten_fps(100, LoopMode::once);
  back.direction = -1;
  back.start_frame = 50;
  CHECK(shown(back, 6, {ready(48, milliseconds(480)), ready(47, milliseconds(490))}) == 47);
  CHECK_FALSE(shown(back, 6, {ready(43, milliseconds(480))}));  // its tick is yet to come
}

TEST_CASE("no panel decides before every picture for the tick can be seen", "[panel]") {
  const Timeline timeline = ten_fps(100, LoopMode::once);
  CHECK(decision_instant(timeline.ticks(), 6) < timeline.due(6));
  CHECK(decision_instant(timeline.ticks(), 6) > timeline.due(6) - late_picture_margin);
}

TEST_CASE("a panel that comes later than the others goes on where their pictures are", "[panel]") {
  const auto joined = [](const Timeline& timeline, std::int64_t tick,
                         const std::vector<ReadyPicture>& pictures, std::int64_t every = 1) {
    std::vector<std::int64_t> ticks;
    for (int i = 0; i < 24; ++i) ticks.push_back(tick + i * every);
    return joining_tick([&](std::int64_t of) { return timeline.frame_of(of); }, ticks, pictures);
  };
  const Timeline timeline = ten_fps(100, LoopMode::once);
  const auto ahead = [](std::int64_t first, std::int64_t end) {
    return std::vector<ReadyPicture>{{first, end, {}}};
  };
  CHECK(joined(timeline, 20, ahead(20, 24)) == 20);
  CHECK(joined(timeline, 20, ahead(27, 51)) == 27);
  CHECK_FALSE(joined(timeline, 20, ahead(10, 20)));  // the decoder is on its way there
  CHECK_FALSE(joined(timeline, 20, ahead(60, 84)));  // another place of the movie
  CHECK_FALSE(joined(timeline, 20, {}));
  // The decoder overwrites what nobody wants from the newest on: it has passed 22 and 23.
  CHECK(joined(timeline, 20, {{20, 22, {}}, {24, 40, {}}}) == 24);
  CHECK(joined(timeline, 18, ahead(71, 95), 9) == 72);                 // every ninth tick is shown
  CHECK(joined(ten_fps(30, LoopMode::loop), 28, ahead(2, 26)) == 32);  // over a loop's seam
  Timeline back = ten_fps(100, LoopMode::once);
  back.direction = -1;
  back.start_frame = 50;
  CHECK(joined(back, 6, ahead(30, 41)) == 10);
}

TEST_CASE("where ticks are left out together a late picture is shown up to the next shown tick",
          "[panel]") {
  Scene scene;
  scene.tick_grid = {timeline_start, {10, 1}, 500};
  const auto tick_after = [&](int ms) {
    return still_shown_tick(scene, 1, {timeline_start.since_epoch + milliseconds(ms)});
  };
  SECTION("every fourth tick") {
    scene.decimation.ticks.change({0, 0, 4});
    CHECK(tick_after(0) == 4);
    CHECK(tick_after(799) == 4);  // the next one is due at 800 ms
    CHECK(tick_after(800) == 8);
    CHECK(tick_after(1'000'000) == 499);
  }
  SECTION("a single tick, whose own stride is shorter than the wait for the next one") {
    scene.decimation.ticks.change({1, 12, 3});
    scene.decimation.ticks.change({13, 92, 80});
    CHECK(tick_after(0) == 12);
    CHECK(tick_after(9'199) == 12);
    CHECK(tick_after(9'200) == 92);
  }
}
