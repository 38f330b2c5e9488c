// A live wall that is held or gets a new run, and the next director, which goes on with both.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/director/live/live_desk.hpp"
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
    CHECK(order.on_wall == std::vector<std::int64_t>{live_frame(7, 8)});
}

TEST_CASE("a wall without a timestep cannot be held", "[live]") {
  DeskShow show;
  CHECK_THROWS_WITH(show.desk.hold(), Catch::Contains("a timestep on the wall that can be held"));
  CHECK(!show.desk.is_held());
}

TEST_CASE("a wall is held at the timestep that is just going on it", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(5, {5}));
  CHECK(show.show_next(0) == 5);
  show.desk.take(1, show.report(6, {5, 6}));
  const auto step = show.turn(100);
  REQUIRE(step);
  show.desk.hold();
  for (const std::size_t panel : show.panels) show.desk.take_drawn(panel, step->number);
  REQUIRE(show.turn(101));
  show.desk.take(1, show.report(7, {5, 6, 7}));
  CHECK(!show.turn(200));
  CHECK(timestep_of(show.desk.step().shown) == 6);
  // Where it does not come, the one on the wall is held.
  show.desk.follow();
  REQUIRE(show.turn(300));
  show.desk.hold();
  show.desk.leave(1);
  REQUIRE(show.turn(301));
  show.desk.join(2, "h1");
  show.desk.take(2, show.report(9, {6, 7, 9}));
  CHECK(!show.turn(302));
  CHECK(timestep_of(show.desk.step().shown) == 6);
}

TEST_CASE("a held wall stays at its timestep when a new run begins", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(5, {5}));
  CHECK(show.show_next(0) == 5);
  show.desk.hold();
  show.desk.take(1, show.report(5, {3, 5}, 9));
  CHECK(show.show_next(100) == no_timestep);  // a timestep of that number, but of another run
  CHECK(show.desk.is_held());
  show.desk.move(1);  // into the new run
  CHECK(show.show_next(200) == 3);
  show.desk.follow();
  CHECK(show.show_next(300) == 5);
}

TEST_CASE("a new run of the source begins at its timestep 0", "[live]") {
  DeskShow show;
  show.hosts = {"h1", "h2"};
  show.desk.join(1, "h1");
  show.desk.join(2, "h2");
  for (const ConnectionId caster : {1U, 2U}) show.desk.take(caster, show.report(500, {499, 500}));
  CHECK(show.show_next(0) == 500);
  show.desk.take(1, show.report(no_timestep, {}, 8));
  CHECK(show.show_next(100) == no_timestep);  // the other host still has the old run's
  CHECK(timestep_of(show.desk.step().shown) == 500);
  show.desk.take(2, show.report(501, {500, 501}));  // it has not heard of the new run yet
  CHECK(show.desk.status(live_ms(150)).at("runs") == 2);
  show.desk.take(2, show.report(0, {0}, 8));
  show.desk.take(1, show.report(0, {0}, 8));
  CHECK(show.show_next(200) == 0);
  CHECK(show.desk.status(live_ms(300)).at("runs") == 2);
}

TEST_CASE("a timestep of a new run is another picture than that of the same number", "[live]") {
  DeskShow show;
  show.desk.join(1, "h1");
  show.desk.take(1, show.report(0, {0}));
  CHECK(show.show_next(0) == 0);
  const std::int64_t before = show.desk.step().shown;
  show.desk.take(1, show.report(0, {0}, 8));
  CHECK(show.show_next(100) == 0);
  CHECK(show.desk.step().shown != before);
}

TEST_CASE("the next director goes on with what panels were told", "[live]") {
  DeskShow first;
  first.desk.join(1, "h1");
  first.desk.take(1, first.report(3, {3}));
  CHECK(first.show_next(0) == 3);
  DeskShow second;
  second.desk.go_on(first.desk.state());
  CHECK(timestep_of(second.desk.step().shown) == 3);
  CHECK(second.desk.step().number > first.desk.step().number);
  CHECK(second.desk.shown_count() == 1);
  second.desk.join(2, "h1");
  second.desk.take(2, second.report(4, {3, 4}));
  CHECK(second.show_next(100) == 4);
}

TEST_CASE("the next director stays at a held timestep", "[live]") {
  DeskShow first;
  first.desk.join(1, "h1");
  first.desk.take(1, first.report(3, {3}));
  CHECK(first.show_next(0) == 3);
  first.desk.hold();
  DeskShow second;
  second.desk.go_on(first.desk.state());
  second.desk.join(2, "h1");
  second.desk.take(2, second.report(4, {3, 4}));
  CHECK(second.show_next(100) == no_timestep);
  CHECK(second.desk.is_held());
}

TEST_CASE("the next director goes over to a new run as the last one would", "[live]") {
  DeskShow first;
  first.desk.join(1, "h1");
  first.desk.take(1, first.report(500, {500}));
  CHECK(first.show_next(0) == 500);
  first.desk.take(1, first.report(0, {0}, 8));
  REQUIRE(first.turn(100));
  DeskShow second;
  second.desk.go_on(first.desk.state());
  // Panels tell the new director what they have drawn, by its own number.
  second.desk.join(2, "h1");
  second.desk.take(2, second.report(0, {0}, 8));
  CHECK(!second.turn(200));
  for (const std::size_t panel : second.panels)
    second.desk.take_drawn(panel, second.desk.step().number);
  const auto shown = second.turn(201);
  REQUIRE(shown);
  CHECK(shown->next == live_frame(8, 0));
}
