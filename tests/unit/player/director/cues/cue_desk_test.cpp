// Which cue a command goes to, which one follows, and what is told about it.
#include "player/director/cues/cue_desk.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

constexpr GlobalInstant start{1000s};

cues::Cue cue_with(const std::string& name, const std::string& path) {
  scene::SourceSpec source;
  source.kind = scene::SourceKind::movie;
  source.path = path;
  source.size_px = {640, 360};
  source.frames = 48;
  cues::Cue cue;
  cue.name = name;
  cues::RegionSetting region;
  region.name = "main";
  region.source = std::make_shared<const scene::SourceSpec>(source);
  region.play = cues::PlayState{};
  region.play->end = 48;
  cue.regions = {region};
  return cue;
}

/// Cues a, b, c, with numbers 1, 2, 12.5.
CueShow three_cues() {
  CueShow show;
  show.list.cues = {cue_with("a", "/a"), cue_with("b", "/b"), cue_with("c", "/c")};
  show.list.cues[0].number = "1";
  show.list.cues[1].number = "2";
  show.list.cues[2].number = "12.5";
  return show;
}

/// A show in the first cue since `start`.
struct Show {
  explicit Show(CueShow cues = three_cues()) : desk(wall, std::move(cues)) {
    scene = desk.first_scene({}, 0);
    scene.since = scene.cue->since = start;
    for (scene::Region& region : scene.regions) region.timeline.start = start;
  }

  /// Executes a command, which takes effect at `at`.
  void execute(const std::optional<CueDesk::CueCommand>& command, GlobalInstant at) {
    REQUIRE(command);
    SceneChange change(scene, at, Nanos(0));
    command->apply(change);
    scene = change.finish();
  }
  void ask(const Json& request, GlobalInstant at) {
    execute(desk.command_of(request, scene, at), at);
  }
  void press(present::OperatorKey key, GlobalInstant at) {
    execute(desk.command_of_key(key, scene, at), at);
  }
  [[nodiscard]] const std::string& cue() const { return scene.cue->cue; }
  [[nodiscard]] const std::string& path() const { return scene.regions.at(0).source->path; }

  wall::Wall wall = wall::scaled_wall_5x3(SizePx{1600, 900});
  CueDesk desk;
  scene::Scene scene;
};

}  // namespace

TEST_CASE("next, previous and goto go through the cues", "[cues]") {
  Show show;
  CHECK(show.cue() == "a");
  show.ask({{"type", "next"}}, start + 2s);
  CHECK(show.cue() == "b");
  CHECK(show.path() == "/b");
  show.ask({{"type", "goto"}, {"name", "c"}}, start + 3s);
  CHECK(show.path() == "/c");
  CHECK_THROWS_WITH(show.desk.command_of({{"type", "next"}}, show.scene, start + 9s),
                    Catch::Contains("the last one, c"));
  show.ask({{"type", "previous"}}, start + 4s);
  CHECK(show.cue() == "b");
  show.ask({{"type", "goto"}, {"item", 1}}, start + 5s);
  CHECK(show.cue() == "a");
  CHECK_THROWS_AS(show.desk.command_of({{"type", "previous"}}, show.scene, start + 9s), InputError);
}

TEST_CASE("a goto to a cue that does not exist is refused", "[cues]") {
  Show show;
  CHECK_THROWS_WITH(
      show.desk.command_of({{"type", "goto"}, {"name", "bb"}}, show.scene, start + 1s),
      Catch::Contains("bb"));
}

TEST_CASE("two people who go on at once, and a key that bounces, go on once", "[cues]") {
  Show show;
  const Json next = {{"type", "next"}};
  const auto first = show.desk.command_of(next, show.scene, start + 1s);
  const auto second = show.desk.command_of(next, show.scene, start + 1s);
  show.execute(first, start + 1100ms);
  show.execute(second, start + 1100ms);
  CHECK(show.cue() == "b");
  show.ask(next, start + 1300ms);  // 200 ms after b began
  CHECK(show.cue() == "b");
  show.ask(next, start + 1500ms);
  CHECK(show.cue() == "c");
}

TEST_CASE("a go that names the cue on the wall changes nothing", "[cues]") {
  Show show;
  show.ask({{"type", "next"}, {"cue", "b"}}, start + 2s);
  const sync::Timeline line = show.scene.regions[0].timeline;
  show.ask({{"type", "next"}, {"cue", "b"}}, start + 4s);
  CHECK(show.cue() == "b");
  CHECK(show.scene.regions[0].timeline == line);
}

