// Size and rate of the pictures that clients watch, from the bytes per second that all panels
// together may send. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "player/scene/watch_messages.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::director {

// The budget of a whole wall in bytes per second.
inline constexpr std::int64_t usual_picture_budget = 2'000'000;
inline constexpr std::int64_t least_picture_budget = 10'000;
inline constexpr std::int64_t most_picture_budget = 100'000'000;

/// The order for panel number `panel` of `panels`, whose viewer sees `viewed_px`. Each panel has an
/// equal share of `bytes_per_s`. Its pictures are as large as two in a second fit into the share,
/// within scene::least_watched_px and most_watched_px. The panel measures their bytes and sends
/// them at the rate that its share allows: at most 5 in a second on the smallest walls, 1 on a wall
/// of 15 panels, and one in 3 s on the largest; the first picture of a changed scene up to five
/// times as soon. Panels begin one after the other.
/// @pre panels > 0, `viewed_px` is not empty
[[nodiscard]] scene::WatchOrder watch_order(std::int64_t bytes_per_s, std::size_t panel,
                                            std::size_t panels, SizePx viewed_px);

}  // namespace tilewall::director
