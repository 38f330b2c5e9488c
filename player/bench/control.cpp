// tilewall bench control: how soon and how correctly a running wall carries out requests.
//
//   $ tilewall bench control --wall wallconfigs/mini-5x3.toml
//   seek, request to last panel's swap: p50 112.3 p99 131.0 max 138.2 ms (200 seeks, 0 wrong
//   frames)
//   scrub: 9.6 pictures/s on every panel, in full 412 ms after (0 wrong frames)
//   loop seams: 0 of 600 frames late; sleeping processes: 0 instants
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/control_show.hpp"
#include "player/bench/wall_parts.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/error.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::bench {
namespace {

using Json = nlohmann::json;

constexpr int movies = 2;
constexpr std::chrono::milliseconds settle_time{700};    // time until all panels have reported
constexpr std::chrono::milliseconds seek_interval{350};  // closer seeks count as scrubbing
constexpr int seek_spread_ms = 100;  // spreads the seeks, so that they meet frames anywhere

struct BenchControlArguments {
  std::string wall;
  std::string launcher = "mpirun";
  std::string folder;
  bool json = false;
  int seeks = 200;
  int changes = 20;
  int movie_frames = 60;
  int fps = 30;
};

/// A seek with its request and answer.
struct Seek {
  std::int64_t sent_ns = 0;  ///< Global time when the request was sent
  std::int64_t at_ns = 0;    ///< Global time when it takes effect, from the director's answer
  std::int64_t frame = 0;    ///< Frame that all panels show at that time
};

/// A kind of change: `ask` asks for the i-th one.
struct Phase {
  std::string name;
  std::chrono::milliseconds interval;
  std::function<void(ControlledShow& show, int i)> ask;
};

Json change(const std::string& verb, Json fields = Json::object()) {
  fields["type"] = verb;
  return fields;
}

std::vector<Phase> phases(std::vector<Seek>& seeks, const BenchControlArguments& arguments) {
  using namespace std::chrono_literals;
  const auto seek = [&seeks, frames = std::int64_t{movies} * arguments.movie_frames,
                     random = std::mt19937(1)](ControlledShow& show, int) mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % seek_spread_ms));
    const std::int64_t sent_ns = show.now().since_epoch.count();
    const auto frame = static_cast<std::int64_t>(random() % static_cast<unsigned>(frames));
    const Json answer = show.ask(change("seek", {{"frame", frame}}));
    seeks.push_back({sent_ns, answer.at("at_ns"), answer.at("frame")});
  };
  const auto nothing = [](ControlledShow&, int) {};
  const auto pause = [](ControlledShow& show, int) { show.ask(change("toggle_pause")); };
  const auto speed = [](ControlledShow& show, int i) {
    static constexpr const char* speeds[] = {"2", "1/2", "-1", "3/2", "1"};
    show.ask(change("speed", {{"speed", speeds[static_cast<std::size_t>(i) % std::size(speeds)]}}));
  };
  const auto item = [](ControlledShow& show, int i) {
    show.ask(change("goto", {{"item", i % movies}}));
  };
  const auto view = [](ControlledShow& show, int i) {
    if (i % 4 == 3) return void(show.ask(change("view", {{"whole", true}, {"glide_s", 0.3}})));
    show.ask(change("zoom", {{"factor", 1.5}, {"glide_s", 0.2}}));
  };
  return {{"seeks", seek_interval, seek},
          {"loop seams", 500ms, nothing},
          {"pause and play", 400ms, pause},
          {"speed", 400ms, speed},
          {"item", 400ms, item},
          {"view", 400ms, view}};
}

Json counts(ControlledShow& show) {
  std::this_thread::sleep_for(settle_time);
  return show.ask(change("status"));
}

/// Runs a phase beside the witness, and counts its late swaps.
Json run_phase(ControlledShow& show, const Phase& phase, int times, std::size_t panels, int fps) {
  const Json before = counts(show);
  const double seconds = std::chrono::duration<double>(phase.interval).count() * times;
  SleepWitness witness(panels, fps, seconds);
  for (int i = 0; i < times; ++i) {
    phase.ask(show, i);
    std::this_thread::sleep_for(phase.interval);
  }
  const Json after = counts(show);
  const auto grown = [&](const char* key) {
    return after.at(key).get<std::int64_t>() - before.at(key).get<std::int64_t>();
  };
  return {{"name", phase.name},
          {"changes", times},
          {"frames_due", grown("frames_due")},
          {"frames_late", grown("frames_late")},
          {"witness_late", witness.late_instants()}};
}

/// A panel's first swap that belongs to the seek: its stamp in global nanoseconds. Empty where
/// another frame than the requested one was shown. A swap just before the instant belongs to the
/// scene before.
std::optional<std::int64_t> shown_at(const Json& frames, const Seek& seek, std::int64_t period_ns,
                                     std::int64_t movie_frames) {
  for (const Json& frame : frames) {
    const std::int64_t after_ns = frame.at("stamp_ns").get<std::int64_t>() - seek.at_ns;
    if (after_ns < -period_ns / 2) continue;
    const std::int64_t ahead = frame.at("frame").get<std::int64_t>() - seek.frame;
    const bool is_right = (ahead + movie_frames) % movie_frames <= 2;  // some may be left out
    if (is_right) return seek.at_ns + after_ns;
    if (after_ns > period_ns / 2) break;
  }
  return std::nullopt;
}

