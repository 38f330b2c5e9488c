// The options of a show: the wall, its first scene, and how it is played. The command line fills
// them in, and the director reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "player/director/changes/volume_exports.hpp"
#include "player/director/connections/control_server.hpp"
#include "player/director/cues/cue_desk.hpp"
#include "player/director/log/recording.hpp"
#include "player/director/log/show_log.hpp"
#include "player/director/snapshots/wall_snapshot.hpp"
#include "player/director/status.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// Memory of a show that its directors use one after the other. The supervisor owns it.
struct ShowMemory {
  int journal_fd = -1;     ///< descriptor of JournalMemory
  int checkpoint_fd = -1;  ///< descriptor of CheckpointMemory
  int hash_fd = -1;        ///< descriptor of HashMemory
  int log_fd = -1;         ///< descriptor of ShowLogMemory
  int turns_fd = -1;  ///< descriptor of a SharedCounter that grows with every turn of the director
  std::string start;  ///< JSON of the journal's entry "show"
  /// When earlier directors died, in seconds since the command began.
  std::vector<double> deaths_s;
};

/// The options of `play` that the director needs.
struct ShowOptions {
  wall::Wall wall;
  scene::Scene scene;           ///< the first scene; its start is `never`
  std::optional<CueShow> cues;  ///< the cues of a presentation, one of which `scene` shows
  bool ends_with_cues = false;  ///< the show ends once its last cue, which has a `follow`, is over
  bool unarmed = false;  ///< cues are gone to at once, whether panels are ready for them or not
  ShowLog::Place log;    ///< the log of a presentation
  std::optional<Recording> replay;  ///< the recorded show whose commands are run again
  scene::LatePolicy late = scene::LatePolicy::drop;
  std::string presenter = "auto";
  bool headless = false;
  bool exit_at_end = false;  ///< The show ends with its movie, also with windows
  double seconds = 0;  ///< the show ends so long after its first picture at the latest; 0: no limit
  std::int64_t live_timesteps =
      0;                ///< the show ends once so many of a live source went by; 0: no limit
  bool strict = false;  ///< any damage (director/damage.hpp) fails the show
  bool slate = false;   ///< regions whose pictures stay show a slate
  bool hashes = false;
  std::vector<SnapshotRequest> snapshots;
  /// The verb `snapshot` writes below this folder, a real path, and in the run directory alone.
  std::filesystem::path snapshot_folder;
  int decode_threads = 1;
  std::optional<std::size_t> stage_bytes;  ///< PanelConfig::stage_bytes
  bool pin = true;                         ///< panels' threads and memory are placed by a plan
  std::vector<std::string> places;         ///< places instead of the plan's, by panel; empty: none
  scene::PictureServer server;             ///< server of the first pictures
  InputWays inputs;                        ///< how the inputs were opened
  bool sound = true;                       ///< play the sound of sources
  std::vector<std::string> notes;          ///< notes from before the show
  VolumeServerPlace volumes;               ///< the server of volumes for other hosts
  bool vsync = true;                       ///< windows swap with the display's refresh
  std::string clock;  ///< "HOST:PORT" of the clock daemon, or of two with a comma
  /// Which connections to the control port are encrypted.
  ControlEncryption control_encryption = ControlEncryption::automatic;
  LocalInstant command_start;        ///< when the user's command began, on this host
  std::filesystem::path trace_file;  ///< trace of the whole show; "" = none
  std::filesystem::path run_dir;     ///< run directory of the show
  bool keeps_path = false;           ///< keys change a flight path; the supervisor writes it
  int report_fd = -1;                ///< file in memory to which the report is written at the end
  ShowMemory memory;                 ///< what survives the director
};

/// The config of a panel: its place in the wall, and how the show is played. `local_presenter` is
/// the kind of presenter for panels of this host. @pre `index` is a panel of the wall
[[nodiscard]] scene::PanelConfig panel_config(const ShowOptions& options, std::size_t index,
                                              const std::string& local_presenter);

/// The names of the wall's panels, in their order.
[[nodiscard]] std::vector<std::string> panel_names(const wall::Wall& wall);

}  // namespace tilewall::director
