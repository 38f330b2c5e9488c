// tilewall bench upload: what putting a finished picture onto a panel costs, presenter by
// presenter, beside a plain copy of its bytes in the same run.
//
//   $ tilewall bench upload
//   presenter        by        ms  cpu ms   MB/s  of memcpy
//   null             null    0.00    0.00      -          -
//   cpu, in memory   cpu     1.42    1.41  11537       0.86
//   (and so on; a presenter that cannot be had says why)
#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <memory>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/command/number_check.hpp"
#include "player/present/presenter.hpp"
#include "sync/base/error.hpp"

namespace tilewall::bench {
namespace {

constexpr SizePx upload_px = {2560, 1600};
constexpr std::size_t row_bytes = std::size_t{upload_px.width} * 4;
constexpr std::size_t upload_bytes = row_bytes * upload_px.height;

struct BenchUploadArguments {
  bool json = false;
  int runs = 30;
};

struct UploadCase {
  const char* name;
  present::PresenterKind kind;
  bool headless;
};
constexpr UploadCase upload_cases[] = {{"null", present::PresenterKind::null, true},
                                       {"cpu, in memory", present::PresenterKind::cpu, true},
                                       {"cpu, window", present::PresenterKind::cpu, false},
                                       {"gl, offscreen", present::PresenterKind::gl, true},
                                       {"gl, window", present::PresenterKind::gl, false}};

struct Picture {
  explicit Picture(int seed) : bytes(upload_bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(i * 7 + (i >> 12) + static_cast<std::size_t>(seed));
  }
  [[nodiscard]] ImageView view() { return {bytes.data(), upload_px, row_bytes}; }
  std::vector<std::uint8_t> bytes;
};

/// CPU time of all threads, since a software renderer has threads of its own.
double cpu_ms() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double wall_ms() { return static_cast<double>(local_now().since_epoch.count()) / 1e6; }

struct Times {
  std::vector<double> wall_ms;
  std::vector<double> cpu_ms;
};

template <typename Work>
void add_run(Times& times, Work&& work) {
  const double wall_before = wall_ms();
  const double cpu_before = cpu_ms();
  work();
  times.cpu_ms.push_back(cpu_ms() - cpu_before);
  times.wall_ms.push_back(wall_ms() - wall_before);
}

/// Measures by turns: one picture through the presenter, one copied.
nlohmann::json measure(const UploadCase& one, int runs) {
  constexpr int warm_up = 3;
  present::PresenterOptions options;
  options.kind = one.kind;
  options.headless = one.headless;
  options.title = "tilewall bench upload";
  options.frame_buffer_px = upload_px;
  options.vsync = false;
  const auto presenter = present::make_presenter(options);
  Picture pictures[2] = {Picture(0), Picture(99)};
  std::vector<std::uint8_t> copy(upload_bytes);
  Times present;
  Times memcpy_;
  for (int run = -warm_up; run < runs; ++run) {
    static_cast<void>(presenter->poll_input());
    Picture& picture = pictures[run & 1];
    Times ignored;
    add_run(run < 0 ? ignored : present, [&] {
      presenter->prepare(picture.view());
      presenter->swap();
    });
    add_run(run < 0 ? ignored : memcpy_,
            [&] { std::memcpy(copy.data(), picture.bytes.data(), upload_bytes); });
  }
  const double mbyte = static_cast<double>(upload_bytes) / 1e6;
  const double ms = median(present.wall_ms);
  nlohmann::json row = {{"presenter", one.name},
                        {"by", presenter->name()},
                        {"ms", ms},
                        {"cpu_ms", median(present.cpu_ms)},
                        {"wall_ms", median_and_p95(present.wall_ms)},
                        {"memcpy_ms", median(memcpy_.wall_ms)}};
  if (one.kind == present::PresenterKind::null) return row;  // the null presenter copies nothing
  row["mbyte_s"] = mbyte / ms * 1e3;
  row["ratio_to_memcpy"] = median(memcpy_.wall_ms) / ms;
  return row;
}

nlohmann::json report_of(int runs) {
  nlohmann::json report = bench_header(runs);
  report["picture_width_px"] = upload_px.width;
  report["picture_height_px"] = upload_px.height;
  for (const UploadCase& one : upload_cases) {
    try {
      report["rows"].push_back(measure(one, runs));
    } catch (const JobError& error) {
      report["rows"].push_back({{"presenter", one.name}, {"skipped", error.what()}});
    }
  }
  return report;
}

void print_row(const nlohmann::json& row) {
  if (row.contains("skipped")) {
    fmt::print("{:<16} skipped: {}\n", row.at("presenter").get<std::string>(),
               row.at("skipped").get<std::string>());
    return;
  }
  const bool copies = row.contains("mbyte_s");
  fmt::print("{:<16} {:<6} {:>8.2f} {:>8.2f} {:>8} {:>10}\n",
             row.at("presenter").get<std::string>(), row.at("by").get<std::string>(),
             row.at("ms").get<double>(), row.at("cpu_ms").get<double>(),
             copies ? fmt::format("{:.0f}", row.at("mbyte_s").get<double>()) : "-",
             copies ? fmt::format("{:.2f}", row.at("ratio_to_memcpy").get<double>()) : "-");
}

int run_bench_upload(const BenchUploadArguments& arguments) {
  const nlohmann::json report = report_of(arguments.runs);
  if (arguments.json) {
    fmt::print("{}\n", report.dump());
    return exit_done;
  }
  fmt::print("one {}x{} picture, {} runs, medians\n", upload_px.width, upload_px.height,
             arguments.runs);
  fmt::print("{:<16} {:<6} {:>8} {:>8} {:>8} {:>10}\n", "presenter", "by", "ms", "cpu ms", "MB/s",
             "of memcpy");
  for (const auto& row : report.at("rows")) print_row(row);
  fmt::print("{}; commit {}; the X server's own time is not in \"cpu ms\"\n",
             report.at("machine").at("cpu").get<std::string>(),
             report.at("commit").get<std::string>());
  return exit_done;
}

command::CommandRun add_upload_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchUploadArguments>();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.add_option("--runs", arguments->runs, "pictures that count, for each presenter")
      ->check(command::NumberIn(1, 10'000))
      ->capture_default_str();
  command.footer("Example: tilewall bench upload --json");
  return [arguments] { return run_bench_upload(*arguments); };
}

}  // namespace

Benchmark upload_benchmark() {
  return {"upload", "Presenting one picture, by every presenter there is", add_upload_options};
}

}  // namespace tilewall::bench