Json seek_figures(const Json& report, const std::vector<Seek>& seeks,
                  const BenchControlArguments& arguments) {
  std::vector<double> latencies_ms;
  int wrong = 0;
  for (const Seek& seek : seeks) {
    std::optional<std::int64_t> last = 0;
    for (const Json& panel : report.at("per_panel")) {
      const auto at = shown_at(panel.at("frames"), seek, 1'000'000'000 / arguments.fps,
                               std::int64_t{movies} * arguments.movie_frames);
      last = at && last ? std::optional(std::max(*at, *last)) : std::nullopt;
    }
    if (last)
      latencies_ms.push_back(static_cast<double>(*last - seek.sent_ns) / 1e6);
    else
      ++wrong;
  }
  if (latencies_ms.empty()) throw JobError("no seek was shown on all panels");
  std::sort(latencies_ms.begin(), latencies_ms.end());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(latencies_ms.size()));
    return latencies_ms[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  return {{"seeks", seeks.size()},
          {"wrong_frames", wrong},
          {"latency_ms", {{"p50", at(0.5)}, {"p99", at(0.99)}, {"max", latencies_ms.back()}}}};
}

void print_control_report(const Json& report) {
  const Json& seek = report.at("seek");
  const Json& latency = seek.at("latency_ms");
  fmt::print(
      "seek, request to last panel's swap: p50 {:.1f} p99 {:.1f} max {:.1f} ms ({} seeks, {} wrong "
      "frames)\n",
      latency.at("p50").get<double>(), latency.at("p99").get<double>(),
      latency.at("max").get<double>(), seek.at("seeks").get<int>(),
      seek.at("wrong_frames").get<int>());
  const Json& scrub = report.at("scrub");
  fmt::print("scrub: {:.1f} pictures/s on every panel, in full {:.0f} ms after ({} wrong frames)\n",
             scrub.at("pictures_per_s").get<double>(), scrub.at("full_after_ms").get<double>(),
             scrub.at("wrong_frames").get<int>());
  for (const Json& phase : report.at("phases"))
    fmt::print("{}: {} of {} frames late; sleeping processes: {} instants\n",
               phase.at("name").get<std::string>(), phase.at("frames_late").get<std::int64_t>(),
               phase.at("frames_due").get<std::int64_t>(), phase.at("witness_late").get<int>());
}

int run_bench_control(const BenchControlArguments& arguments) {
  const ScratchFolder scratch(arguments.folder);
  const wall::Wall wall = wall::load_wall(arguments.wall);
  std::vector<std::string> play = {"play"};
  for (int i = 0; i < movies; ++i) {
    const std::filesystem::path folder = scratch.path() / fmt::format("movie-{}", i);
    std::filesystem::create_directory(folder);
    write_bench_movie(wall, wall.default_bezel_mode(), arguments.movie_frames, folder);
    play.push_back(folder.string());
  }
  for (const std::string& option :
       {std::string("--wall"), arguments.wall, std::string("--loop"), std::string("--hashes"),
        std::string("--fps"), std::to_string(arguments.fps), std::string("--launcher"),
        arguments.launcher})
    play.push_back(option);
  ControlledShow show(play, scratch.path());
  show.wait_until_it_plays();
  std::vector<Seek> seeks;
  Json report = bench_header(1);
  report["fps"] = arguments.fps;
  report["phases"] = Json::array();
  for (const Phase& phase : phases(seeks, arguments))
    report["phases"].push_back(
        run_phase(show, phase, phase.name == "seeks" ? arguments.seeks : arguments.changes,
                  wall.panels.size(), arguments.fps));
  const Scrub scrubbed =
      scrub(show, arguments.seeks, std::int64_t{movies} * arguments.movie_frames);
  const Json played = show.finish();
  report["wall"] = played.at("wall");
  report["late_events"] = played.at("late_events");
  report["seek"] = seek_figures(played, seeks, arguments);
  report["scrub"] = scrub_figures(played, scrubbed);
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_control_report(report);
  const bool all_right =
      report.at("seek").at("wrong_frames") == 0 && report.at("scrub").at("wrong_frames") == 0;
  return all_right ? exit_done : exit_failed;
}

command::CommandRun add_control_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchControlArguments>();
  command.add_option("--wall", arguments->wall, "wall file")->required();
  command.add_option("--seeks", arguments->seeks, "seeks whose time is taken")
      ->check(command::NumberIn(2, 100000))
      ->capture_default_str();
  command.add_option("--changes", arguments->changes, "changes of every other kind")
      ->check(command::NumberIn(1, 100000))
      ->capture_default_str();
  command.add_option("--movie-frames", arguments->movie_frames, "frames of each of two movies")
      ->check(command::NumberIn(8, 10000))
      ->capture_default_str();
  command.add_option("--fps", arguments->fps, "frames a second")
      ->check(command::NumberIn(1, 240))
      ->capture_default_str();
  command.add_option("--folder", arguments->folder, "where the movies are written for a while");
  command.add_option("--launcher", arguments->launcher, "what starts the panels")
      ->capture_default_str();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.footer("Example: tilewall bench control --wall wallconfigs/mini-5x3.toml");
  return [arguments] { return run_bench_control(*arguments); };
}

}  // namespace

Benchmark control_benchmark() {
  return {"control", "A running wall that is sought, paused, zoomed, ...", add_control_options};
}

}  // namespace tilewall::bench
