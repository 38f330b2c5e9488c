// When the changes of a recorded show are made again.

#include "player/director/replay.hpp"

#include <catch2/catch.hpp>

#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace std::chrono_literals;
using test::at_ms;

namespace {
namespace replay_plan_test {

constexpr Nanos lead = 75ms;  // with the time between two turns, 100 ms

RecordedChange change_at(Nanos effect, const std::string& verb,
                         std::optional<std::string> cue = {}) {
  return {effect, {{1, {{"type", verb}}, std::move(cue), false}}};
}

Recording recording_of(std::vector<RecordedChange> changes) {
  Recording recording;
  recording.changes = std::move(changes);
  recording.end = 5s;
  return recording;
}

}  // namespace replay_plan_test
}  // namespace

TEST_CASE("a change is made its lead before its instant, and after the one before it", "[replay]") {
  using namespace replay_plan_test;
  const Recording recording =
      recording_of({change_at(1s, "seek"), change_at(1050ms, "next", "two")});
  ReplayPlan plan(recording, 0);
  CHECK(plan.next_cue() == "two");
  CHECK_FALSE(plan.take(test::start, at_ms(899), lead));
  const auto seek = plan.take(test::start, at_ms(900), lead);
  REQUIRE(seek);
  CHECK(seek->at == at_ms(1000));
  CHECK_FALSE(plan.take(test::start, at_ms(960), lead));  // the first one is not made yet
  plan.note_made();
  const auto next = plan.take(test::start, at_ms(960), lead);
  REQUIRE(next);
  CHECK(next->at == at_ms(1050));
  plan.note_made();
  CHECK_FALSE(plan.take(test::start, at_ms(4000), lead));
  CHECK_FALSE(plan.next_cue());
  CHECK_FALSE(plan.is_over(test::start, at_ms(4999)));
  CHECK(plan.is_over(test::start, at_ms(5000)));
}

TEST_CASE("a change that a panic overtook is made before the panic", "[replay]") {
  using namespace replay_plan_test;
  const Recording recording = recording_of({change_at(2s, "next"), change_at(1500ms, "panic")});
  ReplayPlan plan(recording, 0);
  CHECK_FALSE(plan.take(test::start, at_ms(1399), lead));
  const auto next = plan.take(test::start, at_ms(1400), lead);
  REQUIRE(next);
  CHECK(next->at == at_ms(2000));
  plan.note_made();
  REQUIRE(plan.take(test::start, at_ms(1400), lead));
}

TEST_CASE("a list of cues is loaded at its instant", "[replay]") {
  using namespace replay_plan_test;
  const Recording recording = recording_of({change_at(1s, "show")});
  ReplayPlan plan(recording, 0);
  CHECK_FALSE(plan.take(test::start, at_ms(999), lead));
  CHECK(plan.take(test::start, at_ms(1000), lead));
}

TEST_CASE("another director goes on behind the changes that were made", "[replay]") {
  using namespace replay_plan_test;
  const Recording recording = recording_of({change_at(1s, "seek"), change_at(2s, "pause")});
  ReplayPlan plan(recording, 1);
  CHECK_FALSE(plan.take(test::start, at_ms(1500), lead));
  const auto due = plan.take(test::start, at_ms(1900), lead);
  REQUIRE(due);
  CHECK(due->change.commands[0].request.at("type") == "pause");
}

TEST_CASE("an exact command takes effect at its instant, also where that is past", "[replay]") {
  using namespace replay_plan_test;
  for (const GlobalInstant made : {at_ms(900), at_ms(990), at_ms(1030)}) {
    ShowControl control(first_scene({movie_region("main", movie_source(100))}), lead);
    control.start(test::start);
    GlobalInstant changed{};
    Command command{[](SceneChange& change) { change.pause(""); },
                    [&](const CommandOutcome& outcome) { changed = outcome.changed; }};
    command.at = at_ms(1000);
    command.is_exact = true;
    control.ask(std::move(command));
    REQUIRE(control.step(made, Nanos(0)));
    CHECK(control.scene().since == at_ms(1000));
    CHECK(changed == at_ms(1000));
  }
}

TEST_CASE("an exact show comes to rest at the end of a glide, whenever its director looks",
          "[replay]") {
  using namespace replay_plan_test;
  for (const GlobalInstant looked : {at_ms(905), at_ms(950), at_ms(1030)}) {
    ShowControl control(first_scene({movie_region("main", movie_source(100))}), lead);
    control.be_exact();
    control.start(test::start);
    Command command{[](SceneChange& change) {
                      change.set_view("", {100, 100, 500, 250}, 500ms);
                    },
                    {}};
    command.at = at_ms(500);
    command.is_exact = true;
    control.ask(std::move(command));
    REQUIRE(control.step(at_ms(400), Nanos(0)));
    CHECK_FALSE(control.step(at_ms(890), Nanos(0)));
    REQUIRE(control.step(looked, Nanos(0)));
    CHECK(control.scene().since == at_ms(1000));
    CHECK_FALSE(control.first_region().glides_until());
  }
}
