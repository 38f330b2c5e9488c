// The regions of a scene that goes to a cue: which go on, which begin, which fade away.
#include "player/director/changes/cue_regions.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/director/changes/scene_change.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace std::chrono_literals;
using cues::CueState;
using cues::RegionState;
using cues::Transition;

namespace {

constexpr GlobalInstant shown_at{1000s};
constexpr SizePx canvas_px{1600, 900};

scene::SourcePtr movie(const std::string& path, std::int64_t frames = 240) {
  scene::SourceSpec source;
  source.kind = scene::SourceKind::movie;
  source.path = path;
  source.size_px = {640, 360};
  source.frames = frames;
  source.fps = {24, 1};
  return std::make_shared<const scene::SourceSpec>(source);
}

RegionState state(const std::string& name, const scene::SourcePtr& source, std::size_t begun_by) {
  RegionState state;
  state.name = name;
  state.source = source;
  state.play.end = source->frames;
  state.begun_by = begun_by;
  return state;
}

CueState wall_with(std::vector<RegionState> regions) {
  CueState wall;
  wall.regions = std::move(regions);
  return wall;
}

/// The wall at `start`, in the state of a first cue.
scene::Scene scene_in(const CueState& state) {
  CueChange change;
  change.after = state;
  change.canvas_px = canvas_px;
  scene::Scene scene;
  scene.regions = cue_regions(scene, change, shown_at);
  scene.bezels = state.bezels;
  scene.content = state.content;
  return scene;
}

CueChange change_to(const CueState& before, const CueState& after, Transition transition) {
  CueChange change;
  change.before = before;
  change.after = after;
  change.transition = transition;
  change.canvas_px = canvas_px;
  return change;
}

}  // namespace

TEST_CASE("a region without a place covers the canvas, and plays from its start", "[cues]") {
  RegionState main = state("main", movie("a"), 0);
  main.play.start = 30;
  main.play.first = 24;
  main.play.end = 48;
  main.play.loop = sync::LoopMode::loop;
  main.play.rounds = 2;
  const scene::Scene scene = scene_in(wall_with({main}));
  const scene::Region& region = scene.regions.at(0);
  CHECK(region.canvas_px == RectF{0, 0, 1600, 900});
  CHECK(region.timeline.start == shown_at);
  CHECK(region.timeline.start_frame == 30);
  CHECK(region.timeline.first_frame == 24);
  CHECK(region.timeline.end_frame == 48);
  CHECK(region.timeline.tick_limit == 48);
}

TEST_CASE("a region that both cues have goes on with the same timeline", "[cues]") {
  const CueState first = wall_with({state("main", movie("a"), 0)});
  CueState second = wall_with({state("main", movie("a"), 0), state("title", movie("b"), 1)});
  second.regions[0].canvas_px = {0, 0, 800, 900};
  const scene::Scene before = scene_in(first);
  const auto regions = cue_regions(before, change_to(first, second, {}), shown_at + 5s);
  REQUIRE(regions.size() == 2);
  CHECK(regions[0].timeline == before.regions[0].timeline);
  CHECK(regions[0].source == before.regions[0].source);  // the panels know it by this pointer
  CHECK(regions[0].canvas_px == RectF{0, 0, 800, 900});
  CHECK(regions[1].timeline.start == shown_at + 5s);
}

TEST_CASE("a region that a cue begins anew starts again in its place", "[cues]") {
  const CueState first = wall_with({state("main", movie("a"), 0)});
  const CueState second = wall_with({state("main", movie("a"), 1)});
  const scene::Scene before = scene_in(first);
  const auto regions =
      cue_regions(before, change_to(first, second, {Transition::Kind::fade, 2}), shown_at + 5s);
  REQUIRE(regions.size() == 1);
  CHECK(regions[0].timeline.start == shown_at + 5s);
  CHECK(regions[0].opacity == scene::OpacityPath::at_rest(1));
}

TEST_CASE("a cut shows the second cue alone", "[cues]") {
  const CueState first = wall_with({state("main", movie("a"), 0), state("side", movie("c"), 0)});
  const CueState second = wall_with({state("main", movie("b"), 1)});
  const auto regions = cue_regions(scene_in(first), change_to(first, second, {}), shown_at + 5s);
  REQUIRE(regions.size() == 1);
  CHECK(regions[0].source->path == "b");
  CHECK_FALSE(regions[0].glides_until());
}

