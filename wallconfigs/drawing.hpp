// Draws a wall to scale, as SVG for a report: the front with frames, lit areas, holes and
// dimensions, and for walls that are not flat the plan from above.
#pragma once

#include <string>

#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

/// A whole SVG document. `mode` selects the canvas whose pixels the figures give.
[[nodiscard]] std::string draw_wall(const Wall& wall, BezelMode mode);

}  // namespace tilewall::wall
