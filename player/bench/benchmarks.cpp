#include "player/bench/benchmarks.hpp"

namespace tilewall {

void add_bench_command(CLI::App& app, CommandRun& run) {
  CLI::App* bench = app.add_subcommand("bench", "Measures one component beside its limit");
  bench->require_subcommand(1);
  bench->footer("Example: tilewall bench decode");
  add_bench_clock(*bench, run);
  add_bench_control(*bench, run);
  add_bench_decode(*bench, run);
  add_bench_disk(*bench, run);
  add_bench_import(*bench, run);
  add_bench_movie(*bench, run);
  add_bench_net(*bench, run);
  add_bench_pan(*bench, run);
  add_bench_render(*bench, run);
  add_bench_swap(*bench, run);
  add_bench_upload(*bench, run);
  add_bench_wall(*bench, run);
}

}  // namespace tilewall
