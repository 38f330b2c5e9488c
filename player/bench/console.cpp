// tilewall bench console: what browsers at the operator's console cost a show, and how soon the
// wall does what a page asks.
//
//   $ tilewall bench console --wall wallconfigs/mini-5x3.toml --consoles 50 --seconds 12 --seeks 10
//   seek, request to answer: ctl p50 28.7 p99 49.4 ms, page p50 28.4 p99 34.1 ms (10 each)
//   CPU with 50 consoles to without: director 1.16, panels 1.05; console 0.01 of a core
//   late frames: 0 of 144 without, 0 of 145 with; sleeping processes: 0 and 0 instants
//   to all browsers 7.7 MB/s in 750 pictures/s; memory of the console 10.3 MB, then 10.4 MB, of the
//   director 15.9 MB, then 16.1 MB
//   longest turn of the director 34.2 ms, 3.2 ms of CPU; 1 of 2602 over 20 ms
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/console_browsers.hpp"
#include "player/bench/control_show.hpp"
#include "player/bench/wall_parts.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr SizePx usual_screen_px{1280, 720};           // on which the default wall has room
constexpr SizePx small_panel_px{64, 48};               // of a wall of --panels
constexpr int rounds = 2;                              // without and with browsers, twice each
constexpr std::chrono::milliseconds still_time{1000};  // until what was begun has settled
constexpr std::chrono::milliseconds seek_pause{350};   // closer seeks count as scrubbing

struct BenchConsoleArguments {
  std::string wall;
  int panels = 0;  // 0: as the wall file has them
  std::string launcher = "mpirun";
  std::string folder;
  bool json = false;
  std::size_t consoles = 50;
  double seconds = 60;
  int seeks = 100;
  int movie_frames = 60;
  int fps = 24;
};

/// CPU seconds of a process so far, and its memory; zeros where it is gone.
struct Usage {
  double cpu_s = 0;
  double memory_bytes = 0;
};

Usage usage_of(const fs::path& pid_file) {
  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  Usage usage;
  clockid_t clock = 0;
  timespec time = {};
  if (pid > 0 && ::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &time) == 0)
    usage.cpu_s = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  double all_pages = 0;
  double resident_pages = 0;
  std::ifstream(fs::path("/proc") / std::to_string(pid) / "statm") >> all_pages >> resident_pages;
  usage.memory_bytes = resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return usage;
}

/// The show's processes that the console may burden.
struct Usages {
  Usage director;
  Usage console;
  double panels_cpu_s = 0;
};

Usages usages_of(const fs::path& run_dir) {
  Usages all;
  const fs::path pids = run_dir / "pids";
  all.director = usage_of(pids / "director");
  all.console = usage_of(pids / "console");
  for (const fs::directory_entry& entry : fs::directory_iterator(pids))
    if (entry.path().filename().string().starts_with("panel"))
      all.panels_cpu_s += usage_of(entry.path()).cpu_s;
  return all;
}

/// A while of the show, without or with browsers.
struct WatchPhase {
  double seconds = 0;
  double director_cpu_s = 0;
  double panels_cpu_s = 0;
  double console_cpu_s = 0;
  double console_memory_bytes = 0;   // at the end
  double director_memory_bytes = 0;  // at the end
  std::int64_t frames_due = 0;
  std::int64_t frames_late = 0;
  int witness_late = 0;
  ConsoleBrowsers::Counts got;

  WatchPhase& operator+=(const WatchPhase& other) {
    seconds += other.seconds;
    director_cpu_s += other.director_cpu_s;
    panels_cpu_s += other.panels_cpu_s;
    console_cpu_s += other.console_cpu_s;
    console_memory_bytes = other.console_memory_bytes;
    director_memory_bytes = other.director_memory_bytes;
    frames_due += other.frames_due;
    frames_late += other.frames_late;
    witness_late += other.witness_late;
    got.bytes += other.got.bytes;
    got.states += other.got.states;
    got.pictures += other.got.pictures;
    return *this;
  }
};

/// A wall file of so many small panels, as square as that number allows.
std::string small_wall_text(int panels) {
  int rows = static_cast<int>(std::sqrt(panels));
  while (panels % rows != 0) --rows;
  return fmt::format("columns = {}\nrows = {}\n[panels]\nsize_px = [{}, {}]\n", panels / rows, rows,
                     small_panel_px.width, small_panel_px.height);
}

fs::path small_wall_file(const fs::path& folder) { return folder / "wall.toml"; }

wall::Wall wall_of(const BenchConsoleArguments& arguments, const fs::path& folder) {
  if (!arguments.wall.empty()) return wall::load_wall(arguments.wall);
  if (arguments.panels == 0) return wall::scaled_wall_5x3(usual_screen_px);
  write_file_atomically(small_wall_file(folder), small_wall_text(arguments.panels));
  return wall::load_wall(small_wall_file(folder));
}

class ConsoleBench {
 public:
  ConsoleBench(const BenchConsoleArguments& arguments, const wall::Wall& wall,
               const ScratchFolder& scratch)
      : arguments_(arguments),
        panels_(wall.panels.size()),
        run_dir_(scratch.path() / "run"),
        show_(command(arguments, wall, scratch), scratch.path()) {
    show_.wait_until_it_plays();
  }

