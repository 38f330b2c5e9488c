// tilewall bench live: how fast a wall shows a running simulation, beside what receiving and
// casting alone allow, and what feeding the wall costs the simulation.
//
//   $ tilewall bench live --wall wallconfigs/mini-5x3.toml --side 256
//   256^3 f32 from 2 ranks on 15 panels, this machine's cores shared by both sides
//   wall            9.1 timesteps/s, 0.91 of what receiving and casting alone allow (21.3 and 18.9)
//   ...
//
// Three phases on one wall, which wants every timestep: it follows the source; it holds a timestep
// while newer ones are received, with nothing to draw; and the source stands still while the wall
// goes to and fro between kept timesteps, with nothing to receive. If both took all cores, the wall
// could show 1 / (1 / received + 1 / drawn) timesteps per second; that is the limit.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/control_show.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds live_first_limit{60};  // until the first timesteps are shown
constexpr std::chrono::milliseconds live_settle_time{500};
constexpr std::chrono::milliseconds live_look_interval{20};
constexpr std::chrono::seconds live_end_limit{10};
constexpr std::uint64_t first_timesteps = 20;  // shown before anything is measured
constexpr double least_memory_mib = 64;

struct BenchLiveArguments {
  std::string wall;
  std::string launcher = "mpirun";
  std::string folder;
  std::string type = "f32";
  int side = 256;
  int ranks = 2;
  int seconds = 10;
  int moves = 20;
  bool json = false;
};

/// The ranks of the source, as processes.
class BenchSource {
 public:
  BenchSource(const BenchLiveArguments& arguments, const fs::path& folder, int port)
      : folder_(folder) {
    for (int rank = 0; rank < arguments.ranks; ++rank)
      ranks_.push_back(start_program(
          {own_program("tilewall-bench-source").string(), "--where",
           fmt::format("127.0.0.1:{}", port), "--name", "bench", "--rank", std::to_string(rank),
           "--ranks", std::to_string(arguments.ranks), "--side", std::to_string(arguments.side),
           "--type", arguments.type, "--output", output(rank).string()},
          {{}, folder_ / "source.log", false}));
  }
  ~BenchSource() {
    for (const pid_t rank : ranks_) ::kill(rank, SIGCONT);
    for (const pid_t rank : ranks_) end_child(rank, live_end_limit);
  }
  BenchSource(const BenchSource&) = delete;
  BenchSource& operator=(const BenchSource&) = delete;

  void stop() const { signal_all(SIGSTOP); }
  void go_on() const { signal_all(SIGCONT); }

  /// Ends the source. Returns what each rank measured. To be called once.
  [[nodiscard]] std::vector<Json> finish() {
    signal_all(SIGTERM);
    for (const pid_t rank : ranks_) static_cast<void>(wait_for(rank, live_end_limit));
    std::vector<Json> measured;
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank)
      measured.push_back(Json::parse(read_text_file(output(rank), max_report_bytes)));
    ranks_.clear();
    return measured;
  }

 private:
  [[nodiscard]] fs::path output(int rank) const {
    return folder_ / fmt::format("rank-{}.json", rank);
  }
  void signal_all(int signal) const {
    for (const pid_t rank : ranks_) ::kill(rank, signal);
  }

  const fs::path folder_;
  std::vector<pid_t> ranks_;
};

/// The status of the live source; null before the show has begun.
Json live_status(ControlledShow& show) {
  const Json live = show.ask({{"type", "status"}}).at("live");
  return live.empty() ? Json() : live.front();
}

Json ask_live(ControlledShow& show, const std::string& verb, Json fields = Json::object()) {
  fields["type"] = "live";
  fields["verb"] = verb;
  return show.ask(fields);
}

/// The live source's status before and after a phase.
struct LivePhase {
  Json before;
  Json after;
  double seconds = 0;

  [[nodiscard]] double per_s(const char* count) const {
    return (after.at(count).get<double>() - before.at(count).get<double>()) / seconds;
  }
};

template <typename Work>
LivePhase measure(ControlledShow& show, Work&& work) {
  LivePhase phase{live_status(show), {}, 0};
  const SteadyClock::time_point began = SteadyClock::now();
  work();
  phase.seconds = std::chrono::duration<double>(SteadyClock::now() - began).count();
  phase.after = live_status(show);
  return phase;
}

