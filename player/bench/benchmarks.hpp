// The benchmarks under `tilewall bench`: one file each.
#pragma once

#include "player/command/command.hpp"

namespace tilewall::bench {

/// One benchmark: its subcommand of `bench`, and its run.
struct Benchmark {
  const char* name;  ///< Name of the subcommand
  const char* help;  ///< Line in `tilewall bench --help`
  /// Adds options to the benchmark's own subcommand; returns what runs it.
  command::CommandRun (*add_options)(CLI::App& own);
};

// The table of benchmarks, in the order of the help. To add one, write NAME.cpp with
// NAME_benchmark() and add its line here.
// clang-format off
#define TILEWALL_BENCHMARKS(one) \
  one(clock) \
  one(console) \
  one(control) \
  one(decode) \
  one(disk) \
  one(import) \
  one(live) \
  one(movie) \
  one(movie_render) \
  one(net) \
  one(pan) \
  one(render) \
  one(swap) \
  one(upload) \
  one(wall)
// clang-format on

#define TILEWALL_DECLARE_BENCHMARK(name) Benchmark name##_benchmark();
TILEWALL_BENCHMARKS(TILEWALL_DECLARE_BENCHMARK)
#undef TILEWALL_DECLARE_BENCHMARK

/// Adds the command `bench` to `app`; it sets `run` when the user chose one of its benchmarks.
void add_bench_command(CLI::App& app, command::CommandRun& run);

}  // namespace tilewall::bench
