// The commands of the program, each in a file of its own. `bench` is in player/bench/benchmarks,
// `ctl` in player/cli/ctl/ctl_command.
#pragma once

#include "player/command/command.hpp"

namespace tilewall::cli {

// Each function adds a subcommand to `app`, with options, help and an example. Parsing sets `run`
// if the user typed that subcommand; both must outlive the parsing.
void add_brick_command(CLI::App& app, command::CommandRun& run);
void add_cache_command(CLI::App& app, command::CommandRun& run);
void add_clock_command(CLI::App& app, command::CommandRun& run);
void add_clockd_command(CLI::App& app, command::CommandRun& run);
void add_demo_command(CLI::App& app, command::CommandRun& run);
void add_export_command(CLI::App& app, command::CommandRun& run);
void add_import_command(CLI::App& app, command::CommandRun& run);
void add_info_command(CLI::App& app, command::CommandRun& run);
void add_key_command(CLI::App& app, command::CommandRun& run);
void add_manual_command(CLI::App& app, command::CommandRun& run);
void add_path_command(CLI::App& app, command::CommandRun& run);
void add_play_command(CLI::App& app, command::CommandRun& run);
void add_present_command(CLI::App& app, command::CommandRun& run);
void add_render_command(CLI::App& app, command::CommandRun& run);
void add_serve_command(CLI::App& app, command::CommandRun& run);
void add_view_command(CLI::App& app, command::CommandRun& run);
void add_wall_command(CLI::App& app, command::CommandRun& run);

}  // namespace tilewall::cli