/// Mean seconds of a stage within a phase; its means count from the start, by `count`.
double stage_s(const LivePhase& phase, const char* stage, const char* count) {
  const auto sum = [&](const Json& status) {
    const Json& mean = status.at("stages").at(stage);
    const Json& stages = status.at("stages");
    const double times = (stages.contains(count) ? stages : status).at(count).get<double>();
    return std::pair(mean.is_null() ? 0.0 : mean.get<double>() * times, times);
  };
  const auto [before, first] = sum(phase.before);
  const auto [after, last] = sum(phase.after);
  if (last <= first) throw JobError(fmt::format("no timestep had the stage {}", stage));
  return (after - before) / (last - first);
}

void wait_for_timesteps(ControlledShow& show) {
  const auto until = SteadyClock::now() + live_first_limit;
  for (Json live = live_status(show);
       live.is_null() || live.at("shown").get<std::uint64_t>() < first_timesteps;
       live = live_status(show)) {
    if (SteadyClock::now() > until)
      throw JobError("the wall showed no timesteps of the source: " + live.dump());
    std::this_thread::sleep_for(live_look_interval);
  }
}

/// Goes to and fro between two kept timesteps, each time until it is shown.
LivePhase draw_alone(ControlledShow& show, const BenchSource& source, int moves) {
  source.stop();
  std::this_thread::sleep_for(live_settle_time);
  LivePhase phase = measure(show, [&] {
    for (int i = 0; i < moves; ++i) {
      const std::uint64_t shown = live_status(show).at("shown").get<std::uint64_t>();
      ask_live(show, i % 2 == 0 ? "forward" : "back", {{"by", 1}});
      const auto until = SteadyClock::now() + live_end_limit;
      while (live_status(show).at("shown").get<std::uint64_t>() == shown) {
        if (SteadyClock::now() > until) throw JobError("a kept timestep was not shown");
        std::this_thread::sleep_for(live_look_interval);
      }
    }
  });
  source.go_on();
  return phase;
}

Json ranks_figures(const std::vector<Json>& ranks) {
  double unwanted_us = 0;
  double wanted = 0;
  for (const Json& rank : ranks) {
    unwanted_us = std::max(unwanted_us, rank.at("unwanted_s").get<double>() * 1e6);
    wanted = std::max(wanted, rank.at("wanted_s").get<double>() / rank.at("copy_s").get<double>());
  }
  return {{"put_unwanted_us", unwanted_us}, {"put_wanted_to_copy", wanted}};
}

double timestep_bytes(const BenchLiveArguments& arguments) {
  const double side = arguments.side;
  return side * side * side * (arguments.type == "u8" ? 1 : 4);
}

Json report_of(const BenchLiveArguments& arguments) {
  const ScratchFolder scratch(arguments.folder);
  const wall::Wall wall = wall::load_wall(arguments.wall);
  const int port = free_port();
  const double bytes = timestep_bytes(arguments);
  // Once the memory is full, timesteps use the memory of those before, as in a long show.
  const double memory = bytes * (arguments.type == "u8" ? 36 : 12);
  ControlledShow show(
      {"view", "live:bench", "--wall", arguments.wall, "--live-listen",
       fmt::format("127.0.0.1:{}", port), "--live-policy", "every", "--memory",
       std::to_string(static_cast<int>(std::ceil(std::max(memory / (1 << 20), least_memory_mib)))),
       "--launcher", arguments.launcher},
      scratch.path());
  BenchSource source(arguments, scratch.path(), port);
  wait_for_timesteps(show);
  const std::chrono::seconds time(arguments.seconds);
  const LivePhase followed = measure(show, [&] { std::this_thread::sleep_for(time); });
  ask_live(show, "hold");
  std::this_thread::sleep_for(live_settle_time);
  const LivePhase held = measure(show, [&] { std::this_thread::sleep_for(time); });
  const LivePhase still = draw_alone(show, source, arguments.moves);
  Json report = bench_header(1);
  report["source"] = ranks_figures(source.finish());
  static_cast<void>(show.finish());

  const double received = held.per_s("received");
  const double draw_s = stage_s(still, "draw_s", "drawn");
  const double limit = 1 / (1 / received + draw_s);
  const double shown = followed.per_s("shown");
  const double convert_s = stage_s(followed, "convert_s", "received");
  const double tiles_s = stage_s(followed, "tiles_s", "received");
  const double after_s = stage_s(followed, "after_last_byte_s", "received");
  const double first_s = stage_s(followed, "first_picture_s", "drawn");
  report["side"] = arguments.side;
  report["type"] = arguments.type;
  report["ranks"] = arguments.ranks;
  report["panels"] = wall.panels.size();
  report["shown_per_s"] = shown;
  report["received_alone_per_s"] = received;
  report["drawn_alone_s"] = draw_s;
  report["limit_per_s"] = limit;
  report["shown_to_limit"] = shown / limit;
  report["wire_to_values"] = (followed.after.at("received_bytes").get<double>() -
                              followed.before.at("received_bytes").get<double>()) /
                             (bytes * followed.per_s("received") * followed.seconds);
  report["stages_s"] = {{"wire", stage_s(followed, "wire_s", "received")},
                        {"convert", convert_s},
                        {"tiles", tiles_s},
                        {"after_last_byte", after_s},
                        {"first_picture", first_s},
                        {"exact_picture", first_s},
                        {"switch", stage_s(followed, "switch_s", "drawn")}};
  report["after_last_byte_share"] = after_s / (convert_s + tiles_s);
  report["exact_picture_to_cast"] = first_s / draw_s;
  return report;
}

