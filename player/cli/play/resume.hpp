// `tilewall play --resume RUN_DIR`: goes on with a show whose supervisor has died, by its journal.
#pragma once

#include <filesystem>
#include <stop_token>

#include "player/cli/play/play_arguments.hpp"
#include "player/director/show_journal.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

/// A show that is resumed.
struct ShowToResume {
  PlayArguments arguments;  ///< those of the show that died, with what --resume has beside it
  director::JournalState state;
  std::filesystem::path run_dir;
  std::vector<std::string> words;  ///< the arguments as they were typed for the show that died
};

/// Reads the journal in the folder `given.resume`, and changes to the folder in which the show was
/// started. Of the other options, --report, --trace, --seconds, --json, --headless, --local and
/// --key-file count. Throws InputError naming the journal where it is missing, of another version,
/// or has no scene.
[[nodiscard]] ShowToResume show_to_resume(const PlayArguments& given);

/// The options of the show, with the scene of the journal. Throws what supervisor_options() throws,
/// and InputError where the wall is another one, or a file of the scene is gone.
[[nodiscard]] supervisor::SupervisorOptions resumed_options(const ShowToResume& show,
                                                            const std::stop_token& stop);

}  // namespace tilewall::cli
