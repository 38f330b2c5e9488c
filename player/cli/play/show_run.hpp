// A show from its options to its result on stdout, stderr and in --report.
#pragma once

#include "player/cli/play/play_arguments.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

/// Runs the show, writes --report, prints the result. Returns the exit code.
int play_show(const PlayArguments& arguments, supervisor::SupervisorOptions options);

/// All of a command that runs a show; where there is none, --report says why.
int run_show_command(const PlayArguments& arguments);

}  // namespace tilewall::cli