void print_live_report(const Json& report) {
  const auto number = [&](const char* name) { return report.at(name).get<double>(); };
  const auto stage_ms = [&](const char* name) {
    return report.at("stages_s").at(name).get<double>() * 1e3;
  };
  fmt::print("{}^3 {} from {} ranks on {} panels, one machine\n", report.at("side").get<int>(),
             report.at("type").get<std::string>(), report.at("ranks").get<int>(),
             report.at("panels").get<int>());
  fmt::print(
      "wall     {:.1f} timesteps/s, {:.2f} of the limit {:.1f}: received alone {:.1f}/s, "
      "drawn alone {:.1f} ms\n",
      number("shown_per_s"), number("shown_to_limit"), number("limit_per_s"),
      number("received_alone_per_s"), number("drawn_alone_s") * 1e3);
  fmt::print(
      "stages   wire {:.1f} ms, convert {:.1f}, tiles {:.1f}; after the last byte {:.1f} ms "
      "({:.0f} % of the work), picture on all panels {:.1f} ms ({:.1f} of a cast), switch "
      "{:.1f} ms\n",
      stage_ms("wire"), stage_ms("convert"), stage_ms("tiles"), stage_ms("after_last_byte"),
      number("after_last_byte_share") * 100, stage_ms("exact_picture"),
      number("exact_picture_to_cast"), stage_ms("switch"));
  const Json& source = report.at("source");
  fmt::print(
      "source   put {:.2f} us unwanted, {:.2f} of a copy wanted; bytes on the wire {:.3f} of "
      "the values\n",
      source.at("put_unwanted_us").get<double>(), source.at("put_wanted_to_copy").get<double>(),
      number("wire_to_values"));
}

int run_bench_live(const BenchLiveArguments& arguments) {
  const Json report = report_of(arguments);
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_live_report(report);
  return exit_done;
}

command::CommandRun add_live_bench_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchLiveArguments>();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.add_option("--wall", arguments->wall, "wall file; all panels run on this machine")
      ->required();
  command.add_option("--side", arguments->side, "voxels along each axis")
      ->check(command::NumberIn(16, 1024))
      ->capture_default_str();
  command.add_option("--type", arguments->type, "type of the values: f32 or u8")
      ->check(CLI::IsMember({"f32", "u8"}))
      ->capture_default_str();
  command.add_option("--ranks", arguments->ranks, "processes of the source")
      ->check(command::NumberIn(1, 64))
      ->capture_default_str();
  command.add_option("--seconds", arguments->seconds, "of following, and of receiving alone")
      ->check(command::NumberIn(1, 3600))
      ->capture_default_str();
  command.add_option("--moves", arguments->moves, "timesteps that are drawn alone")
      ->check(command::NumberIn(2, 10'000))
      ->capture_default_str();
  command.add_option("--folder", arguments->folder, "where the show's files go for the time");
  command.add_option("--launcher", arguments->launcher, "what starts the panels")
      ->capture_default_str();
  command.footer("Example: tilewall bench live --wall wallconfigs/mini-5x3.toml --side 256");
  return [arguments] { return run_bench_live(*arguments); };
}

}  // namespace

Benchmark live_benchmark() {
  return {"live", "A running simulation on a wall, beside receiving and casting alone",
          add_live_bench_options};
}

}  // namespace tilewall::bench
