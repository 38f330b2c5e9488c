// What a scene shows, for those who ask: as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "player/scene/scene.hpp"

namespace tilewall {

/// {`version`, `regions` [ {`region`, `source`, `frame`, `frames`, `rate_fps`, `speed`,
/// `direction`, `paused`, `loop`, `range`, `canvas_px`, `view_px` or null, ...} ], `bezels`,
/// `content`, `blank`, `coarser_by`, `volume`, `muted`} as it is at `now`.
[[nodiscard]] nlohmann::json scene_status_json(const Scene& scene, GlobalInstant now);

}  // namespace tilewall
