// tilewall bench swap: how far apart processes commit that wait for one instant by our clock,
// beside the same processes that meet in MPI_Barrier.
//
//   $ tilewall bench swap --load
//   15 processes on 2 cores, 60 frames a second, each way for 10 s, by turns a second long
//   load  wait      p50 us   p99 us   max us  CPU of waiting
//   idle  clock       11.6     41.2     60.3    2.6 % of a core
//   (and so on)
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <sstream>
#include <thread>

#include "net/clock/clock_daemon.hpp"
#include "net/socket.hpp"
#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"

namespace tilewall::bench {
namespace {

constexpr std::size_t max_result_bytes = 1 << 20;
constexpr std::chrono::milliseconds swap_end_limit{300};
// Limit for mpirun's start, added to the run's time.
constexpr std::chrono::seconds mpirun_start_limit{30};

struct BenchSwapArguments {
  bool json = false;
  bool load = false;
  int panels = 15;
  int seconds = 10;
  int fps = 60;
  std::string launcher = "mpirun";
};

/// A child that ends with its owner.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() { end_child(pid_, swap_end_limit); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

 private:
  const pid_t pid_;
};

/// The clock of a host: a daemon, and the host service that publishes it.
class HostClock {
 public:
  explicit HostClock(const std::filesystem::path& folder)
      : page_(folder / "clock-page"),
        socket_(net::bind_udp(net::resolve("127.0.0.1:0", "clock"))),
        daemon_(start_role("tw-clockd", {},
                           [this] { return net::serve_clock(socket_.get(), std::nullopt); })),
        host_(start_program(
            {own_program("tilewall-host").string(), "--clock",
             net::to_string(net::local_address(socket_.get())), "--clock-page", page_.string(),
             "--movies", (folder / "movies").string(), "--run-dir", folder.string()},
            {})) {}

  [[nodiscard]] std::string page() const { return page_.string(); }

 private:
  const std::filesystem::path page_;
  const UniqueFd socket_;
  const Child daemon_;
  const Child host_;
};

/// Runs a busy loop on every core as long as this lives.
class BusyCores {
 public:
  BusyCores() {
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      loops_.push_back(std::make_unique<Child>(start_role("tw-busy", {}, [] {
        std::atomic<unsigned> turns{0};
        for (;;) turns.fetch_add(1, std::memory_order_relaxed);
        return exit_done;
      })));
  }

