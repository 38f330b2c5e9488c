// tilewall bench decode: blocks of one panel of a wall movie against TurboJPEG on the same pixels.
//
//   $ tilewall bench decode --runs 15
//   (a table like the one in print_decode_table, and the machine it ran on)
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/decode_case.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::bench {
namespace {

struct BenchDecodeArguments {
  bool json = false;
  int runs = 15;
  std::string folder;  // where the movies are written; "" = the system's temporary folder
};

constexpr double panel_pixels = double{bench_panel_px.width} * bench_panel_px.height;

std::vector<double> mpixel_s(const std::vector<double>& seconds) {
  std::vector<double> rates;
  rates.reserve(seconds.size());
  for (const double s : seconds) rates.push_back(panel_pixels / s * 1e-6);
  return rates;
}

// The ratio is taken round by round, so that disturbances of both cancel out.
double median_ratio(const std::vector<double>& reference_s, const std::vector<double>& seconds) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < seconds.size(); ++i) ratios.push_back(reference_s[i] / seconds[i]);
  return median(ratios);
}

nlohmann::json to_json(const DecodeCase& result) {
  return {{"case", result.name},
          {"bytes_per_px", result.bytes_per_px},
          {"psnr_to_one_jpeg_db", result.jpeg_psnr_db},
          {"turbojpeg_mpixel_s", median(mpixel_s(result.turbojpeg.wall_s))},
          {"blocks_mpixel_s", median(mpixel_s(result.blocks.wall_s))},
          {"ratio_1_thread", median_ratio(result.turbojpeg.cpu_s, result.blocks.cpu_s)},
          {"ratio_1_thread_wall", median_ratio(result.turbojpeg.wall_s, result.blocks.wall_s)},
          {"speedup_2_threads", median_ratio(result.blocks.wall_s, result.blocks_2.wall_s)},
          {"hidden_bezels_ratio", median_ratio(result.turbojpeg.cpu_s, result.hidden_bezels.cpu_s)},
          {"read_amplification", result.read_amplification},
          {"hidden_bezels_read_amplification", result.hidden_read_amplification},
          {"hidden_bezels_block_px", {result.hidden_block_px.width, result.hidden_block_px.height}},
          {"turbojpeg_s", median_and_p95(result.turbojpeg.wall_s)},
          {"turbojpeg_cpu_s", median_and_p95(result.turbojpeg.cpu_s)},
          {"blocks_s", median_and_p95(result.blocks.wall_s)},
          {"blocks_cpu_s", median_and_p95(result.blocks.cpu_s)},
          {"blocks_2_threads_s", median_and_p95(result.blocks_2.wall_s)},
          {"blocks_2_threads_cpu_s", median_and_p95(result.blocks_2.cpu_s)},
          {"hidden_bezels_s", median_and_p95(result.hidden_bezels.wall_s)},
          {"hidden_bezels_cpu_s", median_and_p95(result.hidden_bezels.cpu_s)}};
}

// The top level has the worst case of each figure.
nlohmann::json report_of(const nlohmann::json& cases, int runs) {
  nlohmann::json report = bench_header(runs);
  for (const char* key : {"turbojpeg_mpixel_s", "blocks_mpixel_s", "ratio_1_thread",
                          "ratio_1_thread_wall", "speedup_2_threads", "hidden_bezels_ratio"}) {
    double least = cases.front().at(key);
    for (const auto& one : cases) least = std::min(least, one.at(key).get<double>());
    report[key] = least;
  }
  for (const char* key : {"read_amplification", "hidden_bezels_read_amplification"}) {
    double most = 0;
    for (const auto& one : cases) most = std::max(most, one.at(key).get<double>());
    report[key] = most;
  }
  report["cases"] = cases;
  return report;
}

void print_decode_table(const nlohmann::json& report) {
  fmt::print("{:<18} {:>7} {:>10} {:>10} {:>9} {:>9} {:>7} {:>7} {:>7}\n", "case", "byte/px",
             "one JPEG", "blocks", "ratio", "2 threads", "hidden", "read", "hidden");
  fmt::print("{:<18} {:>7} {:>10} {:>10} {:>9} {:>9} {:>7} {:>7} {:>7}\n", "", "", "Mpixel/s",
             "Mpixel/s", "of CPU", "speed-up", "bezels", "amplif.", "amplif.");
  for (const auto& one : report.at("cases"))
    fmt::print("{:<18} {:>7.3f} {:>10.1f} {:>10.1f} {:>9.3f} {:>9.2f} {:>7.3f} {:>7.3f} {:>7.3f}\n",
               one.at("case").get<std::string>(), one.at("bytes_per_px").get<double>(),
               one.at("turbojpeg_mpixel_s").get<double>(), one.at("blocks_mpixel_s").get<double>(),
               one.at("ratio_1_thread").get<double>(), one.at("speedup_2_threads").get<double>(),
               one.at("hidden_bezels_ratio").get<double>(),
               one.at("read_amplification").get<double>(),
               one.at("hidden_bezels_read_amplification").get<double>());
  fmt::print("{} runs, medians; {}, {} cores; commit {}\n", report.at("runs").get<int>(),
             report.at("machine").at("cpu").get<std::string>(),
             report.at("machine").at("cores").get<unsigned>(),
             report.at("commit").get<std::string>());
}

int run_bench_decode(const BenchDecodeArguments& arguments) {
  const ScratchFolder folder(arguments.folder);
  nlohmann::json cases = nlohmann::json::array();
  for (const BenchContent content : {BenchContent::photographic, BenchContent::false_colour})
    for (const movie::Chroma chroma : {movie::Chroma::yuv420, movie::Chroma::yuv444})
      cases.push_back(to_json(run_decode_case(content, chroma, arguments.runs, folder.path())));
  const nlohmann::json report = report_of(cases, arguments.runs);
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_decode_table(report);
  return exit_done;
}

command::CommandRun add_decode_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchDecodeArguments>();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.add_option("--runs", arguments->runs, "rounds that count")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--folder", arguments->folder, "where about 50 MB are written for a while");
  command.footer("Example: tilewall bench decode --json");
  return [arguments] { return run_bench_decode(*arguments); };
}

}  // namespace

Benchmark decode_benchmark() {
  return {"decode", "Blocks of one panel of a 12800x4800 wall movie against one JPEG of its pixels",
          add_decode_options};
}

}  // namespace tilewall::bench
