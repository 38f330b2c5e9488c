// The options of a show as meant: what was typed, read and checked.
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

/// What `play --plan` is about. Inputs that are all on servers are not opened. Throws as the next.
[[nodiscard]] PlacementQuestion placement_question(const PlayArguments& arguments,
                                                   const std::stop_token& stop);

/// Reads and checks everything that can be checked before a process is started; imports into the
/// cache where that is needed. Throws InputError naming the option or file.
[[nodiscard]] supervisor::SupervisorOptions supervisor_options(const PlayArguments& arguments,
                                                               const std::stop_token& stop);

}  // namespace tilewall::cli
