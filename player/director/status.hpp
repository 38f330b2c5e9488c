// Makes the answer to `tilewall ctl status`: the present state of the show and of every panel.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/lateness/late_log.hpp"
#include "player/director/show_health.hpp"
#include "player/director/statistics/report.hpp"
#include "player/director/statistics/show_ledger.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// How the show opens its inputs, so that a client can open others alike.
struct InputWays {
  std::string hdr = "map";    ///< HDR pictures are tone mapped ("map") or clipped ("clip")
  bool skip_missing = false;  ///< entries of lists whose file is missing are left out
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
  Rational rate_fps;                        ///< rate of the first region's timeline; 0: paused
  std::optional<std::int64_t> frame;        ///< frame that is due now; empty before the start
  std::optional<std::int64_t> frames_left;  ///< empty: the timeline has no end
  GlobalInstant now;
  LocalInstant local_now;
  LocalInstant started;                    ///< begin of the user's command, on this host
  std::vector<std::string> late_causes{};  ///< cause of each panel's newest late frame; "" = none
  std::string last_note{};                 ///< the show's newest note; "" = none
  std::string error{};                     ///< why the show has failed; "" = it has not
  TroubleCounts recent{};                  ///< faults of the last seconds
  std::vector<std::string> frozen{};       ///< ContentWatch::frozen()
  int resting_level = 0;                   ///< levels below full detail of a wall that is too slow
  InputWays inputs{};
  std::vector<LateByCause> late_by_cause{};  ///< each panel's late frames of the whole show
};

/// The optional parts of a status.
struct StatusParts {
  bool panels = true;      ///< `per_panel`
  bool lists = true;       ///< the items of playlists
  bool transfers = false;  ///< the points of transfer functions, which are many
};

/// The status. `light` ("green", "yellow", "red") and `reasons` are for people. `fps`, `skew_us`
/// and the panels' `skew_us` and `swap_offset_us` cover the last 10 s; `fps` leaves out pauses.
/// `due_fps` is the rate at which pictures are due, 0 in a pause. Counts cover the whole show.
/// `restarts` are those of the report; `decoder_deaths` are the decoders among them.
[[nodiscard]] nlohmann::json status_json(const StatusInput& input, const StatusParts& parts = {});

/// Whether the items of playlists are listed. Events have the current item alone.
enum class ListDetail { current, items };
/// What a style has of its transfer function.
enum class TransferDetail { name, points };

/// The source's path: of a volume its file, and of one image that image.
[[nodiscard]] std::string shown_path(const scene::SourceSpec& source);

/// The scene at `now`: {`version`, `regions` [ {`region`, `path`, `frame`, `frames`, `rate_fps`,
/// `speed`, `direction`, `paused`, `loop`, `range`, `canvas_px`, `view_px` or null, ...} ],
/// `bezels`, `content`, `blank`, `coarser_by`, `volume`, `muted`, ...}. A region with a playlist
/// has `playlist` {`item` from 0, `items`: their count, `name`, `title` or null, `path`, `frame`},
/// and with ListDetail::items `list` [ {`item`, `name`, `title`, `path`, `first_frame`, `frames`}
/// ]: at most 1000 items around the current one, in frames of the playlist.
[[nodiscard]] nlohmann::json scene_status_json(const scene::Scene& scene, GlobalInstant now,
                                               ListDetail lists = ListDetail::current,
                                               TransferDetail transfers = TransferDetail::name);

}  // namespace tilewall::director
