// How commands become scenes: when, how many at a time, and what is refused.

#include "player/director/verbs/show_control.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "player/director/verbs/operator_keys.hpp"
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

constexpr Nanos change_lead{100'000'000};

ShowControl playing_show() {
  ShowControl control(first_scene({movie_region("main", movie_source(100))}), change_lead);
  control.start(start);
  return control;
}

/// Asks, and makes the scene that takes effect at `at`.
std::string refusal_of(ShowControl& control, GlobalInstant at,
                       std::function<void(SceneChange&)> apply) {
  std::string refusal = "not answered";
  control.ask(
      {std::move(apply), [&](const CommandOutcome& outcome) { refusal = outcome.refusal; }});
  control.step(at - change_lead, Nanos(0));
  return refusal;
}

const Timeline& line_of(const ShowControl& control) { return control.first_region().timeline; }

}  // namespace

TEST_CASE("the start makes a new version of the same epoch", "[director]") {
  const ShowControl control = playing_show();
  CHECK(control.scene().version == 2);
  CHECK(control.scene().epoch == 1);
  CHECK(control.scene().since == start);
  CHECK(control.scene().tick_grid.start == start);
  CHECK(control.scene().tick_grid.count == 100);
}

TEST_CASE("a camera that glides from the beginning starts with the show, coarse at first",
          "[director]") {
  Region region = volume_region("main");
  region.look = usual_look(*region.source, region.canvas_px);
  const VolumeCamera from = region.look->camera.to;
  region.look->camera = {from, zoomed(from, 2), never, Nanos(1'000'000'000)};
  ShowControl control(first_scene({region}), change_lead);
  const auto camera = [&] { return control.first_region().look->camera; };
  CHECK(camera().at(never) == from);
  control.start(start);
  CHECK(camera().at(start) == from);
  CHECK(camera().at(at_ms(1000)) == zoomed(from, 2));
  control.set_moving_level(2);
  REQUIRE(control.step(at_ms(10), Nanos(0)));
  CHECK(control.scene().coarser_by == 2);
  CHECK(control.scene().tick_grid.rate_fps == Rational{30, 1});
  CHECK(camera().at(at_ms(2000)) == zoomed(from, 2));
}

TEST_CASE("a command that fails is refused alone, and counted", "[director]") {
  ShowControl control = playing_show();
  std::string other = "not answered";
  control.ask({[](SceneChange& change) { change.pause(""); },
               [&](const CommandOutcome& outcome) { other = outcome.refusal; }});
  CHECK(refusal_of(control, at_ms(1000), [](SceneChange& change) {
          change.seek_to("", 7);
          throw std::runtime_error("a broken part");
        }) == "the director failed: a broken part");
  CHECK(other.empty());
  CHECK(line_of(control).paused());
  CHECK(control.requests_failed() == 1);
  CHECK(refusal_of(control, at_ms(2000), [](SceneChange& change) { change.play(""); }).empty());
}

TEST_CASE("all that was commanded for becomes one scene at one instant", "[director]") {
  ShowControl control = playing_show();
  control.ask({[](SceneChange& change) { change.pause(""); }, {}});
  control.ask({[](SceneChange& change) { change.seek_to("", 7); }, {}});
  REQUIRE(control.step(at_ms(500), Nanos(0)));
  CHECK(control.scene().version == 3);
  CHECK(control.scene().since == at_ms(600));
  CHECK(line_of(control).paused());
  CHECK(control.frame_at(at_ms(9000), Nanos(0)) == 7);
  CHECK_FALSE(control.step(at_ms(2000), Nanos(0)));
}

TEST_CASE("a command takes effect at the instant that it names, if that is near", "[director]") {
  const auto instant_of = [](const std::vector<GlobalInstant>& named) {
    ShowControl control = playing_show();
    for (const GlobalInstant at : named) {
      Command command{[](SceneChange& change) { change.pause(""); }, {}};
      command.at = at;
      control.ask(std::move(command));
    }
    REQUIRE(control.step(at_ms(500), Nanos(0)));
    return control.scene().since;
  };
  CHECK(instant_of({at_ms(800)}) == at_ms(800));
  CHECK(instant_of({at_ms(800), at_ms(700)}) == at_ms(800));  // the last one of them
  CHECK(instant_of({at_ms(100)}) == at_ms(600));              // it is too late for that
  CHECK(instant_of({at_ms(1499)}) == at_ms(1499));
  CHECK(instant_of({at_ms(1500)}) == at_ms(600));  // nobody waits for so long
}

TEST_CASE("volumes are coarse until the last one of them rests", "[director]") {
  Region main = volume_region("main");
  Region beside = volume_region("beside");
  for (Region* const region : {&main, &beside})
    region->look = usual_look(*region->source, region->canvas_px);
  ShowControl control(first_scene({main, beside}), change_lead);
  control.start(start);
  control.set_moving_level(2);
  const auto turn = [&](const std::string& name, int from_ms, Nanos glide) {
    control.ask({[=](SceneChange& change) { change.orbit_by(name, {0.5, 0, 0}, glide); }, {}});
    REQUIRE(control.step(at_ms(from_ms) - change_lead, Nanos(0)));
  };
  turn("main", 1000, std::chrono::seconds(2));
  turn("beside", 1500, std::chrono::milliseconds(200));
  CHECK(control.scene().coarser_by == 2);
  static_cast<void>(control.step(at_ms(2500), Nanos(0)));
  CHECK(control.scene().coarser_by == 2);  // "main" still turns
  static_cast<void>(control.step(at_ms(3100), Nanos(0)));
  CHECK(control.scene().coarser_by == 2);  // and a little longer, as another turn may follow
  static_cast<void>(control.step(at_ms(3200), Nanos(0)));
  CHECK(control.scene().coarser_by == 0);
}

TEST_CASE("commands wait until the change before them has taken effect", "[director]") {
  ShowControl control = playing_show();
  control.ask({[](SceneChange& change) { change.seek_to("", 50); }, {}});
  REQUIRE(control.step(at_ms(500), Nanos(0)));
  control.ask({[](SceneChange& change) { change.seek_to("", 60); }, {}});
  CHECK_FALSE(control.step(at_ms(599), Nanos(0)));
  CHECK(line_of(control).start_frame == 50);
  CHECK(control.step(at_ms(600), Nanos(0)));
  CHECK(line_of(control).start_frame == 60);
  CHECK(control.scene().since == at_ms(700));
}

TEST_CASE("a refused command leaves the scene as the others make it", "[director]") {
  ShowControl control = playing_show();
  CHECK_THAT(refusal_of(control, at_ms(100), [](SceneChange& change) { change.seek_to("", 100); }),
             Catch::Contains("0 to 99") && Catch::Contains("100"));
  CHECK(control.scene().version == 2);
  std::vector<std::string> refusals;
  const auto note = [&](const CommandOutcome& outcome) { refusals.push_back(outcome.refusal); };
  control.ask({[](SceneChange& change) {
                 change.pause("");
                 change.seek_to("", -1);
               },
               note});
  control.ask({[](SceneChange& change) { change.set_blank(true); }, note});
  CHECK(control.step(at_ms(200), Nanos(0)));
  REQUIRE(refusals.size() == 2);
  CHECK_FALSE(refusals[0].empty());
  CHECK(refusals[1].empty());
  CHECK(control.scene().blank);
  CHECK_FALSE(line_of(control).paused());
}

TEST_CASE("more commands than can wait are refused at once", "[director]") {
  ShowControl control = playing_show();
  int refused = 0;
  for (int i = 0; i < 1000; ++i)
    control.ask(
        {[](SceneChange& change) { change.pause(""); },
         [&](const CommandOutcome& outcome) { refused += outcome.refusal.empty() ? 0 : 1; }});
  CHECK(refused > 0);
  CHECK(refused < 1000);
  CHECK(control.step(at_ms(100), Nanos(0)));
  CHECK(line_of(control).paused());
}

TEST_CASE("pause holds the frame that is due, and play goes on from it", "[director]") {
  ShowControl control = playing_show();
  refusal_of(control, at_ms(1050), [](SceneChange& change) { change.toggle_pause(""); });
  CHECK(line_of(control).paused());
  CHECK(control.scene().tick_grid.paused());
  CHECK(control.frame_at(at_ms(9000), Nanos(0)) == 10);
  refusal_of(control, at_ms(9000), [](SceneChange& change) { change.toggle_pause(""); });
  CHECK_FALSE(line_of(control).paused());
  CHECK(control.frame_at(at_ms(9250), Nanos(0)) == 12);
}

TEST_CASE("the overlay comes at one instant and leaves the epoch as it is", "[director]") {
  ShowControl control = playing_show();
  CHECK_FALSE(control.scene().overlay.visible_at(at_ms(500)));
  refusal_of(control, at_ms(1000), [](SceneChange& change) { change.toggle_overlay(); });
  CHECK(control.scene().version == 3);
  CHECK(control.scene().epoch == 1);
  CHECK_FALSE(control.scene().overlay.visible_at(at_ms(999)));
  CHECK(control.scene().overlay.visible_at(at_ms(1000)));
  CHECK(line_of(control).start == start);
}

TEST_CASE("a picture that stands still is shown anew with the overlay", "[director]") {
  ShowControl paused = playing_show();
  refusal_of(paused, at_ms(1050), [](SceneChange& change) { change.pause(""); });
  const std::uint64_t epoch = paused.scene().epoch;
  refusal_of(paused, at_ms(3000), [](SceneChange& change) { change.toggle_overlay(); });
  CHECK(paused.scene().epoch == epoch + 1);
  CHECK(paused.scene().overlay.visible_at(paused.scene().tick_grid.due(0)));
  ShowControl ended = playing_show();
  refusal_of(ended, at_ms(60'000), [](SceneChange& change) { change.toggle_overlay(); });
  CHECK(ended.scene().epoch == 2);
  CHECK(ended.frame_at(at_ms(60'000), Nanos(0)) == 99);
}

TEST_CASE("seeks in quick succession are shown coarsely, and in full once they end", "[director]") {
  ShowControl control = playing_show();
  refusal_of(control, at_ms(1000), [](SceneChange& change) { change.seek_to("", 5); });
  CHECK(control.scene().coarser_by == 0);
  refusal_of(control, at_ms(1100), [](SceneChange& change) { change.seek_to("", 15); });
  CHECK(control.scene().coarser_by > 0);
  CHECK_FALSE(control.step(at_ms(1250), Nanos(0)));
  CHECK(control.step(at_ms(1400), Nanos(0)));
  CHECK(control.scene().coarser_by == 0);
  CHECK_FALSE(control.step(at_ms(2000), Nanos(0)));
}

TEST_CASE("a glide is smooth, and ends as an ordinary view", "[director]") {
  ShowControl control = playing_show();
  refusal_of(control, at_ms(1000), [](SceneChange& change) { change.pause(""); });
  refusal_of(control, at_ms(2000), [](SceneChange& change) {
    change.set_view("", {100, 100, 200, 100}, Nanos(500'000'000));
  });
  CHECK(control.scene().tick_grid.rate_fps == Rational{60, 1});
  CHECK_FALSE(control.step(at_ms(2300), Nanos(0)));
  CHECK(control.is_asked());
  REQUIRE(control.step(at_ms(2500), Nanos(0)));
  CHECK_FALSE(control.is_asked());
  CHECK(control.scene().tick_grid.paused());
  REQUIRE(control.first_region().view);
  CHECK(control.first_region().view->at(at_ms(3000)) == RectF{100, 100, 200, 100});
  CHECK_FALSE(control.step(at_ms(3000), Nanos(0)));
}

TEST_CASE("a slowed wall is where its delay says", "[director]") {
  ShowControl control = playing_show();
  const Nanos delay(400'000'000);
  CHECK(control.frame_at(at_ms(1000), delay) == 6);
  control.ask({[](SceneChange& change) { change.set_audio_gain(0.5); }, {}});
  REQUIRE(control.step(at_ms(900), delay));
  CHECK(control.frame_at(at_ms(1000), delay) == 6);  // the epoch and its delay go on
  control.ask({[](SceneChange& change) { change.set_view("", {0, 0, 100, 50}, Nanos(0)); }, {}});
  REQUIRE(control.step(at_ms(1000), delay));
  CHECK(control.frame_at(at_ms(1100), Nanos(0)) == 7);  // a new one has none
}

TEST_CASE("a snapshot waits for looks to rest, not for movies that play", "[director]") {
  const auto settled = [](const ShowControl& control, GlobalInstant at) {
    return control.is_settled(at);
  };
  const auto fainter = [](SceneChange& change) {
    change.adjust_style("", StyleAdjustment::opacity, 0.5, Nanos(200'000'000));
  };
  ShowControl movie = playing_show();
  CHECK(settled(movie, at_ms(10)));
  CHECK(refusal_of(movie, at_ms(100), [](SceneChange& change) {
          change.zoom_about("", 0, 0, 2, Nanos(1'000'000'000));
        }).empty());
  CHECK(settled(movie, at_ms(50)));
  ShowControl volume(first_scene({volume_region("main")}), change_lead);
  volume.start(start);
  REQUIRE(settled(volume, at_ms(10)));
  volume.ask({fainter, {}});
  CHECK_FALSE(settled(volume, at_ms(10)));
  REQUIRE(volume.step(at_ms(100), Nanos(0)));  // it glides from 200 to 400, coarse until 550
  for (const int ms : {150, 250, 450}) CHECK_FALSE(settled(volume, at_ms(ms)));
  REQUIRE(volume.step(at_ms(410), Nanos(0)));
  for (const int ms : {520, 545}) CHECK_FALSE(settled(volume, at_ms(ms)));  // still coarse
  REQUIRE(volume.step(at_ms(560), Nanos(0)));
  CHECK_FALSE(settled(volume, at_ms(600)));
  CHECK(settled(volume, at_ms(660)));
}

TEST_CASE(
    "fewer ticks are shown from the change's instant on, after a pause, by pictures that stay",
    "[director]") {
  ShowControl control = playing_show();  // 10 ticks a second
  control.set_decimation({Nanos(400'000'000), Nanos(250'000'000), 0, LateCause::swap, "c1r0"});
  REQUIRE(control.step(at_ms(850), Nanos(0)));
  const Scene& scene = control.scene();
  CHECK(scene.version == 3);
  CHECK(scene.epoch == 1);
  CHECK(scene.since == start);
  CHECK(scene.shows(9));
  CHECK_FALSE(scene.shows(10));  // due at 1000 ms, the change at 950 ms
  CHECK(scene.next_shown(10) == 12);
  CHECK(scene.next_shown(13) == 16);
  CHECK(scene.shows(99));  // the last one
  CHECK(scene.next_shown(97) == 99);
  CHECK(scene.shown_period(12) == Nanos(400'000'000));
  CHECK(scene.decimation.cause == LateCause::swap);
  CHECK(to_text(scene.decimation, 12) == "1 of 4 ticks: swap c1r0");
  CHECK_FALSE(control.step(at_ms(900), Nanos(0)));
}

TEST_CASE("still fewer ticks begin with one that was to be shown, and are some of those",
          "[director]") {
  ShowControl control = playing_show();
  control.set_decimation({Nanos(200'000'000), Nanos(0), 0, LateCause::decode, "c1r0"});
  REQUIRE(control.step(at_ms(0), Nanos(0)));  // ticks 1, 3, 5, ...
  control.set_decimation({Nanos(400'000'000), Nanos(250'000'000), 4, LateCause::decode, "c1r0"});
  REQUIRE(control.step(at_ms(850), Nanos(0)));
  const Scene& scene = control.scene();
  CHECK(scene.shows(9));
  CHECK(scene.next_shown(10) == 13);  // after the pause, up to tick 12
  CHECK(scene.next_shown(14) == 17);
  CHECK(scene.next_shown(18) == 21);
}

TEST_CASE("ticks that may have been drawn ahead are left out by a multiple of the stride before",
          "[director]") {
  ShowControl control = playing_show();
  control.set_decimation({Nanos(200'000'000), Nanos(0), 0, LateCause::decode, "c1r0"});
  REQUIRE(control.step(at_ms(0), Nanos(0)));  // ticks 1, 3, 5, ...
  control.set_decimation({Nanos(300'000'000), Nanos(100'000'000), 4, LateCause::decode, "c1r0"});
  REQUIRE(control.step(at_ms(850), Nanos(0)));
  const Scene& scene = control.scene();
  CHECK(scene.decimation.ticks.every() == 3);
  CHECK(scene.next_shown(10) == 11);
  CHECK(scene.next_shown(12) == 15);
  CHECK(scene.next_shown(16) == 19);  // 10 + 4 * 2, and the next one of these
  CHECK(scene.next_shown(20) == 22);
  CHECK(scene.next_shown(23) == 25);
  CHECK_FALSE(control.step(at_ms(1000), Nanos(0)));
}

TEST_CASE("a pause that is longer than what may have been drawn ahead needs no other stride",
          "[director]") {
  ShowControl control = playing_show();
  control.set_decimation({Nanos(200'000'000), Nanos(0), 0, LateCause::decode, "c1r0"});
  REQUIRE(control.step(at_ms(0), Nanos(0)));  // ticks 1, 3, 5, ...
  control.set_decimation({Nanos(300'000'000), Nanos(900'000'000), 2, LateCause::decode, "c1r0"});
  REQUIRE(control.step(at_ms(850), Nanos(0)));
  CHECK(control.scene().next_shown(10) == 19);
  CHECK(control.scene().next_shown(20) == 22);
}

TEST_CASE("more ticks are shown after what may have been drawn ahead", "[director]") {
  ShowControl control = playing_show();
  control.set_decimation({Nanos(400'000'000), Nanos(0), 0, LateCause::decode, "c1r0"});
  REQUIRE(control.step(at_ms(0), Nanos(0)));  // ticks 1, 5, 9, ...
  control.set_decimation({Nanos(200'000'000), Nanos(0), 3, LateCause::decode, ""});
  REQUIRE(control.step(at_ms(900), Nanos(0)));
  const Scene& scene = control.scene();
  CHECK(scene.next_shown(10) == 13);
  CHECK(scene.next_shown(18) == 21);
  CHECK(scene.next_shown(22) == 25);  // 10 + 3 * 4, and the next one that is shown before it
  CHECK(scene.next_shown(26) == 27);
  control.set_decimation({});
  REQUIRE(control.step(at_ms(3000), Nanos(0)));
  CHECK(control.scene().decimation.panel.empty());
  CHECK(control.scene().next_shown(32) == 32);
  CHECK(to_text(control.scene().decimation, 40) == "every tick");
}

TEST_CASE("a seek keeps the share of the ticks that is shown, and shows its first one",
          "[director]") {
  ShowControl control = playing_show();
  control.set_decimation({Nanos(300'000'000), Nanos(250'000'000), 0, LateCause::decode, "c1r0"});
  REQUIRE(control.step(at_ms(0), Nanos(0)));
  CHECK(refusal_of(control, at_ms(1000), [](SceneChange& change) {
          change.seek_to("", 50);
        }).empty());
  CHECK(control.scene().epoch == 2);
  CHECK(control.scene().shows(0));
  CHECK(control.scene().next_shown(1) == 3);
  CHECK(refusal_of(control, at_ms(2000), [](SceneChange& change) {
          change.set_speed("", {2, 1});
        }).empty());
  CHECK(control.scene().shows(0));
  CHECK(control.scene().next_shown(1) == 6);  // the same time between pictures
  CHECK(refusal_of(control, at_ms(3000), [](SceneChange& change) { change.pause(""); }).empty());
  CHECK(control.scene().shows(0));
  CHECK(refusal_of(control, at_ms(4000), [](SceneChange& change) { change.play(""); }).empty());
  CHECK(control.scene().shows(0));
  CHECK(control.scene().next_shown(1) == 6);
}

TEST_CASE("a show may begin with fewer ticks", "[director]") {
  ShowControl control(first_scene({movie_region("main", movie_source(100))}), change_lead);
  control.set_decimation({Nanos(500'000'000), Nanos(0), 0, LateCause::decode, "c1r0"});
  control.start(start);
  CHECK(control.scene().epoch == 1);
  CHECK(control.scene().shows(0));
  CHECK(control.scene().next_shown(1) == 5);
}

TEST_CASE("single ticks are named one after the other, and the next one waits for its name",
          "[director]") {
  ShowControl control = playing_show();
  CHECK_FALSE(control.named_tick());
  WantedDecimation wanted{Nanos(600'000'000), Nanos(250'000'000), 0, LateCause::decode, "c1r0", 1};
  control.set_decimation(wanted);
  CHECK_FALSE(control.named_tick());  // panels do not know of it yet
  REQUIRE(control.step(at_ms(850), Nanos(0)));
  REQUIRE(control.named_tick());
  CHECK(control.named_tick()->tick == 12);
  const Scene first = control.scene();
  CHECK(first.shows(9));
  CHECK(first.next_shown(10) == 12);
  CHECK(first.next_shown(13) == 92);  // in eight seconds, whatever happens
  CHECK_FALSE(control.step(at_ms(2000), Nanos(0)));
  CHECK(refusal_of(control, at_ms(2200), [](SceneChange& change) {
          change.toggle_overlay();
        }).empty());
  CHECK(control.named_tick()->tick == 12);
  wanted.named = 2;
  control.set_decimation(wanted);
  REQUIRE(control.step(at_ms(2350), Nanos(0)));
  const Scene& second = control.scene();
  CHECK(second.next_shown(13) == 27);
  CHECK(second.decimation.every() == 15);
  CHECK(to_text(second.decimation, 27) == "1 of 15 ticks: decode c1r0");
  SECTION("a seek's first tick is one of them") {
    CHECK(refusal_of(control, at_ms(4000), [](SceneChange& change) {
            change.seek_to("", 50);
          }).empty());
    REQUIRE(control.named_tick());
    CHECK(control.named_tick()->epoch == 2);
    CHECK(control.named_tick()->tick == 0);
    CHECK(control.scene().next_shown(1) == 49);
  }
  SECTION("then every n-th tick is shown again") {
    control.set_decimation({Nanos(300'000'000), Nanos(100'000'000), 0, LateCause::decode, "", 0});
    REQUIRE(control.step(at_ms(3900), Nanos(0)));
    CHECK_FALSE(control.named_tick());
    CHECK(control.scene().next_shown(30) == 41);
    CHECK(control.scene().next_shown(42) == 44);
    CHECK(control.scene().decimation.every() == 3);
  }
}

TEST_CASE("details come with the first tick that no panel has drawn while n changes",
          "[director]") {
  const auto detail_after_ms = [](const WantedDecimation& wanted) {
    ShowControl control = playing_show();
    control.set_decimation(wanted);
    control.step(at_ms(0), Nanos(0));
    SceneChange change(control.scene(), at_ms(1000), Nanos(0));
    change.show_details();
    return (change.draft().volume_stage.from - start).count() / 1'000'000;
  };
  CHECK(detail_after_ms({}) == 2200);
  // 12, 15, ... up to what is due in more than four seconds, which no panel draws.
  CHECK(detail_after_ms({Nanos(300'000'000), Nanos(0), 0, LateCause::decode, "a"}) > 4500);
  CHECK(detail_after_ms({Nanos(300'000'000), Nanos(0), 0, LateCause::decode, "a"}) <= 5300);
}

TEST_CASE("a scene that panels are ahead of is sent again above theirs", "[director]") {
  ShowControl control = playing_show();
  CHECK_FALSE(control.step(at_ms(1000), Nanos(0)));
  control.reissue_above(9, 5);
  control.reissue_above(7, 6);
  REQUIRE(control.step(at_ms(1000), Nanos(0)));
  CHECK(control.scene().version == 10);
  CHECK(control.scene().epoch == 7);
  CHECK(control.scene().since == at_ms(1000) + change_lead);
  CHECK(control.scene().tick_grid.start >= control.scene().since);
  CHECK(control.frame_at(at_ms(2000), Nanos(0)) == 20);  // the timeline goes on
  CHECK_FALSE(control.step(at_ms(2000), Nanos(0)));
}

TEST_CASE("a director that goes on leaves a playing scene as it is", "[director]") {
  const ShowControl before = playing_show();
  ShowControl after(before.scene(), change_lead);
  after.go_on();
  CHECK_FALSE(after.step(at_ms(1000), Nanos(0)));
  CHECK(after.scene().version == before.scene().version);
}

TEST_CASE("keys of flight paths become orders where the show keeps one and they are granted",
          "[director]") {
  const auto control_of = [](const Region& region) {
    ShowControl control(first_scene({region}), change_lead);
    control.start(start);
    return control;
  };
  auto press = [ms = 0](ShowControl& control, present::OperatorKey key, std::string who) mutable {
    std::string refusal = "not answered";
    control.ask({[key, who](SceneChange& change) {
                   command_of_key(key)(change);
                   change.check_owner("", who);
                 },
                 [&refusal](const CommandOutcome& outcome) { refusal = outcome.refusal; }});
    static_cast<void>(control.step(at_ms(ms += 1000), Nanos(0)));
    return refusal;
  };
  using present::OperatorKey;
  ShowControl volume = control_of(volume_region("main"));
  CHECK(press(volume, OperatorKey::add_keyframe, "operator").find("a show that keeps a flight") !=
        std::string::npos);
  CHECK(volume.take_keyframe_orders().empty());
  volume.keep_path();
  CHECK(press(volume, OperatorKey::add_keyframe, "anna") != "");
  CHECK(volume.take_keyframe_orders().empty());
  CHECK(press(volume, OperatorKey::add_keyframe, "operator").empty());
  CHECK(volume.take_keyframe_orders() == std::vector{KeyframeOrder::add});
  CHECK(press(volume, OperatorKey::preview_path, "operator").empty());
  CHECK(press(volume, OperatorKey::stop_preview, "operator").empty());
  CHECK(volume.take_keyframe_orders() ==
        std::vector{KeyframeOrder::preview, KeyframeOrder::stop_preview});
  CHECK(volume.take_keyframe_orders().empty());
  ShowControl movie = control_of(movie_region("main", movie_source(100)));
  movie.keep_path();
  CHECK(press(movie, OperatorKey::remove_keyframe, "operator").find("a volume on the wall") !=
        std::string::npos);
  CHECK(movie.take_keyframe_orders().empty());
}