 private:
  std::vector<std::unique_ptr<Child>> loops_;
};

std::vector<std::string> mpi_words(const BenchSwapArguments& arguments, const std::string& page,
                                   const std::filesystem::path& output) {
  std::vector<std::string> words;
  std::istringstream launcher(arguments.launcher);
  for (std::string word; launcher >> word;) words.push_back(word);
  const std::vector<std::string> more = {"--oversubscribe",
                                         "--bind-to",
                                         "none",
                                         "--mca",
                                         "mpi_yield_when_idle",
                                         "1",
                                         "-np",
                                         std::to_string(arguments.panels),
                                         own_program("tilewall-bench-swap").string(),
                                         "--clock-page",
                                         page,
                                         "--seconds",
                                         std::to_string(arguments.seconds),
                                         "--fps",
                                         std::to_string(arguments.fps),
                                         "--output",
                                         output.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// One run of all processes, which alternates the two ways of waiting.
nlohmann::json measure(const BenchSwapArguments& arguments, const std::string& page,
                       const std::filesystem::path& folder) {
  const std::filesystem::path output = folder / "result.json";
  const std::filesystem::path log = folder / "mpirun.log";
  ChildOptions options;
  options.output = log;
  options.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                         {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                         {"OMPI_MCA_orte_tmpdir_base", folder.string()},
                         {"HWLOC_COMPONENTS", "-gl"}};  // else each process looks for X servers
  const ChildEnd end = wait_for(start_program(mpi_words(arguments, page, output), options),
                                mpirun_start_limit + 4 * std::chrono::seconds(arguments.seconds));
  if (end.signal != 0 || end.exit_code != exit_done)
    throw JobError(
        fmt::format("{}: {}", arguments.launcher, read_text_file(log, max_result_bytes)));
  return nlohmann::json::parse(read_text_file(output, max_result_bytes));
}

void add_rows(nlohmann::json& report, const std::string& load, const nlohmann::json& result) {
  for (const char* wait : {"clock", "barrier"}) {
    const nlohmann::json& one = result.at(wait);
    report["rows"].push_back({{"load", load},
                              {"wait", wait},
                              {"skew_us", one.at("skew_us")},
                              {"round_p99_us", median_and_p95(one.at("round_p99_us"))},
                              {"cpu_share", one.at("cpu_share")}});
  }
}

nlohmann::json report_of(const BenchSwapArguments& arguments) {
  const ScratchFolder folder("");
  const HostClock clock(folder.path());
  const nlohmann::json idle = measure(arguments, clock.page(), folder.path());
  nlohmann::json report = bench_header(arguments.seconds);
  report["panels"] = arguments.panels;
  report["rate_fps"] = arguments.fps;
  report["realtime"] = idle.at("realtime");
  report["clock_us"] = idle.at("clock").at("skew_us");
  report["barrier_us"] = idle.at("barrier").at("skew_us");
  report["cpu_share"] = idle.at("clock").at("cpu_share");
  report["barrier_cpu_share"] = idle.at("barrier").at("cpu_share");
  add_rows(report, "idle", idle);
  if (!arguments.load) return report;
  const BusyCores busy;
  add_rows(report, "busy", measure(arguments, clock.page(), folder.path()));
  return report;
}

void print_swap_table(const nlohmann::json& report, const BenchSwapArguments& arguments) {
  const auto& machine = report.at("machine");
  fmt::print(
      "{} processes on {} cores, {} frames a second, each way for {} s, by turns a second long{}\n",
      arguments.panels, machine.at("cores").get<unsigned>(), arguments.fps, arguments.seconds,
      report.at("realtime").get<bool>() ? "" : "; no realtime priority");
  fmt::print("{:<5} {:<8} {:>8} {:>8} {:>8}  {}\n", "load", "wait", "p50 us", "p99 us", "max us",
             "CPU of waiting");
  for (const auto& row : report.at("rows")) {
    const auto& skew = row.at("skew_us");
    fmt::print("{:<5} {:<8} {:>8.1f} {:>8.1f} {:>8.1f}  {:>5.1f} % of a core\n",
               row.at("load").get<std::string>(), row.at("wait").get<std::string>(),
               skew.at("p50").get<double>(), skew.at("p99").get<double>(),
               skew.at("max").get<double>(), row.at("cpu_share").get<double>() * 100);
  }
  fmt::print("{}; commit {}\n", machine.at("cpu").get<std::string>(),
             report.at("commit").get<std::string>());
}

int run_bench_swap(const BenchSwapArguments& arguments) {
  const std::string launcher = arguments.launcher.substr(0, arguments.launcher.find(' '));
  if (!program_exists(launcher))
    throw JobError(
        fmt::format("--launcher: {} is not in PATH: install it (Debian: openmpi-bin)", launcher));
  const nlohmann::json report = report_of(arguments);
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_swap_table(report, arguments);
  return exit_done;
}

command::CommandRun add_swap_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchSwapArguments>();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.add_flag("--load", arguments->load, "once more, with a busy loop on every core");
  command.add_option("--panels", arguments->panels, "processes")
      ->check(command::NumberIn(2, 500))
      ->capture_default_str();
  command.add_option("--seconds", arguments->seconds, "of each way of waiting")
      ->check(command::NumberIn(1, 3600))
      ->capture_default_str();
  command.add_option("--fps", arguments->fps, "instants a second")
      ->check(command::NumberIn(1, 240))
      ->capture_default_str();
  command.add_option("--launcher", arguments->launcher, "what starts the processes")
      ->capture_default_str();
  command.footer("Example: tilewall bench swap --panels 15 --load");
  return [arguments] { return run_bench_swap(*arguments); };
}

}  // namespace

Benchmark swap_benchmark() {
  return {"swap", "Processes that swap at one instant of the clock, against MPI_Barrier",
          add_swap_options};
}

}  // namespace tilewall::bench
