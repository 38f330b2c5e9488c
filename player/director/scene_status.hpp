// What a scene shows, for those who ask: as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "player/scene/scene.hpp"

namespace tilewall {

/// Whether the items of playlists are listed: not in events, which come with every change.
enum class ListDetail { current, items };

/// {`version`, `regions` [ {`region`, `source`, `frame`, `frames`, `rate_fps`, `speed`,
/// `direction`, `paused`, `loop`, `range`, `canvas_px`, `view_px` or null, ...} ], `bezels`,
/// `content`, `blank`, `coarser_by`, `volume`, `muted`} as it is at `now`. A region with
/// a playlist has `playlist` {`item` from 0, `items`: their count, `name`, `title` or null, `path`,
/// `frame`}, and with ListDetail::items `list` [ {`item`, `name`, `title`, `path`, `first_frame`,
/// `frames`} ]: at most 1000 items around the current one, in frames of the playlist.
[[nodiscard]] nlohmann::json scene_status_json(const Scene& scene, GlobalInstant now,
                                               ListDetail lists = ListDetail::current);

}  // namespace tilewall
