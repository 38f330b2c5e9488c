#include "player/bench/benchmarks.hpp"

namespace tilewall::bench {

void add_bench_command(CLI::App& app, command::CommandRun& run) {
  CLI::App* const bench = app.add_subcommand("bench", "Measures one component beside its limit");
  bench->require_subcommand(1);
  bench->footer("Example: tilewall bench decode");
#define TILEWALL_MAKE_BENCHMARK(name) name##_benchmark(),
  for (const Benchmark& benchmark : {TILEWALL_BENCHMARKS(TILEWALL_MAKE_BENCHMARK)}) {
#undef TILEWALL_MAKE_BENCHMARK
    CLI::App* const own = bench->add_subcommand(benchmark.name, benchmark.help);
    own->callback([&run, chosen = benchmark.add_options(*own)] { run = chosen; });
  }
}

}  // namespace tilewall::bench
