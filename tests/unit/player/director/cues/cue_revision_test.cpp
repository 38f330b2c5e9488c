// What people changed on the wall, as a change of the cue that it shows.

#include "player/director/cues/cue_revision.hpp"

#include <catch2/catch.hpp>

#include "player/director/changes/scene_change.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;

namespace {

/// A cue with one movie of 48 frames on all of the canvas, and a wall that shows it.
struct CueOnWall {
  CueOnWall() {
    cue.name = "a";
    cue.state.regions.resize(1);
    cues::RegionState& known = cue.state.regions.front();
    known.name = "main";
    known.source = movie({"a.mp4"});
    known.play.end = 48;
    wall.regions.resize(1);
    scene::Region& region = wall.regions.front();
    region.name = "main";
    region.owner = operator_name;
    region.source = known.source;
    region.canvas_px = {0, 0, 1280, 720};
    region.timeline.end_frame = 48;
    region.timeline.rate_fps = {24, 1};
    region.timeline.loop = sync::LoopMode::once;
  }
  static scene::SourcePtr movie(std::vector<std::string> inputs) {
    scene::SourceSpec source;
    source.kind = scene::SourceKind::movie;
    source.path = "/movies/" + (inputs.empty() ? std::string("unnamed") : inputs.front());
    source.size_px = {640, 360};
    source.frames = 48;
    source.named.inputs = std::move(inputs);
    return std::make_shared<const scene::SourceSpec>(std::move(source));
  }
  scene::Region& region() { return wall.regions.front(); }
  [[nodiscard]] std::optional<cues::Revision> revision() const {
    return revision_of(cue, wall, {1280, 720}, GlobalInstant{std::chrono::seconds(10)});
  }
  /// The entry of the cue's only region that differs.
  [[nodiscard]] cues::RegionEntry entry() const {
    const auto made = revision();
    REQUIRE(made);
    REQUIRE(made->entry.regions.size() == 1);
    REQUIRE(made->cue.regions.size() == 1);
    CHECK(made->cue.regions[0].name == made->entry.regions[0].name);
    return made->entry.regions[0];
  }

  ResolvedCue cue;
  scene::Scene wall;
};

}  // namespace

TEST_CASE("a wall that shows its cue as it is makes no change of it", "[cues]") {
  CueOnWall shown;
  CHECK_FALSE(shown.revision());
  shown.wall.regions.push_back(shown.region());
  shown.wall.regions.back().name = "guest";
  shown.wall.regions.back().owner = "a client";
  CHECK_FALSE(shown.revision());
}

TEST_CASE("each part of a changed timeline goes into the cue under its own name", "[cues]") {
  CueOnWall shown;
  shown.cue.state.regions[0].play.start = 44;
  scene::Region& region = shown.region();
  region.timeline.first_frame = 10;
  region.timeline.end_frame = 40;
  region.timeline.start_frame = 12;
  region.timeline.direction = -1;
  region.timeline.loop = sync::LoopMode::loop;
  region.base_fps = {25, 1};
  region.speed = {3, 2};
  const cues::RegionEntry entry = shown.entry();
  CHECK(entry.start == 39);  // the cue's, within the range
  CHECK(entry.in == 10);
  CHECK(entry.out == 39);
  CHECK(entry.loop == cues::Looping::loop);
  CHECK_FALSE(entry.rounds);
  CHECK(entry.fps == Rational{25, 1});
  CHECK(entry.speed == Rational{-3, 2});
  CHECK(entry.hold == false);
  CHECK_FALSE(entry.place);
  CHECK_FALSE(entry.opacity);
  CHECK_FALSE(entry.view_px);
  CHECK(entry.inputs.empty());
  const cues::PlayState play = *shown.revision()->cue.regions[0].play;
  CHECK(play == cues::PlayState{39, 10, 40, sync::LoopMode::loop, 0, {25, 1}, {3, 2}, true, false});
}