TEST_CASE("a fade lets the new region appear over the old one", "[cues]") {
  const CueState first = wall_with({state("main", movie("a"), 0), state("side", movie("c"), 0)});
  CueState second = wall_with({state("main", movie("b"), 1)});
  second.regions[0].canvas_px = {0, 0, 1600, 900};
  scene::Scene before = scene_in(first);
  before.regions[1].canvas_px = {1500, 0, 200, 900};  // the new one does not hide all of it
  const auto regions =
      cue_regions(before, change_to(first, second, {Transition::Kind::fade, 2}), shown_at + 5s);
  REQUIRE(regions.size() == 3);
  CHECK(regions[0].source->path == "a");
  CHECK(regions[0].leaves_at == shown_at + 7s);
  CHECK(regions[0].opacity == scene::OpacityPath::at_rest(1));  // hidden by what appears
  CHECK(regions[0].timeline == before.regions[0].timeline);
  CHECK(regions[1].source->path == "c");
  CHECK(regions[1].opacity == scene::OpacityPath{1, 0, shown_at + 5s, 2s});
  CHECK(regions[2].name == "main");
  CHECK(regions[2].opacity == scene::OpacityPath{0, 1, shown_at + 5s, 2s});
  CHECK(regions[2].timeline.start == shown_at + 5s);
}

TEST_CASE("through black, one half is for what leaves and one for what appears", "[cues]") {
  const CueState first = wall_with({state("main", movie("a"), 0)});
  const CueState second = wall_with({state("main", movie("b"), 1)});
  const auto regions =
      cue_regions(scene_in(first), change_to(first, second, {Transition::Kind::through_black, 2}),
                  shown_at + 5s);
  REQUIRE(regions.size() == 2);
  CHECK(regions[0].opacity == scene::OpacityPath{1, 0, shown_at + 5s, 1s});
  CHECK(regions[0].leaves_at == shown_at + 6s);
  CHECK(regions[1].opacity == scene::OpacityPath{0, 1, shown_at + 6s, 1s});
  CHECK(regions[1].timeline.start == shown_at + 6s);
}

TEST_CASE("black appears above all and leaves above all", "[cues]") {
  const CueState first = wall_with({state("main", movie("a"), 0)});
  CueState second = first;
  second.black = true;
  scene::Scene scene = scene_in(first);
  const Transition fade{Transition::Kind::fade, 1};
  scene.regions = cue_regions(scene, change_to(first, second, fade), shown_at + 5s);
  REQUIRE(scene.regions.size() == 2);
  CHECK(scene.regions[1].name == black_region);
  CHECK(scene.regions[1].opacity == scene::OpacityPath{0, 1, shown_at + 5s, 1s});
  CHECK(scene.regions[1].timeline.start == shown_at + 5s);
  scene.regions = cue_regions(scene, change_to(second, first, fade), shown_at + 8s);
  REQUIRE(scene.regions.size() == 2);
  CHECK(scene.regions[0].name == "main");
  CHECK(scene.regions[1].source->path == "black");
  CHECK(scene.regions[1].opacity == scene::OpacityPath{1, 0, shown_at + 8s, 1s});
  CHECK(scene.regions[1].leaves_at == shown_at + 9s);
}

TEST_CASE("what is already leaving goes on leaving, and regions of others stay on top", "[cues]") {
  const CueState first = wall_with({state("main", movie("a"), 0)});
  const CueState second = wall_with({state("main", movie("b"), 1)});
  const CueState third = wall_with({state("main", movie("c"), 2)});
  scene::Scene scene = scene_in(first);
  const Transition fade{Transition::Kind::fade, 4};
  scene.regions = cue_regions(scene, change_to(first, second, fade), shown_at + 5s);
  scene::Region guest = scene.regions.back();
  guest.name = "guest";
  guest.owner = "anna";
  guest.opacity = {};
  scene.regions.push_back(guest);
  scene.regions = cue_regions(scene, change_to(second, third, fade), shown_at + 6s);
  REQUIRE(scene.regions.size() == 4);
  CHECK(scene.regions[0].leaves_at == shown_at + 9s);
  CHECK(scene.regions[1].leaves_at == shown_at + 10s);
  CHECK(scene.regions[0].name != scene.regions[1].name);
  CHECK(scene.regions[2].source->path == "c");
  CHECK(scene.regions[3].name == "guest");
}

