// What a show is asked to be: the wall, its first scene, and how it is played. The command line
// fills it in, and the director reads it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "player/director/status.hpp"
#include "player/director/volume_exports.hpp"
#include "player/director/wall_snapshot.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// What `play` was asked for, as far as the director needs it.
struct ShowOptions {
  wall::Wall wall;
  scene::Scene scene;  ///< its start at `never`
  scene::LatePolicy late = scene::LatePolicy::drop;
  std::string presenter = "auto";
  bool headless = false;
  bool exit_at_end = false;  ///< also with windows
  bool strict = false;       ///< any damage (director/damage.hpp) makes the show a failed one
  bool hashes = false;
  std::vector<SnapshotRequest> snapshots;
  int decode_threads = 1;
  std::optional<std::size_t> stage_bytes;  ///< of PanelConfig
  bool pin = true;                         ///< panels' threads and memory are placed by a plan
  std::vector<std::string> places;         ///< what is asked for instead, by panel; empty: nothing
  scene::PictureServer server;             ///< of the first pictures
  InputWays inputs;                        ///< how they were opened
  bool sound = true;                       ///< where a source has some
  std::vector<std::string> notes;          ///< what was found before the show, for its own notes
  VolumeServerPlace volumes;               ///< who gives the show's volumes to other hosts
  bool vsync = true;                       ///< windows swap with the display's refresh
  std::string clock;                 ///< "HOST:PORT" of the clock daemon, or of two with a comma
  LocalInstant command_start;        ///< when the user's command began, on this host
  std::filesystem::path trace_file;  ///< the trace of the whole show; "" = none
  std::filesystem::path run_dir;     ///< the show's
  int report_fd = -1;  ///< a file in memory: the report is written there when the show ends
};

// What a panel is told once: its place in the wall, and how the show is played.

/// `local_presenter`: what panels of this machine present with. @pre index is a panel of the wall
[[nodiscard]] scene::PanelConfig panel_config(const ShowOptions& options, std::size_t index,
                                              const std::string& local_presenter);

/// In the wall's order.
[[nodiscard]] std::vector<std::string> panel_names(const wall::Wall& wall);

}  // namespace tilewall::director
