#include "player/panel/pointer_relay.hpp"

#include <catch2/catch.hpp>

using namespace tilewall::panel;
using namespace tilewall::present;
using namespace tilewall::scene;
using namespace tilewall::wall;
using namespace tilewall;

namespace {

/// Two canvas pixels to one of the panel across, one down.
const PanelMap shown_panel = PanelMap::onto({1000, 500, 400, 100}, {200, 100});

LocalInstant at(std::int64_t ms) { return LocalInstant{std::chrono::milliseconds(ms)}; }

PointerEvent wheel(double x, double y, double steps) {
  return {PointerKind::wheel, {x, y}, {}, steps};
}

PointerEvent drag(double x, double y) { return {PointerKind::drag, {10, 20}, {x, y}, 0}; }

}  // namespace

TEST_CASE("what the pointer does on a panel is told in pixels of the canvas", "[panel]") {
  PointerRelay relay;
  CHECK_FALSE(relay.take(at(0)));
  relay.add(drag(3, -4), shown_panel);
  CHECK(relay.take(at(0)) == CanvasPointer{PointerKind::drag, {1020, 520}, {6, -4}, 0});
  CHECK_FALSE(relay.take(at(100)));
}

TEST_CASE("there is one message in 15 ms, and no way or step is lost", "[panel]") {
  PointerRelay relay;
  relay.add(wheel(0, 0, 1), shown_panel);
  REQUIRE(relay.take(at(0)));
  relay.add(wheel(1, 1, 1), shown_panel);
  relay.add(wheel(2, 5, 0.5), shown_panel);
  CHECK_FALSE(relay.take(at(14)));
  CHECK(relay.take(at(15)) == CanvasPointer{PointerKind::wheel, {1004, 505}, {}, 1.5});
  for (int i = 0; i < 10; ++i) relay.add(drag(1, 2), shown_panel);
  CHECK_FALSE(relay.take(at(20)));
  CHECK(relay.take(at(30))->by_px == PointF{20, 20});
}

TEST_CASE("no kind of message keeps another from its turn", "[panel]") {
  PointerRelay relay;
  relay.add(drag(1, 1), shown_panel);
  relay.add({PointerKind::double_click, {5, 5}, {}, 0}, shown_panel);
  std::vector<PointerKind> kinds;
  for (int i = 0; i < 4; ++i) {
    relay.add(wheel(0, 0, 1), shown_panel);
    kinds.push_back(relay.take(at(15 * i))->kind);
  }
  CHECK(kinds == std::vector{PointerKind::wheel, PointerKind::drag, PointerKind::double_click,
                             PointerKind::wheel});
}
