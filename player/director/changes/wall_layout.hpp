// The answer to the verb `wall`: where the panels and holes of a wall are, for a client that draws
// it to scale.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// {"type": "wall", "name", "canvas_px", "lit_mm", "panels", "holes", "arc"}, as VERBS.md documents
/// it. Canvas pixels are those of `canvas`, which is one of the wall's.
[[nodiscard]] nlohmann::json wall_layout_json(const wall::Wall& wall, const wall::Canvas& canvas);

}  // namespace tilewall::director
