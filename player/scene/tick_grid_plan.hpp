// Chooses the tick grid, the instants at which panels show pictures, for the regions of a scene.
// Pure.
#pragma once

#include "player/scene/scene.hpp"

namespace tilewall::scene {

/// The tick grid of a scene with these regions, from `at` on. Its first tick is due at `at` or with
/// the next frame after it.
///
/// One region that plays, or several in step, give their own ticks. A rate above both the movie's
/// own and 120 a second is divided by a whole number: fast forward leaves out frames, the same ones
/// on all panels. Regions of different rates share the rate that all of them divide, up to 60, else
/// the fastest one's. While a view glides, the tick grid is a multiple of that, up to 60; where
/// only volumes turn, 30. Where nothing moves there is one tick, at `at`.
/// volumes turn, 30. Where nothing moves there is one tick, at `at`.
[[nodiscard]] sync::TickGrid plan_tick_grid(const std::vector<Region>& regions, GlobalInstant at);

/// Instant when the last region's timeline ends; empty where one is paused or never ends.
[[nodiscard]] std::optional<GlobalInstant> end_of(const std::vector<Region>& regions);

}  // namespace tilewall::scene
