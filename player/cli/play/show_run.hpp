// Runs a show, and writes its result to stdout, stderr and --report.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>

#include "player/cli/play/play_arguments.hpp"
#include "player/cli/play/resume.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

/// Is called with the report of a show, after its summary. Returns the exit code of a show that has
/// not failed.
using JudgeReport = std::function<int(const nlohmann::json& report)>;

/// Runs the show, prints the result, then writes --report. Returns the exit code. `judge` may be
/// empty.
int play_show(const PlayArguments& arguments, supervisor::SupervisorOptions options,
              const JudgeReport& judge = {});

/// Runs a command that plays a show: parses the options and plays it. If that throws, --report gets
/// the error, and the exception goes on.
int run_show_command(const PlayArguments& arguments);

/// The options of a show, checked; inputs are opened. May be stopped.
using MakeShowOptions = std::function<supervisor::SupervisorOptions(const std::stop_token& stop)>;
/// The same for a command whose options are made by `make`.
int run_show_command(const PlayArguments& arguments, const MakeShowOptions& make,
                     const JudgeReport& judge = {});

/// Goes on with the show of --resume, whose command line is read again by `parse`.
int resume_show_command(const PlayArguments& arguments, const ParseShow& parse);

}  // namespace tilewall::cli