TEST_CASE("page keys go on and back, and a typed number goes to its cue", "[cues]") {
  using present::OperatorKey;
  Show show;
  show.press(OperatorKey::forward_far, start + 1s);
  CHECK(show.cue() == "b");
  show.press(OperatorKey::back_far, start + 2s);
  CHECK(show.cue() == "a");
  for (const OperatorKey key : {OperatorKey::less_contrast, OperatorKey::more_contrast,
                                OperatorKey::step_forward, OperatorKey::fainter})
    show.press(key, start + 3s);
  REQUIRE(show.scene.hint);
  CHECK(show.scene.hint->text == "cue 12.5");
  show.press(OperatorKey::enter, start + 4s);
  CHECK(show.cue() == "c");
  show.press(OperatorKey::darker, start + 5s);
  show.press(OperatorKey::enter, start + 6s);
  CHECK(show.cue() == "c");
  CHECK(show.scene.hint->text == "no cue 3");
}

TEST_CASE("panic blackens, and resume goes on in step with time", "[cues]") {
  Show show;
  const sync::Timeline line = show.scene.regions[0].timeline;
  show.ask({{"type", "panic"}}, start + 1s);
  CHECK(show.scene.is_black());
  show.ask({{"type", "resume"}}, start + 2s);
  CHECK_FALSE(show.scene.is_black());
  CHECK(show.scene.regions[0].timeline == line);
}

TEST_CASE("freeze keeps a picture while time goes on", "[cues]") {
  Show show;
  const sync::Timeline line = show.scene.regions[0].timeline;
  show.ask({{"type", "freeze"}, {"on", true}}, start + 1s);
  CHECK(show.scene.pictured_at(start + 9s) == start + 1s);
  CHECK(show.scene.tick_grid.paused());
  show.ask({{"type", "freeze"}, {"on", false}}, start + 1500ms);
  CHECK_FALSE(show.scene.frozen_at);
  CHECK(show.scene.regions[0].timeline == line);
  CHECK_FALSE(show.scene.tick_grid.paused());
}

TEST_CASE("a cue follows at its instant, once", "[cues]") {
  CueShow cues = three_cues();
  cues.list.cues[1].follow = cues::Follow{cues::Follow::Kind::after, 5};
  cues.list.cues[2].follow = cues::Follow{cues::Follow::Kind::at_end, 0};
  Show show(cues);
  const CueTime early{start + 2s, {}};
  CHECK_FALSE(show.desk.follow(show.scene, early, 100ms));  // the first cue waits for its operator
  show.ask({{"type", "next"}}, start + 2s);
  // It is due at 7 s, and asked for 50 ms and the lead before.
  CHECK_FALSE(show.desk.follow(show.scene, {start + 6850ms - 1ns, {}}, 100ms));
  const auto command = show.desk.follow(show.scene, {start + 6850ms, {}}, 100ms);
  REQUIRE(command);
  CHECK(command->at == start + 7s);
  CHECK_FALSE(show.desk.follow(show.scene, {start + 6960ms, {}}, 100ms));
  show.execute(CueDesk::CueCommand{command->apply}, start + 7s);
  CHECK(show.cue() == "c");
  const Json status = show.desk.status(show.scene, {start + 8s, {}});
  CHECK(status.at("follows_in_s") == 1.0);  // 48 frames at 24 a second, since 1 s ago
  CHECK_FALSE(show.desk.follow(show.scene, {start + 9s, {}}, 100ms));  // it is the last one
}

TEST_CASE("a go waits until panels are ready for its cue, and not for ever", "[cues]") {
  Show show;
  CHECK(show.desk.wanted(show.scene) == 1);
  const auto next = show.desk.command_of({{"type", "next"}}, show.scene, start + 1s);
  show.desk.note_armed(1, false);
  CHECK_FALSE(next->ready(start + 1s));
  show.desk.note_armed(1, true);
  CHECK(next->ready(start + 1s));
  const auto jump = show.desk.command_of({{"type", "goto"}, {"name", "c"}}, show.scene, start + 2s);
  CHECK_FALSE(jump->ready(start + 2s));  // panels are ready for another one
  CHECK(show.desk.wanted(show.scene) == 2);
  CHECK_FALSE(jump->ready(start + 6s));
  CHECK(jump->ready(start + 7100ms));
  show.execute(jump, start + 8s);
  CHECK(show.cue() == "c");
  CHECK_FALSE(show.desk.wanted(show.scene));  // the last one
}

