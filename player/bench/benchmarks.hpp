// The benchmarks under `tilewall bench`: one file each, added to `bench` as its subcommands.
#pragma once

#include "player/command/command.hpp"

namespace tilewall {

/// Adds the command `bench` to `app`; it sets `run` when the user chose one of its benchmarks.
void add_bench_command(CLI::App& app, CommandRun& run);

void add_bench_clock(CLI::App& bench, CommandRun& run);
void add_bench_control(CLI::App& bench, CommandRun& run);
void add_bench_decode(CLI::App& bench, CommandRun& run);
void add_bench_disk(CLI::App& bench, CommandRun& run);
void add_bench_import(CLI::App& bench, CommandRun& run);
void add_bench_movie(CLI::App& bench, CommandRun& run);
void add_bench_net(CLI::App& bench, CommandRun& run);
void add_bench_pan(CLI::App& bench, CommandRun& run);
void add_bench_render(CLI::App& bench, CommandRun& run);
void add_bench_swap(CLI::App& bench, CommandRun& run);
void add_bench_upload(CLI::App& bench, CommandRun& run);
void add_bench_wall(CLI::App& bench, CommandRun& run);

}  // namespace tilewall
