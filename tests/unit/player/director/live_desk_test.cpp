// Which timestep of a live source goes on the wall, and which one is wanted.

#include "player/director/live_desk.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;
using scene::LiveReport;
using scene::LiveStep;
using scene::no_timestep;

namespace {

GlobalInstant live_ms(std::int64_t ms) { return GlobalInstant{Nanos(ms * 1'000'000)}; }

struct DeskShow {
  explicit DeskShow(LiveChoice choice = {}) : desk("live", "gs", choice, 100) {}

  /// Of a caster that has received everything up to `resolved`.
  LiveReport report(std::int64_t reached, std::vector<std::int64_t> kept, std::uint64_t run = 7) {
    LiveReport report;
    report.run = run;
    report.reached = reached;
    report.resolved = kept.empty() ? no_timestep : kept.back();
    report.kept = std::move(kept);
    scene::LiveShape shape;
    shape.name = "gs";
    shape.grid = {8, 8, 8};
    shape.field = "u";
    report.shape = shape;
    return report;
  }

  std::optional<LiveStep> turn(std::int64_t ms) {
    return desk.turn({live_ms(ms), panels, std::chrono::milliseconds(40), true});
  }
  /// What the caster is ordered to want; -2: no new order.
  std::int64_t wanted(ConnectionId caster = 1) {
    for (const auto& [id, order] : desk.orders())
      if (id == caster) return order.wanted;
    return -2;
  }
  /// Brings the next timestep on the wall, in 50 ms from `ms` on.
  std::int64_t show_next(std::int64_t ms) {
    const auto step = turn(ms);
    if (!step || step->next == no_timestep) return no_timestep;
    for (const std::size_t panel : panels) desk.take_drawn(panel, step->number);
    const auto shown = turn(ms + 1);
    REQUIRE(shown);
    CHECK(shown->next == step->next);
    CHECK(shown->from == live_ms(ms + 41));
    static_cast<void>(turn(ms + 42));
    return desk.step().shown;
  }

  LiveDesk desk;
  std::vector<std::size_t> panels = {0, 1, 2};
};

}  // namespace

TEST_CASE("a timestep is shown once all hosts have it and all panels have drawn it", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.join(2, "h2");
  show.desk.take(1, show.report(3, {3}));
  CHECK(!show.turn(0));  // the other host has told nothing
  show.desk.take(2, show.report(3, {2}));
  CHECK(!show.turn(0));
  show.desk.take(2, show.report(3, {2, 3}));
  const auto step = show.turn(10);
  REQUIRE(step);
  CHECK(step->next == 3);
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
  CHECK(shown->next == 3);
  CHECK(shown->from == live_ms(53));
  CHECK(!show.turn(52));
  CHECK(show.desk.is_busy());
  CHECK(!show.turn(53));
  CHECK(show.desk.step().shown == 3);
  CHECK(show.desk.shown_count() == 1);
  CHECK(!show.turn(60));  // nothing newer
}

TEST_CASE("a panel that draws nothing for two seconds is not waited for", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(0, {0}));
  REQUIRE(show.turn(0));
  CHECK(!show.turn(1999));
  const auto shown = show.turn(2000);
  REQUIRE(shown);
  CHECK(shown->from == live_ms(2040));
  // A panel that is gone is not waited for either.
  static_cast<void>(show.turn(2040));
  show.desk.take(1, show.report(1, {0, 1}));
  const auto next = show.turn(2050);
  REQUIRE(next);
  show.desk.take_drawn(0, next->number);
  show.panels = {0};
  CHECK(show.turn(2051));
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

TEST_CASE("policies every and nth leave no wanted timestep out", "[live]") {
  for (const std::int64_t stride : {1, 3}) {
    DeskShow show({stride == 1 ? LiveChoice::Policy::every : LiveChoice::Policy::nth, stride});
    show.desk.join(1, "h1");
    show.desk.take(1, show.report(no_timestep, {}));
    static_cast<void>(show.turn(0));
    CHECK(show.wanted() == 0);
    std::int64_t wanted = 0;
    for (int i = 0; i < 5; ++i) {
      show.desk.take(1, show.report(wanted + 1, {wanted}));
      static_cast<void>(show.turn(i));
      wanted += stride;
      CHECK(show.wanted() == wanted);
    }
  }
}

TEST_CASE("a wall that holds stays at its timestep, and goes through those in memory", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(5, {2, 3, 5}));
  CHECK(show.show_next(0) == 5);
  show.desk.hold();
  show.desk.take(1, show.report(8, {2, 3, 5, 6, 8}));
  CHECK(show.show_next(100) == no_timestep);
  CHECK(show.desk.is_held());
  show.desk.move(-1);
  CHECK(show.show_next(200) == 3);
  show.desk.move(-1);
  CHECK(show.show_next(300) == 2);
  CHECK_THROWS_WITH(show.desk.move(-1),
                    Catch::Contains("one of the 5 timesteps in memory, 2 to 8"));
  show.desk.move(3);
  CHECK(show.show_next(400) == 6);
  show.desk.follow();
  CHECK(show.show_next(500) == 8);
  CHECK_THROWS_AS(show.desk.move(1), InputError);
  // Casters keep what is held, shown or drawn.
  show.desk.hold();
  static_cast<void>(show.turn(600));
  for (const auto& [caster, order] : show.desk.orders())
    CHECK(order.on_wall == std::vector<std::int64_t>{8});
}

TEST_CASE("a new run of the source begins at its timestep 0", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.join(2, "h2");
  for (const ConnectionId caster : {1U, 2U}) show.desk.take(caster, show.report(500, {499, 500}));
  CHECK(show.show_next(0) == 500);
  show.desk.take(1, show.report(no_timestep, {}, 8));
  CHECK(show.show_next(100) == no_timestep);  // the other host still has the old run's
  CHECK(show.desk.step().shown == 500);
  show.desk.take(2, show.report(0, {0}, 8));
  show.desk.take(1, show.report(0, {0}, 8));
  CHECK(show.show_next(200) == 0);
  CHECK(show.desk.status(live_ms(300)).at("runs") == 2);
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

TEST_CASE("the next director goes on with what panels were told", "[live]") {
  DeskShow first;
  first.desk.join(1, "h1");
  first.desk.take(1, first.report(3, {3}));
  CHECK(first.show_next(0) == 3);
  DeskShow second;
  second.desk.go_on(first.desk.step(), first.desk.run());
  CHECK(second.desk.step().shown == 3);
  CHECK(second.desk.step().number > first.desk.step().number);
  second.desk.join(2, "h1");
  second.desk.take(2, second.report(4, {3, 4}));
  CHECK(second.show_next(100) == 4);
}

TEST_CASE("two sources go on the wall one after the other", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(3, {3}));
  CHECK(!show.desk.turn({live_ms(0), {0}, std::chrono::milliseconds(40), false}));
  CHECK(show.turn(1));
}
