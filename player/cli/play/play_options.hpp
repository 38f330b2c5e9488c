// Parses and checks the options of a show, and opens its inputs.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "player/cli/play/placement_options.hpp"
#include "player/cli/play/play_arguments.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

/// Throws InputError unless a snapshot can be written there: a .png in a folder that exists.
void check_snapshot_file(const std::string& option, const std::filesystem::path& file);

/// The parameters of a plan, without the server of the pictures.
[[nodiscard]] PlacementQuestion placement_question(const PlayArguments& arguments);
/// The parameters of `play --plan`. Inputs are not opened if all are on servers. Throws what
/// supervisor_options() throws.
[[nodiscard]] PlacementQuestion placement_question(const PlayArguments& arguments,
                                                   const std::stop_token& stop);

/// The options of a show of any kind: all but its scene, of which only the audio gain is set.
/// Throws what supervisor_options() throws about options.
[[nodiscard]] supervisor::SupervisorOptions common_options(const PlayArguments& arguments);

/// Checks everything that can be checked before a process is started, and opens the inputs; may
/// import them into the cache. Throws InputError naming the option or file, JobError if there is no
/// display or the import fails or is stopped.
[[nodiscard]] supervisor::SupervisorOptions supervisor_options(const PlayArguments& arguments,
                                                               const std::stop_token& stop);

}  // namespace tilewall::cli
