// tilewall bench movie: an ordinary movie played on fifteen panels of this machine without import,
// beside one decode of it.
//
//   $ tilewall bench movie movie.mp4
//   (one line with both rates and where the time goes, and the machine)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/command/demo_movie.hpp"
#include "player/command/number_check.hpp"
#include "player/movie/cache/movie_cache.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::bench {
namespace {

constexpr std::chrono::minutes movie_run_limit{10};
// Requested rate as a share of the decode's. With late policy slow all frames are shown, so the
// wall never waits; with drop only those in time.
constexpr double asked_slow = 2;
constexpr double asked_drop = 0.75;

struct BenchMovieArguments {
  std::string input;
  std::string wall;
  std::string launcher = "mpirun";
  std::string late = "slow";
  std::optional<double> asked;  // empty: the rate of the policy
  int frames = 360;
  int runs = 3;
  bool json = false;
};

struct MovieRuns {
  std::vector<double> decode_fps;
  std::vector<double> wall_fps;
  std::vector<double> ratio;
  std::vector<double> decoder_cpu_ms;  // CPU time per frame of the host's decoder
  std::vector<double> scale_cpu_ms;    // CPU time per frame of all panels
  std::vector<double> shown_share;     // frames shown on all panels / frames due
};

/// Number of frames among the first `frames`, and the rate at which they are decoded and dropped.
struct DecodeRate {
  std::int64_t frames = 0;
  double fps = 0;
};

DecodeRate measure_decode(const std::string& file, std::int64_t frames) {
  movie::FrameCursor cursor(file);
  const auto start = std::chrono::steady_clock::now();
  DecodeRate rate;
  while (rate.frames < frames) {
    const auto picture = cursor.next();
    if (!picture) break;
    rate.frames = picture->span.first + picture->span.count;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  rate.fps = static_cast<double>(rate.frames) / elapsed.count();
  return rate;
}

nlohmann::json play(const BenchMovieArguments& arguments, const DecodeRate& decode,
                    const std::filesystem::path& folder) {
  const std::filesystem::path report = folder / "report.json";
  const double asked = arguments.asked.value_or(arguments.late == "drop" ? asked_drop : asked_slow);
  const int fps = std::clamp(static_cast<int>(decode.fps * asked), 1, max_play_fps);
  std::vector<std::string> command = {own_program("tilewall").string(),
                                      "play",
                                      arguments.input,
                                      "--headless",
                                      "--presenter",
                                      "cpu",
                                      "--local",
                                      "--late",
                                      arguments.late,
                                      "--fps",
                                      std::to_string(fps),
                                      "--frames",
                                      std::to_string(decode.frames),
                                      "--launcher",
                                      arguments.launcher,
                                      "--report",
                                      report.string()};
  if (!arguments.wall.empty()) command.insert(command.end(), {"--wall", arguments.wall});
  const ChildEnd end =
      wait_for(start_program(command, {{}, folder / "play.log", false}), movie_run_limit);
  auto json = nlohmann::json::parse(read_text_file(report, max_report_bytes), nullptr, false);
  if (end.signal != 0 || end.exit_code != exit_done || !json.is_object() ||
      !json.contains("decoders"))
    throw JobError(json.is_object() ? json.value("error", arguments.input + ": did not play")
                                    : arguments.input + ": did not play");
  return json;
}

void add_run(const BenchMovieArguments& arguments, const std::filesystem::path& folder,
             MovieRuns& runs) {
  const DecodeRate decode = measure_decode(arguments.input, arguments.frames);
  const nlohmann::json report = play(arguments, decode, folder);
  const auto frames = static_cast<double>(decode.frames);
  double scale_s = 0;
  for (const auto& panel : report.at("per_panel")) scale_s += panel.at("decode_s").get<double>();
  double decode_s = 0;
  double pictures = 0;
  for (const auto& decoder : report.at("decoders")) {
    decode_s += decoder.at("decode_cpu_s").get<double>();
    pictures += decoder.at("decoded_pictures").get<double>();
  }
  runs.decode_fps.push_back(decode.fps);
  runs.wall_fps.push_back(report.at("fps").get<double>());
  runs.ratio.push_back(runs.wall_fps.back() / decode.fps);
  runs.decoder_cpu_ms.push_back(1e3 * decode_s / std::max(1.0, pictures));
  runs.scale_cpu_ms.push_back(1e3 * scale_s / frames);
  runs.shown_share.push_back(report.at("frames_shown").get<double>() / frames);
}

nlohmann::json report_of(const MovieRuns& runs, const BenchMovieArguments& arguments) {
  nlohmann::json report = bench_header(arguments.runs);
  report["input"] = arguments.input;
  report["late_policy"] = arguments.late;
  const auto add = [&report](const std::string& key, const std::vector<double>& values) {
    report[key] = median(values);
    report[key + "_spread"] = median_and_p95(values);
  };
  add("decode_fps", runs.decode_fps);
  add("wall_fps", runs.wall_fps);
  add("ratio_to_decode", runs.ratio);
  add("decoder_cpu_ms_per_frame", runs.decoder_cpu_ms);
  add("scale_cpu_ms_per_frame", runs.scale_cpu_ms);
  add("shown_share", runs.shown_share);
  // The limit of all cores, if decoding and scaling were the only work.
  const double decoder_ms = report.at("decoder_cpu_ms_per_frame");
  const double bound =
      decoder_ms / (decoder_ms + report.at("scale_cpu_ms_per_frame").get<double>());
  report["bound"] = bound;
  report["ratio_to_bound"] = report.at("ratio_to_decode").get<double>() / bound;
  return report;
}

void print_movie_report(const nlohmann::json& report) {
  const auto value = [&report](const char* key) { return report.at(key).get<double>(); };
  fmt::print(
      "decode {:.1f} frames/s, wall {:.1f} ({:.1f} % of the frames on all panels), ratio {:.3f}; a "
      "frame costs {:.2f} cpu-ms in the decoder and {:.2f} in the panels' scaling, which alone "
      "would "
      "allow {:.3f}\n",
      value("decode_fps"), value("wall_fps"), 100 * value("shown_share"), value("ratio_to_decode"),
      value("decoder_cpu_ms_per_frame"), value("scale_cpu_ms_per_frame"), value("bound"));
  fmt::print("{} runs, medians; {}, {} cores; commit {}\n", report.at("runs").get<int>(),
             report.at("machine").at("cpu").get<std::string>(),
             report.at("machine").at("cores").get<unsigned>(),
             report.at("commit").get<std::string>());
}

int run_bench_movie(const BenchMovieArguments& arguments) {
  const ScratchFolder scratch("");
  MovieRuns runs;
  for (int i = 0; i < arguments.runs; ++i) add_run(arguments, scratch.path(), runs);
  const nlohmann::json report = report_of(runs, arguments);
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_movie_report(report);
  return exit_done;
}

command::CommandRun add_movie_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchMovieArguments>();
  command.add_option("FILE", arguments->input, "a movie; without: the demo's own");
  command.add_option("--wall", arguments->wall, "wall file; without: the small 5x3");
  command.add_option("--frames", arguments->frames, "frames from the start that are played")
      ->check(command::NumberIn(2, 100000))
      ->capture_default_str();
  command.add_option("--late", arguments->late, "late policy")
      ->check(CLI::IsMember({"slow", "drop"}))
      ->capture_default_str();
  command
      .add_option("--asked", arguments->asked,
                  "rate asked for, as a share of one decode's; without: 2, or 0.75 with drop")
      ->check(command::NumberIn(0.05, 4.0));
  command.add_option("--runs", arguments->runs, "decode and wall, by turns")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--launcher", arguments->launcher, "what starts the panels")
      ->capture_default_str();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.footer("Example: tilewall bench movie movie.mp4 --json");
  return [arguments] {
    if (arguments->input.empty()) {
      arguments->input = (movie::cache_folder() / "demo.mp4").string();
      command::make_demo_movie(arguments->input, {});
    }
    return run_bench_movie(*arguments);
  };
}

}  // namespace

Benchmark movie_benchmark() {
  return {"movie", "An ordinary movie on local panels against one decode of it", add_movie_options};
}

}  // namespace tilewall::bench
