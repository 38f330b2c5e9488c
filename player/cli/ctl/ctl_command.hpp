// `tilewall ctl`: controls a running wall from a shell, and prints its status.
#pragma once

#include "player/command/command.hpp"

namespace tilewall::cli {

/// Adds the command to `app`. Parsing sets `run` if the user typed it.
void add_ctl_command(CLI::App& app, command::CommandRun& run);

}  // namespace tilewall::cli
