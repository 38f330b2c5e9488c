// What one command of the program gives main(): its options, its help with an example, and its run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace tilewall {

/// Returns the exit code. Throws InputError (exit 2) or JobError (exit 1); main() prints the line.
using CommandRun = std::function<int()>;

// One file a command. Each adds its subcommand to `app` and sets `run` when the user chose it.
void add_bench_command(CLI::App& app, CommandRun& run);
void add_brick_command(CLI::App& app, CommandRun& run);
void add_cache_command(CLI::App& app, CommandRun& run);
void add_clock_command(CLI::App& app, CommandRun& run);
void add_clockd_command(CLI::App& app, CommandRun& run);
void add_ctl_command(CLI::App& app, CommandRun& run);
void add_demo_command(CLI::App& app, CommandRun& run);
void add_export_command(CLI::App& app, CommandRun& run);
void add_import_command(CLI::App& app, CommandRun& run);
void add_info_command(CLI::App& app, CommandRun& run);
void add_key_command(CLI::App& app, CommandRun& run);
void add_manual_command(CLI::App& app, CommandRun& run);
void add_play_command(CLI::App& app, CommandRun& run);
void add_serve_command(CLI::App& app, CommandRun& run);
void add_view_command(CLI::App& app, CommandRun& run);
void add_wall_command(CLI::App& app, CommandRun& run);

}  // namespace tilewall
