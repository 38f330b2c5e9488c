// Which timestep of a live source goes on the wall, and which one is wanted.

#include "player/director/live/live_desk.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "tests/unit/player/director/live/desk_show.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::test;
using scene::live_frame;
using scene::LiveReport;
using scene::LiveStep;
using scene::no_timestep;
using scene::timestep_of;

TEST_CASE("a timestep is shown once all hosts have it and all panels have drawn it", "[live]") {
  DeskShow show;
  show.hosts = {"h1", "h2"};
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(3, {3}));
  CHECK(!show.turn(0));  // the other host's caster has not connected
  show.desk.join(2, "h2");
  CHECK(!show.turn(0));  // it has told nothing
  show.desk.take(2, show.report(3, {2}));
  CHECK(!show.turn(0));
  show.desk.take(2, show.report(3, {2, 3}));
  const auto step = show.turn(10);
  REQUIRE(step);
  CHECK(step->next == live_frame(7, 3));
  CHECK(step->from >= scene::never);
  CHECK(!show.turn(11));
  for (const std::size_t panel : {0U, 2U}) show.desk.take_drawn(panel, step->number);
  show.desk.take_drawn(1, step->number - 1);  // of an older message
  CHECK(!show.turn(12));
  CHECK(show.desk.is_busy());
  show.desk.take_drawn(1, step->number);
  const auto shown = show.turn(13);
  REQUIRE(shown);
  CHECK(shown->number > step->number);
  CHECK(shown->shown == no_timestep);
  CHECK(shown->next == live_frame(7, 3));
  CHECK(shown->from == live_ms(53));
  CHECK(!show.turn(52));
  CHECK(show.desk.is_busy());
  CHECK(!show.turn(53));
  CHECK(timestep_of(show.desk.step().shown) == 3);
  CHECK(show.desk.shown_count() == 1);
  CHECK(!show.turn(60));  // nothing newer
}

TEST_CASE("the status of a live source has each figure under its own name", "[live]") {
  DeskShow show;
  show.hosts = {"h1", "h2"};
  nlohmann::json status = show.desk.status(live_ms(0));
  CHECK(status.at("name") == "gs");
  CHECK(status.at("field") == "");
  CHECK(status.at("ranks") == 0);
  CHECK(status.at("timestep").is_null());
  CHECK(status.at("age_s").is_null());
  CHECK(status.at("waits_for") == "waiting for the host's caster");
  CHECK(status.at("announced") == 0);
  show.desk.join(1, "h1");
  show.desk.join(2, "h2");
  LiveReport one = show.report(4, {3});
  one.shape->ranks = 6;
  one.received_bytes = 1000;
  one.lost_packets = 20;
  one.repaired_packets = 3;
  one.received = 5;
  one.work = {4, 2, 0.5, 0.25, 0.125};
  LiveReport other = show.report(3, {3});
  other.shape->ranks = 6;
  other.received_bytes = 100;
  other.lost_packets = 2;
  other.repaired_packets = 4;
  other.received = 2;
  other.work = {2, 1, 0.5, 0.75, 0.25};
  other.waits_for = "5 of 6 ranks are connected";
  show.desk.take(1, one);
  show.desk.take(2, other);
  status = show.desk.status(live_ms(10));
  CHECK(status.at("field") == "u");
  CHECK(status.at("ranks") == 6);
  CHECK(status.at("timestep").is_null());
  CHECK(status.at("announced") == 5);
  CHECK(status.at("received") == 5);
  CHECK(status.at("received_bytes") == 1100);
  CHECK(status.at("lost_packets") == 22);
  CHECK(status.at("repaired_packets") == 7);
  CHECK(status.at("shown") == 0);
  CHECK(status.at("waits_for") == "5 of 6 ranks are connected");
  // The mean of four timesteps of the host that takes longer.
  CHECK(status.at("stages").at("wire_s") == 0.5);
  CHECK(status.at("stages").at("convert_s") == 0.125);
  CHECK(status.at("stages").at("tiles_s") == 0.0625);
  CHECK(status.at("stages").at("after_last_byte_s") == 0.03125);
  CHECK(status.at("stages").at("first_picture_s").is_null());
  CHECK(show.show_next(20) == 3);
  status = show.desk.status(live_ms(90));
  CHECK(status.at("timestep") == 3);
  CHECK(status.at("kept") == 1);
  CHECK(status.at("shown") == 1);
  CHECK(status.at("age_s").get<double>() == Approx(0.07));  // whole at 20 ms
}