TEST_CASE("a view and an opacity glide to what a cue sets of a region that goes on", "[cues]") {
  const CueState first = wall_with({state("main", movie("a"), 0)});
  CueState second = first;
  second.regions[0].glide_s = 3;
  second.regions[0].view_px = RectF{0, 0, 320, 180};
  second.regions[0].opacity = 0.5;
  const auto regions = cue_regions(scene_in(first), change_to(first, second, {}), shown_at + 5s);
  REQUIRE(regions.size() == 1);
  CHECK(regions[0].opacity == scene::OpacityPath{1, 0.5, shown_at + 5s, 3s});
  REQUIRE(regions[0].view);
  CHECK(regions[0].view->from_px == RectF{0, 0, 640, 360});
  CHECK(regions[0].view->to_px == RectF{0, 0, 320, 180});
  CHECK(regions[0].view->end() == shown_at + 8s);
}

TEST_CASE("a comparison shows a second movie in step with the first", "[cues]") {
  CueState state_of = wall_with({state("main", movie("a"), 0)});
  state_of.compare =
      cues::CompareSetting{scene::CompareMode::side_by_side, movie("b", 100), 0.5, 1};
  const scene::Scene scene = scene_in(state_of);
  REQUIRE(scene.regions.size() == 2);
  CHECK(scene.regions[0].canvas_px == RectF{0, 0, 800, 900});
  CHECK(scene.regions[1].canvas_px == RectF{800, 0, 800, 900});
  CHECK(scene.regions[1].source->path == "b");
  CHECK(scene.regions[1].timeline.end_frame == 100);
  CHECK(scene.regions[1].timeline.start == scene.regions[0].timeline.start);
  const auto again = cue_regions(scene, change_to(state_of, state_of, {}), shown_at + 5s);
  CHECK(again[1].timeline == scene.regions[1].timeline);
}

TEST_CASE("movies end when the last of them has shown its last frame", "[cues]") {
  RegionState still = state("still", movie("s", 1), 0);
  const scene::Scene scene =
      scene_in(wall_with({state("main", movie("a", 48), 0), state("b", movie("b", 24), 0), still}));
  CHECK(movies_end(scene.regions) == shown_at + 2s);
  RegionState endless = state("main", movie("a", 48), 0);
  endless.play.loop = sync::LoopMode::loop;
  CHECK_FALSE(movies_end(scene_in(wall_with({endless})).regions));
}

TEST_CASE("a long name is cut between letters where its region leaves", "[cues]") {
  std::string name = "x";
  for (int i = 0; i < 31; ++i) name += "\xc3\xa9";  // letters of two bytes
  const CueState before = wall_with({state(name, movie("a"), 0)});
  const CueState after = wall_with({state("main", movie("b"), 1)});
  const scene::Scene scene = scene_in(before);
  const auto regions =
      cue_regions(scene, change_to(before, after, {Transition::Kind::fade, 1}), shown_at + 5s);
  REQUIRE(regions.size() == 2);
  CHECK(nlohmann::json(regions[0].name).dump().size() > 40);  // it throws for half a letter
}

TEST_CASE("a region that a cue begins has all that the cue says of it", "[cues]") {
  RegionState volume = state("main", movie("a"), 0);
  render::VolumeCamera camera;
  camera.eye = {1, 2, 3};
  volume.look = scene::VolumeLook{scene::CameraPath::at_rest(camera), {}};
  volume.view_px = RectF{10, 20, 320, 180};
  volume.opacity = 0.25;
  volume.group = "pair";
  volume.slate = "not there";
  volume.play.speed = {2, 1};
  volume.play.fps = {12, 1};
  const scene::Region region = scene_in(wall_with({volume})).regions.at(0);
  REQUIRE(region.look);
  CHECK(region.look->camera.to == camera);
  REQUIRE(region.view);
  CHECK(region.view->to_px == RectF{10, 20, 320, 180});
  CHECK(region.opacity == scene::OpacityPath::at_rest(0.25));
  CHECK(region.group == "pair");
  CHECK(region.slate == "not there");
  CHECK(region.speed == Rational{2, 1});
  CHECK(region.base_fps == Rational{12, 1});
}
