// What the report says of late frames, by what panels report and while they are not there.

#include "player/director/late_watch.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "player/director/statistics/turn_watch.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using test::at_ms;

namespace {

struct Watched {
  explicit Watched(LatePolicy policy = LatePolicy::drop)
      : watch(policy, {"left", "right"},
              {[](const nlohmann::json&) {},
               [this](const std::string& note) { notes.push_back(note); },
               [this] { return now_s; }}) {}

  void report(std::size_t panel, std::uint64_t late_so_far) {
    ShownBatch batch;
    batch.late.decode = late_so_far;
    watch.take(panel, "host", batch, false);
  }
  /// The left panel misses three of five ticks in each of its reports for two seconds, as its
  /// pictures take 250 ms at a tenth of a second for each tick.
  void strain(ShowControl& control) {
    for (int i = 1; i <= 10; ++i) {
      const LocalInstant now{std::chrono::milliseconds(100'000 + 200 * i)};
      now_s = 0.2 * i;
      ShownBatch batch;
      batch.late.decode = late += 3;
      batch.pace.mean_ns = batch.pace.median_ns = 250'000'000;
      batch.pace.pictures = batch.pace.median_of = 10;
      watch.take(0, "host", batch, false);
      watch.step(control, now);
    }
  }
  std::map<std::string, int> causes() const {
    std::map<std::string, int> counts;
    for (const auto& event : watch.events()) ++counts[event.at("cause").get<std::string>()];
    return counts;
  }

  double now_s = 0;
  std::uint64_t late = 0;
  std::vector<std::string> notes;
  LateWatch watch;
};

/// A show of that source at 10 fps, which plays.
ShowControl strained_show(SourceKind kind) {
  SourceSpec spec = *movie_source(1000);
  spec.kind = kind;
  ShowControl control(first_scene({movie_region("main", std::make_shared<const SourceSpec>(spec))}),
                      Nanos(100'000'000));
  control.start(test::start);
  return control;
}

}  // namespace

TEST_CASE("what a dead panel missed is an event as of its death", "[director]") {
  Watched wall;
  wall.now_s = 1;
  wall.report(0, 2);
  wall.report(1, 3);
  wall.now_s = 2;
  wall.watch.leave(1);
  wall.watch.note_absence(1, 3);
  wall.now_s = 4;
  wall.report(0, 5);
  wall.now_s = 5;
  wall.report(1, 1);  // it counts anew, and was late once since it is back
  wall.watch.come_back(1, 3 + 48 + 1);
  wall.watch.come_back(1, 60);  // it was back already
  const auto events = wall.watch.events();
  REQUIRE(events.size() == 5);
  double before_s = 0;
  for (const auto& event : events) {
    CHECK(event.at("at_s") >= before_s);
    before_s = event.at("at_s");
  }
  CHECK(events[2].at("panel") == "right");
  CHECK(events[2].at("cause") == "gone");
  CHECK(events[2].at("frames") == 48);
  CHECK(events[2].at("at_s") == 2);
}

TEST_CASE("a panel that the show starts without misses all up to its first frame", "[director]") {
  Watched wall;
  wall.now_s = 1;
  wall.watch.note_absence(1, 0);
  wall.now_s = 9;
  wall.watch.come_back(1, 192);
  const auto events = wall.watch.events();
  REQUIRE(events.size() == 1);
  CHECK(events[0].at("frames") == 192);
  CHECK(events[0].at("at_s") == 1);
}

TEST_CASE("after a change of speed the report has the ticks that the wall shows", "[director]") {
  Watched wall;
  ShowControl control(first_scene({movie_region("main", movie_source(100))}), Nanos(100'000'000));
  control.start(test::start);  // 10 ticks a second
  control.set_decimation({Nanos(300'000'000), Nanos(0), 0, LateCause::decode, "left"});
  REQUIRE(control.step(at_ms(0), Nanos(0)));
  wall.watch.step(control, local_now());
  CHECK(wall.watch.decimation().at("every_nth_tick") == 3);
  control.ask({[](SceneChange& change) { change.set_speed("", {2, 1}); }, {}});
  REQUIRE(control.step(at_ms(1000), Nanos(0)));
  wall.watch.step(control, local_now());
  CHECK(wall.watch.decimation().at("every_nth_tick") == 6);
  CHECK(wall.watch.decimation().at("most_every_nth_tick") == 6);
  CHECK(wall.watch.decimation().at("panel") == "left");
  wall.report(0, 1);
  CHECK(wall.watch.events().back().at("every_nth_tick") == 6);
}

TEST_CASE("where late frames are to lower the detail, a wall without levels is noted once",
          "[director]") {
  std::vector<std::string> notes;
  LateWatch watch(LatePolicy::lower, {"left", "right"},
                  {[](const nlohmann::json&) {},
                   [&](const std::string& line) { notes.push_back(line); }, [] { return 0.0; }});
  const auto show = [&](const SourceSpec& source) {
    ShowControl control(
        first_scene({movie_region("main", std::make_shared<const SourceSpec>(source))}), Nanos(0));
    control.start(test::start);
    watch.step(control, local_now());
  };
  SourceSpec movie = *movie_source(100);
  show(movie);
  SourceSpec playlist = movie;
  playlist.kind = SourceKind::playlist;
  playlist.items = {{movie_source(100), {}, {}}};
  show(playlist);
  CHECK(notes.empty());
  movie.kind = SourceKind::movie;
  show(movie);
  show(movie);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Catch::Contains("have no coarser level"));
}

TEST_CASE("frames late after a stall are the stall's, and change no detail and no ticks",
          "[director]") {
  for (const bool was_stalled : {false, true}) {
    CAPTURE(was_stalled);
    LateWatch watch(LatePolicy::lower, {"left", "right"},
                    {[](const nlohmann::json&) {}, [](const std::string&) {}, [] { return 0.0; }});
    ShowControl control(first_scene({movie_region("main", movie_source(100))}), Nanos(100'000'000));
    control.start(test::start);
    ShownBatch batch;
    batch.pace.pictures = batch.pace.median_of = 10;
    batch.pace.mean_ns = batch.pace.median_ns = 900'000'000;  // of a period of 100 ms
    batch.cpus = 2;
    batch.late.decode = 60;
    batch.late.swap = 50;
    batch.late.decoder = 4;
    watch.take(1, "host", batch, was_stalled);
    watch.step(control, local_now());
    const auto events = watch.events();
    std::map<std::string, std::int64_t> frames;  // by cause
    for (const auto& event : events) {
      CHECK(event.at("panel") == "right");
      frames[event.at("cause")] += event.at("frames").get<std::int64_t>();
    }
    std::map<std::string, std::int64_t> expected = {{"stalled", 60 + 50 + 4}};
    if (!was_stalled)
      expected = {
          {"decode", 60}, {"swap", 50}, {"decoder", 4}, {"level down", 0}, {"fewer ticks", 0}};
    CHECK(frames == expected);
    CHECK(watch.last_cause(0).empty());
  }
}

using namespace tilewall;
using std::chrono::milliseconds;

namespace {

constexpr LocalInstant turn_start{std::chrono::seconds(100)};

LocalInstant after_start(std::int64_t ms) { return turn_start + milliseconds(ms); }

}  // namespace

TEST_CASE("a short turn is no absence", "[director]") {
  TurnWatch turns(turn_start);
  CHECK(turns.absence(after_start(299)).time == Nanos(0));
  CHECK(turns.absence(after_start(300)).time == milliseconds(300));
  turns.begin(after_start(5000), false);
  CHECK(turns.absence(after_start(5100)).time == Nanos(0));
}

TEST_CASE("a long absence is news once in a turn", "[director]") {
  TurnWatch turns(turn_start);
  CHECK(turns.absence(after_start(2000)).is_news);
  CHECK_FALSE(turns.absence(after_start(2001)).is_news);
  CHECK(turns.absence(after_start(2001)).time == milliseconds(2001));
  turns.begin(after_start(2010), false);
  CHECK_FALSE(turns.absence(after_start(2800)).is_news);  // counted, but not worth a note
  turns.begin(after_start(3000), false);
  CHECK(turns.absence(after_start(4500)).is_news);
}

TEST_CASE("messages that a turn leaves have waited as long as it took", "[director]") {
  TurnWatch turns(turn_start);
  turns.begin(after_start(2000), true);
  CHECK(turns.absence(after_start(2010)).time == milliseconds(2010));
  CHECK_FALSE(turns.absence(after_start(2010)).is_news);  // this turn itself is short
  turns.begin(after_start(2020), true);
  CHECK(turns.absence(after_start(2025)).time == milliseconds(2005));
  turns.begin(after_start(2030), false);
  CHECK(turns.absence(after_start(2040)).time == Nanos(0));
}

TEST_CASE("the longest turn and those beyond the budget are counted", "[director]") {
  TurnLengths lengths;
  lengths.add(milliseconds(3), milliseconds(2));
  lengths.add(milliseconds(21), milliseconds(1));
  lengths.add(milliseconds(20), milliseconds(19));
  CHECK(lengths.turns() == 3);
  CHECK(lengths.turns_over_budget() == 1);
  CHECK(lengths.longest() == milliseconds(21));
  CHECK(lengths.longest_cpu() == milliseconds(19));
}

TEST_CASE("late policy lower has the wall show less detail", "[director]") {
  ShowControl control = strained_show(SourceKind::wall_movie);
  Watched wall(LatePolicy::lower);
  wall.strain(control);
  CHECK(control.resting_level() == 1);
  const std::map<std::string, int> causes = wall.causes();
  REQUIRE(causes.contains("level down"));
  CHECK(causes.at("level down") == 1);
  CHECK(wall.notes.empty());
}

TEST_CASE("late policy lower says once where the sources have no coarser level", "[director]") {
  ShowControl control = strained_show(SourceKind::movie);
  Watched wall(LatePolicy::lower);
  wall.strain(control);
  CHECK(control.resting_level() == 0);
  CHECK_FALSE(wall.causes().contains("level down"));
  REQUIRE(wall.notes.size() == 1);
  CHECK_THAT(wall.notes[0], Catch::Contains("no coarser level"));
}

TEST_CASE("late policies drop and slow leave the detail as it is", "[director]") {
  for (const LatePolicy policy : {LatePolicy::drop, LatePolicy::slow}) {
    ShowControl control = strained_show(SourceKind::wall_movie);
    Watched wall(policy);
    wall.strain(control);
    CHECK(control.resting_level() == 0);
    CHECK(wall.causes().contains("fewer ticks") == (policy == LatePolicy::drop));
    CHECK((wall.watch.decimation().at("most_every_nth_tick") > 1) == (policy == LatePolicy::drop));
  }
}

namespace {

/// The last scene of a director whose wall shows every third tick because of the right panel, in
/// less detail, and which has died.
Scene left_scene() {
  ShowControl control = strained_show(SourceKind::wall_movie);
  control.set_decimation({Nanos(300'000'000), Nanos(0), 0, LateCause::swap, "right"});
  control.set_resting_level(2);
  REQUIRE(control.step(at_ms(0), Nanos(0)));
  REQUIRE(control.scene().decimation.every() == 3);
  return control.scene();
}

}  // namespace

TEST_CASE("the next director goes on with the ticks and the level of the last one", "[director]") {
  ShowControl control(left_scene(), Nanos(100'000'000));
  control.go_on();
  control.set_resting_level(2);
  Watched wall(LatePolicy::lower);
  wall.watch.go_on(control, local_now());
  CHECK(wall.watch.decimation().at("every_nth_tick") == 3);
  wall.report(0, 1);
  CHECK(wall.watch.events().back().at("every_nth_tick") == 3);
  CHECK(wall.watch.events().back().at("level") == 2);
  CHECK_FALSE(control.step(at_ms(1000), Nanos(0)));  // the scene has these ticks already
  control.ask({[](SceneChange& change) { change.set_speed("", {2, 1}); }, {}});
  REQUIRE(control.step(at_ms(1000), Nanos(0)));
  CHECK(control.scene().decimation.every() == 6);
  CHECK(control.scene().decimation.cause == LateCause::swap);
  CHECK(control.scene().decimation.panel == "right");
}

TEST_CASE("the next director shows more ticks once panels have kept up for four seconds",
          "[director]") {
  ShowControl control(left_scene(), Nanos(100'000'000));
  control.go_on();
  Watched wall;
  const LocalInstant begin = local_now();
  wall.watch.go_on(control, begin);
  const auto kept_up_at = [&](int ms) {
    for (const std::size_t panel : {0u, 1u}) {
      ShownBatch batch;
      batch.pace.mean_ns = batch.pace.median_ns = 10'000'000;
      batch.pace.pictures = batch.pace.median_of = 10;
      wall.watch.take(panel, "host", batch, false);
    }
    wall.watch.step(control, begin + std::chrono::milliseconds(ms));
    return wall.causes().contains("more ticks");
  };
  for (int ms = 200; ms < 4000; ms += 200) CHECK_FALSE(kept_up_at(ms));
  CHECK(kept_up_at(4200));
}

TEST_CASE("the next director asks for every tick where the last one named single ones",
          "[director]") {
  ShowControl last = strained_show(SourceKind::wall_movie);
  last.set_decimation({Nanos(300'000'000), Nanos(0), 0, LateCause::decode, "left", 1});
  REQUIRE(last.step(at_ms(0), Nanos(0)));
  REQUIRE(last.scene().decimation.names_ticks);
  ShowControl control(last.scene(), Nanos(100'000'000));
  control.go_on();
  Watched wall;
  wall.watch.go_on(control, local_now());
  CHECK(wall.watch.decimation().at("every_nth_tick") == 1);
  REQUIRE(control.step(at_ms(1000), Nanos(0)));
  CHECK_FALSE(control.scene().decimation.names_ticks);
  CHECK(control.scene().decimation.every() == 1);
}

TEST_CASE("a wall that waits for its panels, or pauses, leaves out no ticks when it goes on",
          "[director]") {
  const bool pauses = GENERATE(false, true);
  CAPTURE(pauses);
  Scene scene = left_scene();
  if (pauses) scene.tick_grid = {at_ms(0), {0, 1}, std::nullopt};
  ShowControl control(scene, Nanos(100'000'000));
  control.go_on();
  Watched wall(pauses ? LatePolicy::drop : LatePolicy::slow);
  wall.watch.go_on(control, local_now());
  CHECK(wall.watch.decimation().at("every_nth_tick") == 1);
}