TEST_CASE("a movie that is paused is held at its frame of now", "[cues]") {
  CueOnWall shown;
  shown.region().timeline.start_frame = 30;
  CHECK_FALSE(shown.revision());  // it plays, and has only got further
  shown.region().timeline.rate_fps = {0, 1};
  const cues::RegionEntry entry = shown.entry();
  CHECK(entry.start == 30);
  CHECK(entry.hold == true);
  CHECK(entry.in == 0);
  CHECK(entry.out == 47);
}

TEST_CASE("place, view and mixing go into the cue where they differ, each by itself", "[cues]") {
  const auto changed = [](auto&& change) {
    CueOnWall shown;
    change(shown.region());
    return shown.entry();
  };
  using Region = scene::Region&;
  cues::RegionEntry expected;
  expected.place = cues::Place{cues::Place::Unit::canvas_px, {10, 20, 640, 360}, {}};
  CHECK(changed([](Region one) { one.canvas_px = {10, 20, 640, 360}; }) == expected);
  expected = {};
  expected.view_px = RectF{160, 90, 320, 180};
  CHECK(changed([](Region one) {
          one.view = scene::ViewPath{{0, 0, 640, 360}, {160, 90, 320, 180}, {}, Nanos(1)};
        }) == expected);
  expected = {};
  expected.fit = "cover";
  CHECK(changed([](Region one) { one.fit = scene::FitMode::cover; }) == expected);
  expected = {};
  expected.opacity = 0.25;
  CHECK(changed([](Region one) { one.opacity = {1, 0.25, {}, Nanos(1)}; }) == expected);
  expected = {};
  expected.blend = "difference";
  CHECK(changed([](Region one) { one.blend = scene::BlendMode::difference; }) == expected);
  expected = {};
  expected.difference_gain = 4;
  CHECK(changed([](Region one) { one.difference_gain = 4; }) == expected);
  expected = {};
  expected.group = "left";
  CHECK(changed([](Region one) { one.group = "left"; }) == expected);
}

TEST_CASE("what holds for the whole wall goes into the cue where it differs", "[cues]") {
  CueOnWall shown;
  shown.wall.audio_gain = 0.5;
  shown.wall.muted = true;
  shown.wall.bezels = wall::BezelMode::hide;
  auto made = shown.revision();
  REQUIRE(made);
  CHECK(made->entry.volume == 0.5);
  CHECK(made->cue.volume == 0.5);
  CHECK(made->entry.mute == true);
  CHECK(made->entry.bezels == "hide");
  CHECK_FALSE(made->entry.black);
  CHECK_FALSE(made->entry.content);
  CHECK(made->entry.regions.empty());
  shown.cue.state.volume = 0.5;
  shown.cue.state.muted = true;
  shown.cue.state.bezels = wall::BezelMode::hide;
  CHECK_FALSE(shown.revision());
  shown.wall.blank = true;
  made = shown.revision();
  REQUIRE(made);
  CHECK(made->entry.black == true);
}

TEST_CASE("regions that came or went are named with all that they have", "[cues]") {
  CueOnWall shown;
  scene::Region added = shown.region();
  added.name = "side";
  added.source = CueOnWall::movie({"b.mp4"});
  added.canvas_px = {640, 0, 640, 720};
  added.opacity = scene::OpacityPath::at_rest(0.5);
  shown.wall.regions.push_back(added);
  cues::RegionEntry entry = shown.entry();
  CHECK(entry.name == "side");
  CHECK(entry.inputs == std::vector<std::string>{"b.mp4"});
  REQUIRE(entry.place);
  CHECK(entry.place->rect == RectF{640, 0, 640, 720});
  CHECK(entry.fit == "contain");
  CHECK(entry.opacity == 0.5);
  CHECK(entry.blend == "over");
  CHECK(entry.fps == Rational{24, 1});
  CHECK(entry.out == 47);
  shown.wall.regions.back().source = CueOnWall::movie({});
  CHECK_THROWS_WITH(shown.revision(),
                    "cue update: region side: expected a source that a show file can name, found "
                    "one whose input is not known");
  shown.wall.regions.clear();
  entry = shown.entry();
  CHECK(entry.remove);
  CHECK(entry.name == "main");
}
