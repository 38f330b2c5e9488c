// What of a scene is heard.

#include "player/sound/scene_sound.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::scene;
using namespace tilewall::sound;
using namespace std::chrono_literals;

namespace {

constexpr GlobalInstant start{1000s};

SourceSpec movie(const std::string& audio, std::int64_t frames, Rational fps) {
  SourceSpec source;
  source.kind = SourceKind::movie;
  source.path = "/movie";
  source.size_px = {64, 48};
  source.frames = frames;
  source.fps = fps;
  source.audio = audio;
  return source;
}

Region region_of(SourceSpec source) {
  Region region;
  region.source = std::make_shared<const SourceSpec>(std::move(source));
  region.timeline.start = start;
  region.timeline.rate_fps = region.source->fps;
  region.timeline.end_frame = region.source->frames;
  return region;
}

Scene scene_of(std::vector<Region> regions) {
  Scene scene;
  scene.epoch = 3;
  scene.since = start;
  scene.regions = std::move(regions);
  return scene;
}

}  // namespace

TEST_CASE("the first region that has sound is heard, from when the scene takes effect", "[sound]") {
  PcmStore store;
  SceneSound sounds(store);
  const SoundScene sound = sounds
                               .of(scene_of({region_of(movie("", 240, {24, 1})),
                                             region_of(movie("/a.wav", 240, {24, 1})),
                                             region_of(movie("/b.wav", 240, {24, 1}))}))
                               .front();
  CHECK(sound.from == start);
  CHECK(sound.epoch == 3);
  const SoundPiece piece = sound.timeline.piece_at(start + 1s);
  REQUIRE(piece.audible());
  CHECK(store.path(piece.file) == "/a.wav");
  CHECK(piece.due_s(start + 1s) == Approx(1));
}

TEST_CASE("a scene without sound is silent", "[sound]") {
  PcmStore store;
  const SoundScene sound =
      SceneSound(store).of(scene_of({region_of(movie("", 240, {24, 1}))})).front();
  CHECK_FALSE(sound.timeline.piece_at(start + 1s).audible());
}

TEST_CASE("volume is the scene's, and nothing of it while it is muted", "[sound]") {
  PcmStore store;
  SceneSound sounds(store);
  Scene scene = scene_of({region_of(movie("/a.wav", 240, {24, 1}))});
  scene.audio_gain = 1.5;
  CHECK(sounds.of(scene).front().gain == 1.5);
  scene.muted = true;
  CHECK(sounds.of(scene).front().gain == 0.0);
}

TEST_CASE("a playlist's items are heard in their parts and rounds, at their own rates", "[sound]") {
  PcmStore store;
  SceneSound sounds(store);
  const auto quick = std::make_shared<const SourceSpec>(movie("/quick.wav", 100, {25, 1}));
  const auto slow = std::make_shared<const SourceSpec>(movie("/slow.wav", 100, {10, 1}));
  const SourceSpec list = make_playlist({{quick, 0, 50, 1, 0}, {slow, 20, 40, 2, 0}});
  const SoundScene sound = sounds.of(scene_of({region_of(list)})).front();
  const SoundPiece first = sound.timeline.piece_at(start + 1s);
  CHECK(store.path(first.file) == "/quick.wav");
  CHECK(first.until == start + 2s);
  const SoundPiece second = sound.timeline.piece_at(start + 3s);
  CHECK(store.path(second.file) == "/slow.wav");
  CHECK(second.speed == 1.0);
  CHECK(second.due_s(start + 3s) == Approx(3));
  CHECK(second.until == start + 4s);
  CHECK(sound.timeline.piece_at(start + 5s).due_s(start + 5s) == Approx(3));
  CHECK_FALSE(sound.timeline.piece_at(start + 6s).audible());
}

TEST_CASE("where one region fades over to another, each is heard for half of the time", "[sound]") {
  PcmStore store;
  SceneSound sounds(store);
  Region before = region_of(movie("/a.wav", 240, {24, 1}));
  Region after = region_of(movie("/b.wav", 240, {24, 1}));
  before.leaves_at = start + 2s;
  after.opacity = {0, 1, start, 2s};
  SoundPlan plan;
  for (SoundScene& sound : sounds.of(scene_of({before, after}))) plan.add(std::move(sound));
  const auto heard = [&](GlobalInstant at) { return store.path(plan.piece_at(at).file); };
  CHECK(heard(start) == "/a.wav");
  CHECK(heard(start + 900ms) == "/a.wav");
  CHECK(heard(start + 1100ms) == "/b.wav");
  CHECK(plan.gain_at(start) == Approx(1));
  CHECK(plan.gain_at(start + 500ms) == Approx(0.5));
  CHECK(plan.gain_at(start + 1s) == Approx(0));
  CHECK(plan.gain_at(start + 1500ms) == Approx(0.5));
  CHECK(plan.gain_at(start + 2s) == Approx(1));
}

TEST_CASE("through black, the sounds fade with their pictures", "[sound]") {
  PcmStore store;
  SceneSound sounds(store);
  Region before = region_of(movie("/a.wav", 240, {24, 1}));
  Region after = region_of(movie("/b.wav", 240, {24, 1}));
  before.opacity = {1, 0, start, 1s};
  before.leaves_at = start + 1s;
  after.opacity = {0, 0.5, start + 1s, 1s};
  SoundPlan plan;
  for (SoundScene& sound : sounds.of(scene_of({before, after}))) plan.add(std::move(sound));
  CHECK(store.path(plan.piece_at(start + 900ms).file) == "/a.wav");
  CHECK(plan.gain_at(start + 900ms) == Approx(0.1));
  CHECK(store.path(plan.piece_at(start + 1s).file) == "/b.wav");
  CHECK(plan.gain_at(start + 1s) == Approx(0));
  CHECK(plan.gain_at(start + 2s) == Approx(1));
}

TEST_CASE("panic silences the wall", "[sound]") {
  PcmStore store;
  SceneSound sounds(store);
  Scene scene = scene_of({region_of(movie("/a.wav", 240, {24, 1}))});
  scene.panic = true;
  CHECK(sounds.of(scene).front().gain == 0.0);
}