TEST_CASE("a newer goto takes the place of one that still waits", "[cues]") {
  Show show;
  const auto two = show.desk.command_of({{"type", "goto"}, {"name", "b"}}, show.scene, start + 1s);
  show.desk.note_armed(std::nullopt, false);
  CHECK_FALSE(two->ready(start + 1s));
  const auto three =
      show.desk.command_of({{"type", "goto"}, {"name", "c"}}, show.scene, start + 2s);
  for (const auto at : {2s, 3s, 4s}) {
    CHECK(two->ready(start + at));  // so that it is answered
    CHECK_FALSE(three->ready(start + at));
    CHECK(show.desk.wanted(show.scene) == 2);
  }
  show.execute(two, start + 4s);
  CHECK(show.cue() == "a");
  CHECK(three->ready(start + 7100ms));
  show.execute(three, start + 8s);
  CHECK(show.cue() == "c");
}

TEST_CASE("no cue follows while another one is awaited", "[cues]") {
  CueShow cues = three_cues();
  cues.list.cues[0].follow = cues::Follow{cues::Follow::Kind::after, 2};
  Show show(cues);
  const auto three =
      show.desk.command_of({{"type", "goto"}, {"name", "c"}}, show.scene, start + 1s);
  CHECK_FALSE(three->ready(start + 1s));
  CHECK_FALSE(show.desk.follow(show.scene, {start + 2s, {}}, 100ms));
}

TEST_CASE("cues are gone to at once where panels need not be ready", "[cues]") {
  Show show;
  show.desk.go_unarmed();
  CHECK(show.desk.command_of({{"type", "next"}}, show.scene, start + 1s)->ready(start + 1s));
}

TEST_CASE("the scene to get ready for begins its movies at no instant yet", "[cues]") {
  Show show;
  const scene::Scene next = show.desk.scene_to_arm(1, show.scene);
  CHECK(next.since == scene::never);
  CHECK(next.regions.at(0).source->path == "/b");
  CHECK(next.regions.at(0).timeline.start == scene::never);
  CHECK(next.regions.at(0).source == show.desk.list().cues[1].regions[0].source);
}

TEST_CASE("panels can read the scene to get ready for, whatever the transition", "[cues]") {
  CueShow cues = three_cues();
  cues.list.cues[1].regions[0].name = "other";
  cues.list.cues[1].transition = {cues::Transition::Kind::fade, 2};
  cues.list.cues[1].black = true;
  const bool goes_on = GENERATE(false, true);
  cues::RegionSetting gone;
  gone.name = "main";
  gone.removed = true;
  if (!goes_on) cues.list.cues[1].regions.push_back(gone);
  Show show(cues);
  const scene::Scene next = show.desk.scene_to_arm(1, show.scene);
  scene::SourceCatalogue sources;
  scene::ReceivedSources received;
  const Json json = scene::to_json(next, sources);
  for (const scene::SourcePtr& source : scene::sources_of(next))
    for (const Json& message : sources.messages(sources.id_of(source))) received.take(message);
  const scene::Scene read = scene::scene_from_json(json, received);
  REQUIRE(read.regions.size() == (goes_on ? 3 : 2));
  CHECK(read.regions[goes_on].name == "other");
  CHECK(read.regions[goes_on].opacity.at(scene::never) == 1);
}

TEST_CASE("panels get ready for the pictures of a cue while the wall is black", "[cues]") {
  Show show;
  show.ask({{"type", "panic"}}, start + 1s);
  CHECK_FALSE(show.desk.scene_to_arm(1, show.scene).is_black());
}

TEST_CASE("somebody who is not the operator changes nothing about a go that waits", "[cues]") {
  Show show;
  const auto two = show.desk.command_of({{"type", "next"}}, show.scene, start + 1s);
  CHECK_THROWS_AS(
      show.desk.command_of({{"type", "goto"}, {"name", "c"}, {"as", "anna"}}, show.scene, start),
      InputError);
  show.execute(two, start + 2s);
  CHECK(show.cue() == "b");
}

