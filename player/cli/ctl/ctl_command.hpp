// `tilewall ctl`: asks and drives a running wall.
#pragma once

#include "player/command/command.hpp"

namespace tilewall {

/// Adds the command to `app`; it sets `run` when the user chose it.
void add_ctl_command(CLI::App& app, CommandRun& run);

}  // namespace tilewall
