// Requests "restart": which panel or host is meant, and which requests are refused.

#include "player/director/restart_order.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::director;

namespace {
namespace restart_order_test {

using Json = nlohmann::json;

/// A wall of a panel for each of these hosts of the wall file. All panels are connected, and their
/// machines call themselves "m-" and the host's name.
class Panels {
 public:
  explicit Panels(const std::vector<std::string>& hosts) {
    for (const std::string& host : hosts) {
      wall::Panel panel;
      panel.name = "c" + std::to_string(wall.panels.size()) + "r0";
      panel.host = host;
      PanelState state;
      state.connection = wall.panels.size() + 1;
      state.host = "m-" + host;
      wall.panels.push_back(panel);
      states.push_back(state);
    }
  }

  /// The panel of the order; the refusal where there is none.
  [[nodiscard]] std::string order(const Json& fields) const {
    Json request = fields;
    request["type"] = "restart";
    try {
      const RestartOrder order = restart_order(request, wall, states);
      CHECK(order.role == fields.at("role"));
      return wall.panels[order.panel].name;
    } catch (const InputError& error) {
      return error.what();
    }
  }

  wall::Wall wall;
  std::vector<PanelState> states;
};

}  // namespace restart_order_test
}  // namespace

TEST_CASE("a restart is of a panel by its name, or of a host by one of its names", "[director]") {
  const restart_order_test::Panels panels({"h1", "h2", "h2", ""});
  CHECK(panels.order({{"role", "panel"}, {"panel", "c2r0"}}) == "c2r0");
  CHECK(panels.order({{"role", "panel"}, {"panel", "c2r0"}, {"as", "operator"}, {"once", "k"}}) ==
        "c2r0");
  for (const char* role : {"caster", "decoder", "launcher"}) {
    CAPTURE(role);
    CHECK(panels.order({{"role", role}, {"host", "h2"}}) == "c1r0");
    CHECK(panels.order({{"role", role}, {"host", "m-h1"}}) == "c0r0");
    CHECK(panels.order({{"role", role}, {"host", ""}}) == "c3r0");
  }
}

TEST_CASE("the host of a restart may be left out where the wall has one", "[director]") {
  using restart_order_test::Panels;
  CHECK(Panels({"", ""}).order({{"role", "caster"}}) == "c0r0");
  CHECK(Panels({"h1", "h1"}).order({{"role", "launcher"}}) == "c0r0");
  CHECK(Panels({"h1", "h2"}).order({{"role", "caster"}}) ==
        "restart: host: expected a host of this wall (h1, h2), found none");
  Panels local({"h1", "h2"});  // --local
  local.states[0].host = local.states[1].host = "here";
  CHECK(local.order({{"role", "launcher"}}) == "c0r0");
}

TEST_CASE("casters and decoders are restarted by a panel that is connected", "[director]") {
  restart_order_test::Panels panels({"h1", "h2", "h2"});
  panels.states[1].connection.reset();
  CHECK(panels.order({{"role", "decoder"}, {"host", "h2"}}) == "c2r0");
  CHECK(panels.order({{"role", "panel"}, {"panel", "c1r0"}}) ==
        "restart: panel: expected a panel that is connected, found c1r0, which is not");
  panels.states[2].connection.reset();
  CHECK(panels.order({{"role", "caster"}, {"host", "h2"}}) ==
        "restart: host: expected a host with a connected panel, found \"h2\"");
  CHECK(panels.order({{"role", "launcher"}, {"host", "h2"}}) == "c1r0");
}

TEST_CASE("a restart that cannot be is refused with what can be", "[director]") {
  const restart_order_test::Panels panels({"h1", "h2", "render", "h4"});
  struct Case {
    nlohmann::json fields;
    const char* refusal;
  };
  const Case cases[] = {
      {{{"panel", "c0r0"}}, "role: expected a value, found none"},
      {{{"role", 3}}, "role: expected text, found 3"},
      {{{"role", "host"}},
       "role: expected one of panel, caster, decoder, launcher, found \"host\""},
      {{{"role", "panel"}}, "panel: expected a value, found none"},
      {{{"role", "panel"}, {"panel", "c0r7"}},
       "panel: expected a panel of this wall (c0r0, c1r0, c2r0, ...), found \"c0r7\" (nearest: "
       "c0r0)"},
      {{{"role", "panel"}, {"panel", "left"}},
       "panel: expected a panel of this wall (c0r0, c1r0, c2r0, ...), found \"left\""},
      {{{"role", "caster"}, {"host", "rendre"}},
       "host: expected a host of this wall (h1, h2, render, ...), found \"rendre\" (nearest: "
       "render)"},
      {{{"role", "launcher"}, {"host", nullptr}}, "host: expected text, found null"},
      {{{"role", "panel"}, {"panel", "c0r0"}, {"as", "guest"}},
       "as: expected operator, found \"guest\""},
  };
  for (const Case& one : cases)
    CHECK(panels.order(one.fields) == std::string("restart: ") + one.refusal);
  CHECK_THAT(panels.order({{"role", "panel"}, {"panel", "c0r0"}, {"host", "h1"}}),
             Catch::Contains("host"));
  CHECK_THAT(panels.order({{"role", "caster"}, {"host", "h1"}, {"panel", "c0r0"}}),
             Catch::Contains("panel"));
  CHECK_THAT(panels.order({{"role", "caster"}, {"host", "h1"}, {"now", true}}),
             Catch::Contains("now"));
}