TEST_CASE("a section that loops begins again, with its movies", "[cues]") {
  CueShow cues = three_cues();
  cues.list.sections = {{"kiosk", true, 2}};
  cues.list.cues[0].section = cues.list.cues[1].section = "kiosk";
  Show show(cues);
  show.ask({{"type", "next"}}, start + 1s);
  show.ask({{"type", "next"}}, start + 2s);
  CHECK(show.cue() == "a");
  CHECK(show.scene.cue->rounds == 1);
  CHECK(show.scene.regions[0].timeline.start == start + 2s);
  show.ask({{"type", "next"}}, start + 3s);
  show.ask({{"type", "next"}}, start + 4s);
  CHECK(show.cue() == "c");  // two rounds are over
}

TEST_CASE("the status tells where the presentation stands", "[cues]") {
  CueShow cues = three_cues();
  cues.list.name = "Tour";
  cues.list.cues[0].follow = cues::Follow{cues::Follow::Kind::after, 10};
  Show show(cues);
  const Json status = show.desk.status(show.scene, {start + 4s, {}});
  CHECK(status.at("show") == "Tour");
  CHECK(status.at("name") == "a");
  CHECK(status.at("number") == "1");
  CHECK(status.at("for_s") == 4.0);
  CHECK(status.at("follows_in_s") == 6.0);
  CHECK(status.at("next").at("name") == "b");
  CHECK(status.at("cues") == 3);
}

TEST_CASE("a list that lacks the cue on the wall is refused", "[cues]") {
  Show show;
  cues::CueList other = show.desk.list();
  other.cues.erase(other.cues.begin());
  CHECK_THROWS_AS(show.desk.replace(other, show.scene), InputError);
  CHECK(show.desk.list().cues.size() == 3);
}

TEST_CASE("a show without cues leaves next and previous to playlists", "[cues]") {
  const wall::Wall wall = wall::scaled_wall_5x3(SizePx{1600, 900});
  CueDesk desk(wall, {});
  CHECK_FALSE(desk.command_of({{"type", "next"}}, {}, start));
  CHECK(desk.command_of({{"type", "panic"}}, {}, start));
  CHECK_THROWS_AS(desk.command_of({{"type", "cue"}, {"verb", "arm"}, {"cue", "a"}}, {}, start),
                  InputError);
}

TEST_CASE("the desk tells when a cue was asked for, and when the last one is over", "[cues]") {
  CueShow cues = three_cues();
  cues.list.cues[0].follow = cues::Follow{cues::Follow::Kind::after, 4};
  cues.list.cues[2].follow = cues::Follow{cues::Follow::Kind::after, 2};
  Show show(std::move(cues));
  show.desk.go_unarmed();
  CHECK_FALSE(show.desk.asked_at());
  const CueTime now{start + 4s, {}};
  auto follows = show.desk.follow(show.scene, now, Nanos(0));
  REQUIRE(follows);
  REQUIRE(follows->ready(start + 4s + 10ms));
  CHECK(show.desk.asked_at() == start + 4s);  // its own instant, though panels needed 10 ms more

  const auto command = show.desk.command_of({{"type", "goto"}, {"name", "c"}}, show.scene, start);
  REQUIRE(command);
  REQUIRE(command->ready(start + 5s));
  REQUIRE(command->ready(start + 6s));
  CHECK(show.desk.asked_at() == start + 5s);
  CHECK_FALSE(show.desk.ends_at(show.scene, now));
  show.execute(command, start + 7s);
  CHECK(show.desk.ends_at(show.scene, now) == start + 9s);
}

TEST_CASE("a list that is loaded tells what is missing by its placeholders", "[cues]") {
  CueShow cues = three_cues();
  cues.missing = {{"b", "main", "b.mp4: no such file"}};
  Show show(std::move(cues));
  CHECK(show.desk.missing_of("a").empty());
  REQUIRE(show.desk.missing_of("b").size() == 1);
  CHECK(show.desk.missing_of("b")[0].why == "b.mp4: no such file");
  cues::CueList list = three_cues().list;
  list.cues[2].regions[0].slate = "c.mp4\nis missing";
  show.desk.replace(std::move(list), show.scene);
  CHECK(show.desk.missing_of("b").empty());
  REQUIRE(show.desk.missing_of("c").size() == 1);
  CHECK(show.desk.missing_of("c")[0].why == "c.mp4 is missing");
}

