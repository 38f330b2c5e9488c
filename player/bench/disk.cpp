// tilewall bench disk: how fast this disk reads, pattern by pattern, and what of that a panel's
// reading of a wall movie reaches.
//
//   $ tilewall bench disk --folder /data
//   (a table like the one in print_disk_table, and the machine it ran on)
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/disk_reading.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::bench {
namespace {

struct BenchDiskArguments {
  bool json = false;
  int runs = 3;
  int file_mib = 512;
  std::string folder;  // "" = the system's temporary folder
};

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

std::vector<ReadPattern> patterns() {
  std::vector<ReadPattern> all;
  for (const std::size_t size : {64 * kib, mib, 4 * mib}) {
    all.push_back({ReadEngine::cached, size, 1});
    all.push_back({ReadEngine::buffered, size, 1});
    all.push_back({ReadEngine::direct, size, 1});
    for (const int depth : {2, 4, 16}) all.push_back({ReadEngine::ring, size, depth});
  }
  return all;
}

nlohmann::json latency_json(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  const auto rank = [&](double share) {
    return ms[std::min(ms.size() - 1, static_cast<std::size_t>(share * double(ms.size())))];
  };
  return {{"p50", rank(0.5)}, {"p99", rank(0.99)}, {"max", ms.back()}};
}

nlohmann::json measure_rows(const BenchDiskArguments& arguments,
                            const std::filesystem::path& file) {
  struct Row {
    ReadPattern pattern;
    std::vector<double> gbyte_s;
    std::vector<double> cpu_s_per_gbyte;
    std::vector<double> latency_ms;
  };
  std::vector<Row> rows;
  for (const ReadPattern& pattern : patterns()) rows.push_back({pattern, {}, {}, {}});
  for (int run = 0; run < arguments.runs; ++run)
    for (Row& row : rows) {
      const ReadTimes times = measure_reading(file, row.pattern);
      const double gbytes = static_cast<double>(times.bytes) * 1e-9;
      row.gbyte_s.push_back(gbytes / times.wall_s);
      row.cpu_s_per_gbyte.push_back(times.cpu_s / gbytes);
      row.latency_ms.insert(row.latency_ms.end(), times.latency_ms.begin(), times.latency_ms.end());
    }
  nlohmann::json json = nlohmann::json::array();
  for (const Row& row : rows)
    json.push_back({{"pattern", to_string(row.pattern.engine)},
                    {"size_bytes", row.pattern.size_bytes},
                    {"depth", row.pattern.depth},
                    {"read_gbyte_s", median(row.gbyte_s)},
                    {"iops", median(row.gbyte_s) * 1e9 / double(row.pattern.size_bytes)},
                    {"cpu_s_per_gbyte", median(row.cpu_s_per_gbyte)},
                    {"latency_ms", latency_json(row.latency_ms)}});
  return json;
}

/// The best rate of the uncached patterns.
double best_gbyte_s(const nlohmann::json& rows) {
  double best = 0;
  for (const auto& row : rows)
    if (row.at("pattern") != to_string(ReadEngine::cached))
      best = std::max(best, row.at("read_gbyte_s").get<double>());
  return best;
}

void print_disk_table(const nlohmann::json& report) {
  fmt::print("{:<10} {:>9} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "pattern", "size", "depth",
             "GB/s", "reads/s", "CPU s/GB", "p50 ms", "p99 ms");
  for (const auto& row : report.at("rows"))
    fmt::print("{:<10} {:>5} KiB {:>6} {:>8.2f} {:>9.0f} {:>9.3f} {:>9.3f} {:>9.3f}\n",
               row.at("pattern").get<std::string>(), row.at("size_bytes").get<std::size_t>() / kib,
               row.at("depth").get<int>(), row.at("read_gbyte_s").get<double>(),
               row.at("iops").get<double>(), row.at("cpu_s_per_gbyte").get<double>(),
               row.at("latency_ms").at("p50").get<double>(),
               row.at("latency_ms").at("p99").get<double>());
  const auto& panel = report.at("panel");
  fmt::print(
      "a 2560x1600 panel of a wall movie, frames/s: cached {:.1f}, from the disk {:.1f}, "
      "from the disk read ahead {:.1f}\n",
      panel.at("cached_fps").get<double>(), panel.at("cold_fps").get<double>(),
      panel.at("read_ahead_fps").get<double>());
  fmt::print("{} runs, medians; {}, {} cores; commit {}\n", report.at("runs").get<int>(),
             report.at("machine").at("cpu").get<std::string>(),
             report.at("machine").at("cores").get<unsigned>(),
             report.at("commit").get<std::string>());
}

int run_bench_disk(const BenchDiskArguments& arguments) {
  const ScratchFolder folder(arguments.folder);
  const std::filesystem::path file = folder.path() / "data";
  write_disk_file(file, static_cast<std::uint64_t>(arguments.file_mib) * mib);
  nlohmann::json report = bench_header(arguments.runs);
  report["rows"] = measure_rows(arguments, file);
  report["best_gbyte_s"] = best_gbyte_s(report["rows"]);
  const PanelFromDisk panel = measure_panel_from_disk(folder.path() / "movie", arguments.runs);
  report["panel"] = {{"cached_fps", panel.cached_fps},
                     {"cold_fps", panel.cold_fps},
                     {"read_ahead_fps", panel.read_ahead_fps}};
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_disk_table(report);
  return exit_done;
}

command::CommandRun add_disk_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchDiskArguments>();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.add_option("--folder", arguments->folder, "a folder on the disk that is measured");
  command.add_option("--file-mib", arguments->file_mib, "size of the file that is written there")
      ->check(command::NumberIn(16, 1 << 20))
      ->capture_default_str();
  command.add_option("--runs", arguments->runs, "rounds over all patterns")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.footer("Example: tilewall bench disk --folder /data");
  return [arguments] { return run_bench_disk(*arguments); };
}

}  // namespace

Benchmark disk_benchmark() {
  return {"disk", "How fast a disk reads: cached, buffered, direct, many reads in flight",
          add_disk_options};
}

}  // namespace tilewall::bench