  Json measure() {
    WatchPhase without;
    WatchPhase with;
    WatchPhase first;
    for (int round = 0; round < rounds; ++round) {
      without += phase(nullptr);
      ConsoleBrowsers browsers(run_dir_, arguments_.consoles);
      browsers.read_for(still_time);
      with += phase(&browsers);
      if (round == 0) first = with;
    }
    Json report = figures(without, with);
    report["console_memory_bytes"] = {first.console_memory_bytes, with.console_memory_bytes};
    report["director_memory_bytes"] = {first.director_memory_bytes, with.director_memory_bytes};
    report["seek"] = seeks();
    return report;
  }

  Json finish() { return show_.finish(); }

 private:
  static std::vector<std::string> command(const BenchConsoleArguments& arguments,
                                          const wall::Wall& wall, const ScratchFolder& scratch) {
    const fs::path movie = scratch.path() / "movie";
    fs::create_directory(movie);
    write_bench_movie(wall, wall.default_bezel_mode(), arguments.movie_frames, movie);
    std::vector<std::string> play = {"play",       movie.string(),    "--loop",
                                     "--console",  "--fps",           std::to_string(arguments.fps),
                                     "--launcher", arguments.launcher};
    const std::string file =
        arguments.panels > 0 ? small_wall_file(scratch.path()).string() : arguments.wall;
    if (!file.empty()) play.insert(play.end(), {"--wall", file});
    return play;
  }

  /// A phase of the show beside the witness, with the browsers if there are any.
  WatchPhase phase(ConsoleBrowsers* browsers) {
    WatchPhase phase;
    phase.seconds = arguments_.seconds / (2 * rounds);
    const Json before = show_.ask({{"type", "status"}, {"per_panel", false}});
    const Usages used_before = usages_of(run_dir_);
    const ConsoleBrowsers::Counts got = browsers ? browsers->counts() : ConsoleBrowsers::Counts();
    SleepWitness witness(panels_, arguments_.fps, phase.seconds);
    const std::chrono::milliseconds time(std::llround(phase.seconds * 1000));
    if (browsers != nullptr)
      browsers->read_for(time);
    else
      std::this_thread::sleep_for(time);
    const Usages used = usages_of(run_dir_);
    const Json after = show_.ask({{"type", "status"}, {"per_panel", false}});
    const auto grown = [&](const char* key) {
      return after.at(key).get<std::int64_t>() - before.at(key).get<std::int64_t>();
    };
    phase.frames_due = grown("frames_due");
    phase.frames_late = grown("frames_late");
    phase.witness_late = witness.late_instants();
    phase.director_cpu_s = used.director.cpu_s - used_before.director.cpu_s;
    phase.console_cpu_s = used.console.cpu_s - used_before.console.cpu_s;
    phase.panels_cpu_s = used.panels_cpu_s - used_before.panels_cpu_s;
    phase.console_memory_bytes = used.console.memory_bytes;
    phase.director_memory_bytes = used.director.memory_bytes;
    if (browsers != nullptr)
      phase.got = {browsers->counts().bytes - got.bytes, browsers->counts().states - got.states,
                   browsers->counts().pictures - got.pictures};
    return phase;
  }

  Json figures(const WatchPhase& without, const WatchPhase& with) const {
    const auto late = [](const WatchPhase& phase) {
      return Json{{"frames_due", phase.frames_due},
                  {"frames_late", phase.frames_late},
                  {"witness_late", phase.witness_late}};
    };
    return {{"consoles", arguments_.consoles},
            {"seconds", with.seconds},
            {"director_cpu_ratio", with.director_cpu_s / without.director_cpu_s},
            {"panels_cpu_ratio", with.panels_cpu_s / without.panels_cpu_s},
            {"director_cores",
             {without.director_cpu_s / without.seconds, with.director_cpu_s / with.seconds}},
            {"console_cores", with.console_cpu_s / with.seconds},
            {"without", late(without)},
            {"with", late(with)},
            {"sent_mb_s", static_cast<double>(with.got.bytes) / 1e6 / with.seconds},
            {"pictures_per_s", static_cast<double>(with.got.pictures) / with.seconds},
            {"states_per_s", static_cast<double>(with.got.states) / with.seconds}};
  }

  /// Seeks by ctl's way and by a page's, one after the other, while all browsers look.
  Json seeks() {
    ConsoleBrowsers browsers(run_dir_, arguments_.consoles);
    browsers.read_for(still_time);
    std::mt19937 random(1);
    std::vector<double> by_ctl;
    std::vector<double> by_page;
    for (int i = 0; i < 2 * arguments_.seeks; ++i) {
      const Json fields = {{"frame", random() % static_cast<unsigned>(arguments_.movie_frames)}};
      const auto began = SteadyClock::now();
      if (i % 2 == 0) {
        Json request = fields;
        request["type"] = "seek";
        show_.ask(request);
      } else {
        browsers.ask("seek", fields);
      }
      const std::chrono::duration<double, std::milli> took = SteadyClock::now() - began;
      (i % 2 == 0 ? by_ctl : by_page).push_back(took.count());
      browsers.read_for(seek_pause);
    }
    return {{"ctl_ms", percentiles(by_ctl)},
            {"page_ms", percentiles(by_page)},
            {"each", arguments_.seeks}};
  }

