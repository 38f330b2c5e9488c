// What `tilewall ctl status` shows of a running wall: the show and every panel, as of now.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/report.hpp"
#include "player/director/show_health.hpp"
#include "player/director/show_ledger.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// How the show opens its inputs, so that a client can open others alike.
struct InputWays {
  std::string hdr = "map";    ///< what becomes of HDR pictures: "map" or "clip"
  bool skip_missing = false;  ///< entries of lists that name no file are left out
  bool import_first = false;  ///< ordinary movies are imported into the cache, not decoded directly
};

struct StatusInput {
  const wall::Wall& wall;
  const ShowLedger& ledger;
  const std::vector<PanelState>& panels;
  const std::vector<Restart>& restarts;
  const scene::Scene& scene;
  std::string phase;  ///< "gathering", "playing", "paused", "ending"
  scene::LatePolicy late;
  Rational rate_fps;                        ///< that the show asks for; 0: paused
  std::optional<std::int64_t> frame;        ///< due now; empty before the start
  std::optional<std::int64_t> frames_left;  ///< empty: no end
  GlobalInstant now;
  LocalInstant local_now;
  LocalInstant started;                    ///< the user's command, on this host
  std::vector<std::string> late_causes{};  ///< of each panel's newest late frame; "" = it has none
  std::string last_note{};                 ///< of the show's notes; "" = there is none
  std::string error{};                     ///< why it has failed; "" = it has not
  TroubleCounts recent{};                  ///< what went wrong lately
  int resting_level = 0;                   ///< below full detail, because the wall cannot keep up
  InputWays inputs{};
};

/// How much of a status is wanted.
struct StatusParts {
  bool panels = true;  ///< `per_panel`
  bool lists = true;   ///< the items of playlists
};

/// `light` ("green", "yellow", "red") and `reasons` come first for people. Of the last 10 s: `fps`,
/// `skew_us` and the panels' `skew_us` and `swap_offset_us`; pauses do not count for `fps`.
/// `due_fps` is the rate at which pictures are due, 0 in a pause. Counts are of the show so far;
/// `restarts` are those of the report, and `decoder_deaths` the decoders' among them.
[[nodiscard]] nlohmann::json status_json(const StatusInput& input, const StatusParts& parts = {});

// What a scene shows, for those who ask: as JSON.

/// Whether the items of playlists are listed: not in events, which come with every change.
enum class ListDetail { current, items };

/// {`version`, `regions` [ {`region`, `source`, `frame`, `frames`, `rate_fps`, `speed`,
/// `direction`, `paused`, `loop`, `range`, `canvas_px`, `view_px` or null, ...} ], `bezels`,
/// `content`, `blank`, `coarser_by`, `volume`, `muted`} as it is at `now`. A region with
/// a playlist has `playlist` {`item` from 0, `items`: their count, `name`, `title` or null, `path`,
/// `frame`}, and with ListDetail::items `list` [ {`item`, `name`, `title`, `path`, `first_frame`,
/// `frames`} ]: at most 1000 items around the current one, in frames of the playlist.
[[nodiscard]] nlohmann::json scene_status_json(const scene::Scene& scene, GlobalInstant now,
                                               ListDetail lists = ListDetail::current);

}  // namespace tilewall::director
