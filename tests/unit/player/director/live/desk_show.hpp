// A desk of a live source with three panels and a host, driven by hand.
#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "player/director/live/live_desk.hpp"

namespace tilewall::test {

using director::ConnectionId;
using director::LiveChoice;
using director::LiveDesk;
using scene::LiveReport;
using scene::LiveStep;
using scene::no_timestep;
using scene::timestep_of;

inline GlobalInstant live_ms(std::int64_t ms) { return GlobalInstant{Nanos(ms * 1'000'000)}; }

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
    return desk.turn({live_ms(ms), panels, hosts, std::chrono::milliseconds(40), true});
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
    return timestep_of(desk.step().shown);
  }

  LiveDesk desk;
  std::vector<std::size_t> panels = {0, 1, 2};
  std::set<std::string> hosts = {"h1"};
};

}  // namespace tilewall::test
