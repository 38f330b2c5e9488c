// Runs a show, and writes its result to stdout, stderr and --report.
#pragma once

#include <functional>
#include <stop_token>

#include "player/cli/play/play_arguments.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

/// Runs the show, prints the result, then writes --report. Returns the exit code.
int play_show(const PlayArguments& arguments, supervisor::SupervisorOptions options);

/// Runs a command that plays a show: parses the options and plays it. If that throws, --report gets
/// the error, and the exception goes on.
int run_show_command(const PlayArguments& arguments);

/// The options of a show, checked; inputs are opened. May be stopped.
using MakeShowOptions = std::function<supervisor::SupervisorOptions(const std::stop_token& stop)>;
/// The same for a command whose options are made by `make`.
int run_show_command(const PlayArguments& arguments, const MakeShowOptions& make);

}  // namespace tilewall::cli
