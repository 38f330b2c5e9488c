// When the panels show pictures: the grid of ticks that suits what the regions do. Pure.
#pragma once

#include "player/scene/scene.hpp"

namespace tilewall::scene {

/// The tick grid of a scene whose regions are as given, from `at` on. Its first tick is due at `at`
/// or with the next frame after it.
///
/// One region that plays (or several in step) gives its own ticks. A rate above the movie's own and
/// 120 a second is divided by a whole number: fast forward leaves frames out, the same ones on all
/// panels. Regions of different rates share the rate that all of them divide, up to 60; else the
/// fastest one's. While a view glides, the tick grid is a multiple of that, up to 60; where only
/// volumes turn, 30. Where nothing moves there is one tick, at `at`.
[[nodiscard]] sync::TickGrid plan_tick_grid(const std::vector<Region>& regions, GlobalInstant at);

/// When the last region's timeline is over; empty where one is paused or never ends.
[[nodiscard]] std::optional<GlobalInstant> end_of(const std::vector<Region>& regions);

}  // namespace tilewall::scene