TEST_CASE("a slow panel is waited for, one that draws nothing for ten seconds is left out",
          "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(0, {0}));
  const auto first = show.turn(0);
  REQUIRE(first);
  for (const std::size_t panel : {0U, 1U}) show.desk.take_drawn(panel, first->number);
  CHECK(!show.turn(9999));
  CHECK(show.desk.left_out().empty());
  const auto shown = show.turn(10'000);
  REQUIRE(shown);
  CHECK(shown->from == live_ms(10'040));
  CHECK(show.desk.left_out() == std::set<std::size_t>{2});
  static_cast<void>(show.turn(10'040));
  // It is not waited for again, until it has drawn a timestep.
  show.desk.take(1, show.report(1, {0, 1}));
  const auto second = show.turn(10'050);
  REQUIRE(second);
  for (const std::size_t panel : {0U, 1U, 2U}) show.desk.take_drawn(panel, second->number);
  CHECK(show.desk.left_out().empty());
  REQUIRE(show.turn(10'051));
  static_cast<void>(show.turn(10'100));
  // A panel that is gone is not waited for either.
  show.desk.take(1, show.report(2, {0, 1, 2}));
  const auto third = show.turn(10'110);
  REQUIRE(third);
  show.desk.take_drawn(0, third->number);
  CHECK(!show.turn(10'111));
  show.panels = {0};
  CHECK(show.turn(10'112));
}

TEST_CASE("panels are told what a label says of each timestep", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(0, {0}));
  const auto first = show.turn(0);
  REQUIRE(first);
  CHECK(first->next_note == "age 0.00 s  0 skipped");
  for (const std::size_t panel : show.panels) show.desk.take_drawn(panel, first->number);
  const auto at = show.turn(60);  // shown from 100 ms on
  REQUIRE(at);
  CHECK(at->next_note == first->next_note);
  LiveReport report = show.report(2, {0, 2});
  report.skipped.push_back({1, scene::LiveSkip::late, "rank 3 is late"});
  show.desk.hold();
  show.desk.take(1, report);
  CHECK(!show.turn(150));
  show.desk.follow();
  REQUIRE(show.turn(350));
  // The first one took 100 ms to its instant, so that this one is expected on the wall at 450 ms.
  LiveStep step = show.desk.step();
  CHECK(timestep_of(step.next) == 2);
  CHECK(step.shown_note == "age 0.00 s  0 skipped");
  CHECK(step.next_note == "age 0.30 s  2.86 per s  1 skipped");
  CHECK(step.note_of(step.shown) == step.shown_note);
  CHECK(step.note_of(step.next) == step.next_note);
  CHECK(step.note_of(live_frame(7, 5)).empty());
  CHECK(scene::live_step_from_json(scene::to_json(step)) == step);
  CHECK(show.desk.status(live_ms(300))["age_s"].get<double>() == Approx(0.3));  // whole at 0
  step.next_note = std::string(48, 'x');
  CHECK_THROWS_AS(scene::live_step_from_json(scene::to_json(step)), InputError);
}

TEST_CASE("timesteps go by from the first one that is shown on, whether shown or not", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(5, {5}));
  CHECK(show.desk.gone_by() == 0);
  CHECK(show.show_next(0) == 5);
  CHECK(show.desk.gone_by() == 1);
  show.desk.take(1, show.report(9, {5, 9}));
  CHECK(show.show_next(100) == 9);
  CHECK(show.desk.gone_by() == 5);
  show.desk.move(-1);
  CHECK(show.show_next(200) == 5);
  show.desk.follow();
  CHECK(show.show_next(300) == 9);
  CHECK(show.desk.gone_by() == 5);
  show.desk.take(1, show.report(3, {3}, 8));  // a new run
  CHECK(show.show_next(400) == 3);
  CHECK(show.desk.gone_by() == 6);
  DeskShow next;
  next.desk.go_on(show.desk.state());
  next.desk.join(1, "h1");
  next.desk.take(1, next.report(4, {4}, 8));
  CHECK(next.show_next(500) == 4);
  CHECK(next.desk.gone_by() == 7);
}

TEST_CASE("a timestep that the casters of several hosts skip is skipped once", "[live]") {
  DeskShow show;
  show.hosts = {"h1", "h2"};
  show.desk.join(1, "h1");
  show.desk.join(2, "h2");
  LiveReport report = show.report(3, {3});
  report.skipped.push_back({1, scene::LiveSkip::late, "rank 3 is late"});
  show.desk.take(1, report);
  report.skipped.push_back({2, scene::LiveSkip::rank_gone, "rank 0 is gone"});
  show.desk.take(2, report);
  const nlohmann::json skipped = show.desk.status(live_ms(0))["skipped"];
  CHECK(skipped["late"] == 1);
  CHECK(skipped["rank_gone"] == 1);
}

TEST_CASE("a wall without panels shows no timestep", "[live]") {
  DeskShow show;
  show.panels.clear();
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(0, {0}));
  CHECK(!show.turn(0));
}

TEST_CASE("the next timestep is wanted once the last one has come or was skipped", "[live]") {
  DeskShow show;
  show.hosts = {"h1", "h2"};
  show.desk.join(1, "h1");
  show.desk.join(2, "h2");
  static_cast<void>(show.turn(0));
  CHECK(show.wanted() == no_timestep);  // no caster has told anything
  for (const ConnectionId caster : {1U, 2U}) show.desk.take(caster, show.report(4, {}));
  static_cast<void>(show.turn(1));
  CHECK(show.wanted(2) == 5);
  CHECK(show.wanted(1) == -2);  // all got it with the same call
  static_cast<void>(show.turn(2));
  CHECK(show.wanted() == -2);
  show.desk.take(1, show.report(9, {5}));
  static_cast<void>(show.turn(3));
  CHECK(show.desk.status(live_ms(3)).at("wanted") == 1);  // the other host has not
  show.desk.take(2, show.report(9, {5}));
  static_cast<void>(show.turn(4));
  CHECK(show.desk.status(live_ms(4)).at("wanted") == 2);
  CHECK(show.wanted() == 10);
}

TEST_CASE("ranks that are past a wanted timestep make the next one further ahead", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(4, {}));
  static_cast<void>(show.turn(0));
  CHECK(show.wanted() == 5);
  LiveReport passed = show.report(6, {});
  passed.resolved = 5;
  passed.skipped = {{5, scene::LiveSkip::passed, "rank 0 is past it"}};
  show.desk.take(1, passed);
  static_cast<void>(show.turn(1));
  CHECK(show.wanted() == 8);  // 6 + 1, and one more
  const nlohmann::json status = show.desk.status(live_ms(1));
  CHECK(status.at("skipped").at("passed") == 1);
  CHECK(status.at("last_skip") == "timestep 5: rank 0 is past it");
}

TEST_CASE("policies every and nth show each wanted timestep", "[live]") {
  for (const std::int64_t stride : {1, 3}) {
    DeskShow show({stride == 1 ? net::LivePolicy::every : net::LivePolicy::nth, stride});
    show.desk.join(1, "h1");
    show.desk.take(1, show.report(no_timestep, {}));
    static_cast<void>(show.turn(0));
    CHECK(show.wanted() == 0);
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < 5; ++i) {
      kept.push_back(i * stride);
      show.desk.take(1, show.report(i * stride + 1, kept));
      CHECK(show.show_next(i * 100) == i * stride);
      CHECK(show.wanted() == (i + 1) * stride);
    }
  }
}

TEST_CASE("policy every wants no timestep before the wall draws the last one", "[live]") {
  DeskShow show({net::LivePolicy::every, 1});
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(no_timestep, {}));
  static_cast<void>(show.turn(0));
  CHECK(show.wanted() == 0);
  show.desk.take(1, show.report(1, {0}));
  const auto first = show.turn(10);
  REQUIRE(first);
  CHECK(show.wanted() == 0);
  static_cast<void>(show.turn(20));  // timestep 0 is being drawn
  CHECK(show.wanted() == 1);
  show.desk.take(1, show.report(2, {0, 1}));
  static_cast<void>(show.turn(30));
  CHECK(show.wanted() == -2);
  // A wall that is held shows nothing new, and lets the simulation go on.
  show.desk.hold();
  static_cast<void>(show.turn(40));
  CHECK(show.wanted() == 2);
  show.desk.take(1, show.report(3, {0, 1, 2}));
  show.desk.follow();
  for (const std::size_t panel : show.panels) show.desk.take_drawn(panel, first->number);
  static_cast<void>(show.turn(50));
  CHECK(show.show_next(100) == 1);
  CHECK(timestep_of(show.desk.step().next) == 2);
}

TEST_CASE("a host whose caster is gone shows no newer timestep, nor do the others", "[live]") {
  DeskShow show;
  show.hosts = {"h1", "h2"};
  for (const ConnectionId caster : {1U, 2U}) {
    show.desk.join(caster, caster == 1 ? "h1" : "h2");
    show.desk.take(caster, show.report(3, {3}));
  }
  CHECK(show.show_next(0) == 3);
  show.desk.leave(2);
  show.desk.take(1, show.report(4, {3, 4}));
  CHECK(show.show_next(100) == no_timestep);
  // A host without panels need not have it.
  show.hosts = {"h1"};
  CHECK(show.show_next(200) == 4);
}

TEST_CASE("a host that is silent keeps no other one waiting", "[live]") {
  DeskShow show;
  show.hosts = {"h1", "h2"};
  show.desk.join(1, "h1");
  show.desk.join(2, "h2");
  show.desk.take(1, show.report(0, {0}));
  show.desk.take(2, show.report(0, {0}));
  CHECK(show.show_next(0) == 0);
  CHECK(show.wanted() == 1);
  // h2 was switched off. Its connections are still there.
  show.desk.take(1, show.report(2, {0, 1}));
  CHECK(!show.turn(100));
  CHECK(show.wanted() == -2);
  show.hosts = {"h1"};
  show.panels = {0};
  CHECK(show.show_next(200) == 1);
  CHECK(show.wanted() == 3);
}

TEST_CASE("a source that no region shows keeps no other one waiting", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(3, {3}));
  CHECK(!show.desk.give_up());
  const auto step = show.turn(0);
  REQUIRE(step);
  const auto given_up = show.desk.give_up();
  REQUIRE(given_up);
  CHECK(given_up->number > step->number);
  CHECK(given_up->next == no_timestep);
  CHECK(!show.desk.is_busy());
}

TEST_CASE("a timestep that its caster loses before it is shown is given up", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(3, {3}));
  const auto step = show.turn(0);
  REQUIRE(step);
  show.desk.leave(1);
  const auto given_up = show.turn(1);
  REQUIRE(given_up);
  CHECK(given_up->next == no_timestep);
  CHECK(given_up->number > step->number);
  show.desk.join(9, "h1");
  show.desk.take(9, show.report(6, {6}));
  CHECK(show.show_next(10) == 6);
}

TEST_CASE("the next timestep is drawn while the one before waits for its instant", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(3, {3}));
  const auto draw = [&](const std::optional<LiveStep>& step) {
    REQUIRE(step);
    CHECK(step->from >= scene::never);
    for (const std::size_t panel : show.panels) show.desk.take_drawn(panel, step->number);
  };
  CHECK(show.desk.due() <= live_ms(0));
  draw(show.turn(0));
  CHECK(!show.desk.due());  // until panels have drawn it
  REQUIRE(show.turn(1));    // timestep 3 is shown from 41 ms on
  CHECK(!show.desk.due());  // until there is another one
  show.desk.take(1, show.report(4, {3, 4}));
  CHECK(show.desk.due() <= live_ms(1));
  const auto second = show.turn(5);
  draw(second);
  CHECK(timestep_of(second->next) == 4);
  CHECK(timestep_of(second->shown) == 3);
  CHECK(second->since == live_ms(41));
  CHECK(second->at(live_ms(40)) == no_timestep);
  CHECK(second->at(live_ms(41)) == live_frame(7, 3));
  // Each timestep is shown for a beat at least.
  const auto shown = show.turn(6);
  REQUIRE(shown);
  CHECK(shown->from == live_ms(58));
  CHECK(shown->at(live_ms(40)) == no_timestep);
  CHECK(shown->at(live_ms(57)) == live_frame(7, 3));
  CHECK(shown->at(live_ms(58)) == live_frame(7, 4));
  // No panel is asked to know more than one timestep beyond the one that is on the wall.
  show.desk.take(1, show.report(5, {3, 4, 5}));
  CHECK(!show.turn(7));
  CHECK(show.desk.due() == live_ms(41));
  const auto third = show.turn(41);
  draw(third);
  CHECK(timestep_of(third->before) == 3);
  CHECK(third->since == live_ms(58));
  CHECK(show.desk.shown_count() == 2);
}

TEST_CASE("the stages count from when all hosts have a timestep, also where newer ones come",
          "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(3, {3}));
  static_cast<void>(show.desk.turn({live_ms(0), {0}, {"h1"}, Nanos{0}, false}));
  const auto step = show.turn(10);
  REQUIRE(step);
  LiveReport newer = show.report(4, {3, 4});
  newer.work = {4, 0.4, 0.04, 0.08, 0.02};
  show.desk.take(1, newer);
  CHECK(!show.turn(20));
  for (const std::size_t panel : show.panels) show.desk.take_drawn(panel, step->number);
  REQUIRE(show.turn(60));
  const nlohmann::json stages = show.desk.status(live_ms(60)).at("stages");
  CHECK(stages.at("drawn") == 1);
  CHECK(stages.at("first_picture_s").get<double>() == Approx(0.06));
  CHECK(stages.at("draw_s").get<double>() == Approx(0.05));
  CHECK(stages.at("switch_s").get<double>() == Approx(0.04));
  CHECK(stages.at("wire_s").get<double>() == Approx(0.1));
  CHECK(stages.at("after_last_byte_s").get<double>() == Approx(0.005));
}

TEST_CASE("two sources go on the wall one after the other", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(3, {3}));
  CHECK(!show.desk.turn({live_ms(0), {0}, {"h1"}, std::chrono::milliseconds(40), false}));
  CHECK(show.turn(1));
}