  static Json percentiles(std::vector<double> values) {
    std::ranges::sort(values);
    const auto at = [&](double share) {
      const double rank = std::ceil(share * static_cast<double>(values.size()));
      return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
    };
    return {{"p50", at(0.5)}, {"p99", at(0.99)}, {"max", values.back()}};
  }

  const BenchConsoleArguments arguments_;
  const std::size_t panels_;
  const fs::path run_dir_;
  ControlledShow show_;
};

void print_console_report(const Json& report) {
  const auto number = [](const Json& value) { return value.get<double>(); };
  const Json& seek = report.at("seek");
  fmt::print(
      "seek, request to answer: ctl p50 {:.1f} p99 {:.1f} ms, page p50 {:.1f} p99 {:.1f} ms ({} "
      "each)\n",
      number(seek.at("ctl_ms").at("p50")), number(seek.at("ctl_ms").at("p99")),
      number(seek.at("page_ms").at("p50")), number(seek.at("page_ms").at("p99")),
      seek.at("each").get<int>());
  fmt::print(
      "CPU with {} consoles to without: director {:.2f}, panels {:.2f}; console {:.2f} of a core\n",
      report.at("consoles").get<int>(), number(report.at("director_cpu_ratio")),
      number(report.at("panels_cpu_ratio")), number(report.at("console_cores")));
  const auto late = [](const Json& phase) {
    return fmt::format("{} of {}", phase.at("frames_late").get<std::int64_t>(),
                       phase.at("frames_due").get<std::int64_t>());
  };
  fmt::print("late frames: {} without, {} with; sleeping processes: {} and {} instants\n",
             late(report.at("without")), late(report.at("with")),
             report.at("without").at("witness_late").get<int>(),
             report.at("with").at("witness_late").get<int>());
  fmt::print(
      "to all browsers {:.1f} MB/s in {:.0f} pictures/s; memory of the console {:.1f} MB, then "
      "{:.1f} MB, of the director {:.1f} MB, then {:.1f} MB\n",
      number(report.at("sent_mb_s")), number(report.at("pictures_per_s")),
      number(report.at("console_memory_bytes").at(0)) / 1e6,
      number(report.at("console_memory_bytes").at(1)) / 1e6,
      number(report.at("director_memory_bytes").at(0)) / 1e6,
      number(report.at("director_memory_bytes").at(1)) / 1e6);
  const Json& turns = report.at("director");
  fmt::print("longest turn of the director {:.1f} ms, {:.1f} ms of CPU; {} of {} over 20 ms\n",
             number(turns.at("longest_turn_ms")), number(turns.at("longest_turn_cpu_ms")),
             turns.at("turns_over_20_ms").get<std::int64_t>(),
             turns.at("turns").get<std::int64_t>());
}

int run_bench_console(const BenchConsoleArguments& arguments) {
  const ScratchFolder scratch(arguments.folder);
  const wall::Wall wall = wall_of(arguments, scratch.path());
  ConsoleBench bench(arguments, wall, scratch);
  Json report = bench_header(1);
  report.update(bench.measure());
  const Json show = bench.finish();
  for (const char* const key : {"late_events", "director"}) report[key] = show.at(key);
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_console_report(report);
  return exit_done;
}

command::CommandRun add_console_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchConsoleArguments>();
  CLI::Option* const wall =
      command.add_option("--wall", arguments->wall, "wall file; without: the small 5x3");
  command.add_option("--panels", arguments->panels, "a wall of so many panels of 64x48")
      ->check(command::NumberIn(1, 4096))
      ->excludes(wall);
  command.add_option("--consoles", arguments->consoles, "browsers that look at pictures")
      ->check(command::NumberIn(1, 64))
      ->capture_default_str();
  command.add_option("--seconds", arguments->seconds, "half without browsers, half with them")
      ->check(command::NumberIn(4.0, 86400.0))
      ->capture_default_str();
  command.add_option("--seeks", arguments->seeks, "seeks by ctl's way, and as many by a page")
      ->check(command::NumberIn(2, 100000))
      ->capture_default_str();
  command.add_option("--movie-frames", arguments->movie_frames, "frames of the movie")
      ->check(command::NumberIn(8, 10000))
      ->capture_default_str();
  command.add_option("--fps", arguments->fps, "frames a second")
      ->check(command::NumberIn(1, 240))
      ->capture_default_str();
  command.add_option("--folder", arguments->folder, "where the movie is written for a while");
  command.add_option("--launcher", arguments->launcher, "what starts the panels")
      ->capture_default_str();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.footer("Example: tilewall bench console --wall wallconfigs/mini-5x3.toml --consoles 50");
  return [arguments] { return run_bench_console(*arguments); };
}

}  // namespace

Benchmark console_benchmark() {
  return {"console", "A wall whose operator's console many browsers look at", add_console_options};
}

}  // namespace tilewall::bench
