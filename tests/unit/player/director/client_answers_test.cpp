// What clients of the control port are answered: status, wall, restart, and the end of the show.

#include <catch2/catch.hpp>

#include "player/director/client_role.hpp"
#include "tests/unit/player/director/role_show.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::RoleShow;

TEST_CASE("a status has the parts that a client wants, and the request's id", "[director]") {
  RoleShow show;
  const RoleShow::Json whole = show.ask(4, {{"type", "status"}, {"id", "x"}});
  CHECK(whole.at("type") == "status");
  CHECK(whole.at("id") == "x");
  CHECK(whole.at("audio") == RoleShow::Json{{"device", "a loudspeaker"}});
  CHECK(whole.at("live") == RoleShow::Json::array());
  CHECK(whole.at("requests_failed") == 0);
  CHECK(whole.at("change_lead_ms").get<double>() ==
        std::chrono::duration<double, std::milli>(show.lifecycle.lead()).count());
  CHECK(whole.at("per_panel").size() == 2);
  CHECK_FALSE(whole.contains("presentation"));
  const RoleShow::Json brief = show.ask(4, {{"type", "status"}, {"per_panel", false}});
  CHECK_FALSE(brief.contains("id"));
  CHECK_FALSE(brief.contains("per_panel"));
  CHECK(show.ask(4, {{"type", "status"}, {"per_panel", true}}).at("per_panel").size() == 2);
}

TEST_CASE("an operator ends the show, and a guest does not", "[director]") {
  for (const RoleShow::Json& request :
       {RoleShow::Json{{"type", "quit"}}, RoleShow::Json{{"type", "key"}, {"key", "quit"}}}) {
    RoleShow show;
    RoleShow::Json of_guest = request;
    of_guest["as"] = "guest";
    of_guest["id"] = 1;
    const RoleShow::Json refused = show.ask(4, of_guest);
    CHECK(refused.at("type") == "refused");
    CHECK(refused.at("id") == 1);
    CHECK(show.lifecycle.is_gathering());
    CHECK(show.ask(4, request).at("type") == "done");
    CHECK(show.lifecycle.is_ending());
  }
}

TEST_CASE("the answer to wall has all panels, and the request's id", "[director]") {
  RoleShow show;
  const RoleShow::Json wall = show.ask(4, {{"type", "wall"}, {"id", 3}});
  CHECK(wall.at("type") == "wall");
  CHECK(wall.at("id") == 3);
  CHECK(wall.at("panels").size() == 2);
  CHECK(show.ask(4, {{"type", "wall"}, {"panel", "left"}}).at("type") == "refused");
}

TEST_CASE("a panel is told to end its processes, and the supervisor to start a launcher",
          "[director]") {
  RoleShow show;
  show.join(1, 0);
  show.join(2, 1);
  CHECK(show.ask(4, {{"type", "restart"}, {"role", "panel"}, {"panel", "right"}}).at("type") ==
        "done");
  CHECK(show.received(2, "restart") == RoleShow::Json{{"type", "restart"}, {"role", "panel"}});
  CHECK(show.launcher_orders.empty());
  const RoleShow::Json launcher = {{"type", "restart"}, {"role", "launcher"}};
  CHECK(show.ask(4, launcher).at("type") == "done");
  CHECK(show.launcher_orders == std::vector<std::size_t>{0});
  show.takes_orders = false;
  CHECK(show.ask(4, launcher).at("error") ==
        "restart: expected a supervisor that takes orders, found one that does not");
  show.lifecycle.end();
  CHECK(show.ask(4, launcher).at("error") ==
        "restart: expected a show that runs, found one that is ending");
  CHECK(show.launcher_orders.size() == 2);
}

TEST_CASE("a source that the scene has not cannot be held", "[director]") {
  RoleShow show;
  const RoleShow::Json refused = show.ask(4, {{"type", "live"}, {"verb", "hold"}, {"id", 9}});
  CHECK(refused.at("type") == "refused");
  CHECK(refused.at("id") == 9);
}