TEST_CASE("another show comes with its first picture, and not before", "[cues]") {
  Show show;
  show.ask({{"type", "goto"}, {"name", "b"}}, start + 1s);
  cues::CueList other;
  other.cues = {cue_with("x", "/x"), cue_with("b", "/other")};
  const std::uint64_t before = show.desk.edition();
  const CueDesk::CueCommand load = show.desk.load(other, 1);
  CHECK(show.desk.edition() > before);  // panels get ready for it
  CHECK(show.desk.wanted(show.scene) == 1);
  CHECK(show.desk.name_to_arm(1) == "b");
  CHECK(show.desk.scene_to_arm(1, show.scene).regions.at(0).source->path == "/other");
  CHECK(show.desk.list().cues.size() == 3);  // the wall is still in its own show
  CHECK(show.desk.next(show.scene) == 2);
  CHECK_FALSE(load.ready(start + 2s));
  show.desk.note_armed(1, true);
  CHECK(load.ready(start + 2s));
  show.execute(load, start + 3s);
  CHECK(show.desk.list().cues.size() == 2);
  CHECK(show.path() == "/other");  // although the cue has the name of the one before
  CHECK(show.cue() == "b");
  CHECK_FALSE(show.desk.is_loading());
}

TEST_CASE("who goes to a cue while another show is awaited stays in this one", "[cues]") {
  Show show;
  cues::CueList other;
  other.cues = {cue_with("x", "/x")};
  const CueDesk::CueCommand load = show.desk.load(other, 0);
  show.ask({{"type", "next"}}, start + 1s);
  CHECK(show.cue() == "b");
  CHECK_FALSE(show.desk.is_loading());
  CHECK(load.ready(start + 2s));  // it is refused at once
  SceneChange change(show.scene, start + 2s, Nanos(0));
  CHECK_THROWS_AS(load.apply(change), InputError);
  CHECK(show.desk.list().cues.size() == 3);
  CHECK_THROWS_AS(show.desk.load(
                      [] {
                        cues::CueList broken;
                        broken.cues.emplace_back();
                        return broken;
                      }(),
                      0),
                  InputError);
}

TEST_CASE("of two shows that are awaited the later one comes", "[cues]") {
  Show show;
  cues::CueList one;
  one.cues = {cue_with("x", "/x")};
  cues::CueList other;
  other.cues = {cue_with("y", "/y"), cue_with("z", "/z")};
  const CueDesk::CueCommand first = show.desk.load(one, 0);
  const CueDesk::CueCommand second = show.desk.load(other, 1);
  CHECK(first.ready(start + 1s));
  SceneChange change(show.scene, start + 1s, Nanos(0));
  CHECK_THROWS_AS(first.apply(change), InputError);
  show.desk.forget_load(first.load);  // it was refused
  CHECK(show.desk.is_loading());
  CHECK(show.desk.wanted(show.scene) == 1);
  show.desk.replace(three_cues().list, show.scene);  // somebody reloads the present show
  CHECK(second.ready(start + 1s));
  CHECK_THROWS_AS(second.apply(change), InputError);
  CHECK(show.desk.wanted(show.scene) == 1);  // the next cue of the present show
  CHECK(show.desk.name_to_arm(1) == "b");
}

TEST_CASE("a request that is refused leaves others' way to a cue as it is", "[cues]") {
  CueShow cues = three_cues();
  cues.list.cues[0].follow = cues::Follow{cues::Follow::Kind::after, 5};
  Show show(cues);
  show.desk.go_unarmed();
  const auto follows = show.desk.follow(show.scene, {start + 5s, {}}, 100ms);
  REQUIRE(follows);
  CHECK_THROWS_AS(show.desk.command_of({{"type", "next"}, {"by", 1}}, show.scene, start + 5s),
                  InputError);
  show.execute(CueDesk::CueCommand{follows->apply}, start + 5s);
  CHECK(show.cue() == "b");
}

TEST_CASE("who goes to the cue on the wall does not end its countdown", "[cues]") {
  CueShow cues = three_cues();
  cues.list.cues[0].follow = cues::Follow{cues::Follow::Kind::after, 5};
  Show show(cues);
  show.desk.go_unarmed();
  const auto follows = show.desk.follow(show.scene, {start + 5s, {}}, 100ms);
  REQUIRE(follows);
  show.ask({{"type", "goto"}, {"name", "a"}}, start + 5s);
  show.execute(CueDesk::CueCommand{follows->apply}, start + 5s);
  CHECK(show.cue() == "a");  // the later way took its place
  CHECK(show.desk.follow(show.scene, {start + 6s, {}}, 100ms));
}
