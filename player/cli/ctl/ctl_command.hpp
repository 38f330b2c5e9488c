// `tilewall ctl`: asks and drives a running wall.
#pragma once

#include "player/command/command.hpp"

namespace tilewall::cli {

/// Adds the command to `app`; it sets `run` when the user chose it.
void add_ctl_command(CLI::App& app, command::CommandRun& run);

}  // namespace tilewall::cli
