// tilewall bench import: an import beside what its stages cost alone on all cores.
//
//   $ tilewall bench import movie.mp4 --wall wallconfigs/mini-5x3.toml
//   import 143.8 frames/s, limit 184.2 (decode 391.0, scale 1070.2, encode 518.3), ratio 0.781
#include <fmt/format.h>

#include <memory>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/command/demo_movie.hpp"
#include "player/command/number_check.hpp"
#include "player/movie/cache/movie_cache.hpp"
#include "player/movie/convert/import_limits.hpp"
#include "player/movie/convert/movie_size.hpp"
#include "sync/base/error.hpp"

namespace tilewall::bench {
namespace {

struct BenchImportArguments {
  std::string input;
  std::string wall;
  std::string folder;  // "" = the system's temporary folder
  int frames = 240;
  int runs = 5;
  bool json = false;
};

// One value a run of each.
struct ImportRuns {
  std::vector<double> import_fps;
  std::vector<double> limit_fps;
  std::vector<double> ratio;
  std::vector<double> decode_fps;
  std::vector<double> scale_fps;
  std::vector<double> encode_fps;
};

void add_run(movie::ImportOptions options, const BenchImportArguments& arguments,
             ImportRuns& runs) {
  const movie::StageSeconds stages = movie::measure_import_stages(options, arguments.frames);
  options.overwrite = true;
  movie::SilentProgress silent;
  const movie::ImportResult result = movie::import_movie(options, silent);
  const double import_fps = static_cast<double>(result.written_frames) / result.duration_s;
  runs.import_fps.push_back(import_fps);
  runs.limit_fps.push_back(stages.limit_fps());
  runs.ratio.push_back(import_fps / stages.limit_fps());
  runs.decode_fps.push_back(1 / stages.decode_s);
  runs.scale_fps.push_back(1 / stages.scale_s);
  runs.encode_fps.push_back(1 / stages.encode_s);
}

nlohmann::json report_of(const ImportRuns& runs, const BenchImportArguments& arguments) {
  nlohmann::json report = bench_header(arguments.runs);
  report["input"] = arguments.input;
  report["wall"] = arguments.wall;
  report["frames"] = arguments.frames;
  const auto add = [&report](const std::string& key, const std::vector<double>& values) {
    report[key] = median(values);
    report[key + "_spread"] = median_and_p95(values);
  };
  add("import_fps", runs.import_fps);
  add("limit_fps", runs.limit_fps);
  add("ratio_to_limit", runs.ratio);
  add("decode_fps", runs.decode_fps);
  add("scale_fps", runs.scale_fps);
  add("encode_fps", runs.encode_fps);
  return report;
}

void print_import_report(const nlohmann::json& report) {
  const auto value = [&report](const char* key) { return report.at(key).get<double>(); };
  fmt::print(
      "import {:.1f} frames/s, limit {:.1f} (decode {:.1f}, scale {:.1f}, encode {:.1f}), ratio "
      "{:.3f}\n",
      value("import_fps"), value("limit_fps"), value("decode_fps"), value("scale_fps"),
      value("encode_fps"), value("ratio_to_limit"));
  fmt::print(
      "{} runs of {} frames, medians; {}, {} cores; commit {}\n", report.at("runs").get<int>(),
      report.at("frames").get<int>(), report.at("machine").at("cpu").get<std::string>(),
      report.at("machine").at("cores").get<unsigned>(), report.at("commit").get<std::string>());
}

int run_bench_import(const BenchImportArguments& arguments) {
  const ScratchFolder scratch(arguments.folder);
  movie::ImportOptions options;
  options.inputs = {arguments.input};
  options.output = scratch.path() / "movie";
  options.frames = movie::FrameRange{0, arguments.frames - 1};
  if (!arguments.wall.empty())
    options.wall = movie::wall_target_of(wall::load_wall(arguments.wall));
  ImportRuns runs;
  for (int i = 0; i < arguments.runs; ++i) add_run(options, arguments, runs);
  const nlohmann::json report = report_of(runs, arguments);
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_import_report(report);
  return exit_done;
}

command::CommandRun add_import_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchImportArguments>();
  command.add_option("INPUT", arguments->input, "a movie; without: the demo's own");
  command.add_option("--wall", arguments->wall, "wall file the movie is imported for");
  command.add_option("--frames", arguments->frames, "frames from the start that are imported")
      ->check(command::NumberIn(1, 100000))
      ->capture_default_str();
  command.add_option("--runs", arguments->runs, "rounds that count")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--folder", arguments->folder, "where the movie is written for a while");
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.footer(
      "Example: tilewall bench import movie.mp4 --wall wallconfigs/mini-5x3.toml --json");
  return [arguments] {
    if (arguments->input.empty()) {
      arguments->input = (movie::cache_folder() / "demo.mp4").string();
      command::make_demo_movie(arguments->input, {});
    }
    return run_bench_import(*arguments);
  };
}

}  // namespace

Benchmark import_benchmark() {
  return {"import", "An import against decoding, scaling and encoding alone", add_import_options};
}

}  // namespace tilewall::bench
