// The director: runs one show. It makes the panels ready, starts them at one instant, answers keys
// and control requests with new scenes, keeps the books and writes the report.
//
// Threads: one; its clock client owns another.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/director/status.hpp"
#include "player/director/volume_offers.hpp"
#include "player/director/wall_snapshot.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

/// What `play` was asked for, as far as the director needs it.
struct ShowOptions {
  Wall wall;
  Scene scene;  ///< its start at `never`
  LatePolicy late = LatePolicy::drop;
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
  PictureServer server;                    ///< of the first pictures
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

/// What the director writes among the lines for the operator once the show has begun. The
/// supervisor takes it out again.
inline constexpr std::string_view begun_news = "(begun)";

/// Runs until the show ends or SIGTERM comes. `listening`: the control port. `news_fd`: lines for
/// the operator are written there, at once or not at all. Returns the exit code; the reason of a
/// failure is the report's "error".
int run_director(const ShowOptions& options, UniqueFd listening, int news_fd);

}  // namespace tilewall
