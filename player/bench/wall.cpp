// tilewall bench wall: the whole wall on this machine, played as users play it, beside its limit.
//
//   $ tilewall bench wall --wall wallconfigs/5x3.toml --runs 3
//   wall 5x3: 15 panels, 12800x4800; limit 7.02 fps, played 6.31 fps (ratio 0.90), ...
#include "wallconfigs/wall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/content.hpp"
#include "player/bench/wall_parts.hpp"
#include "player/command/number_check.hpp"
#include "player/movie/codecs/jpeg_codec.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::bench {
namespace {

constexpr std::chrono::minutes wall_run_limit{30};
// Factor by which the requested rate exceeds the limit, so that the wall never waits.
constexpr double asked_over_limit = 2;

struct BenchWallArguments {
  std::string wall;
  std::string launcher = "mpirun";
  bool json = false;
  int movie_frames = 4;
  int frames = 24;
  int runs = 3;
  int paced_fps = 30;
  double paced_seconds = 0;
  std::string folder;
};

/// Runs `tilewall play` on the movie as a user would, and reads its report.
nlohmann::json play(const BenchWallArguments& arguments, const std::filesystem::path& folder,
                    const std::vector<std::string>& more) {
  const std::filesystem::path report = folder / "report.json";
  std::vector<std::string> command = {own_program("tilewall").string(),
                                      "play",
                                      (folder / "movie").string(),
                                      "--wall",
                                      arguments.wall,
                                      "--bezels",
                                      "show",
                                      "--headless",
                                      "--presenter",
                                      "cpu",
                                      "--local",
                                      "--loop",
                                      "--launcher",
                                      arguments.launcher,
                                      "--report",
                                      report.string()};
  command.insert(command.end(), more.begin(), more.end());
  const ChildEnd end =
      wait_for(start_program(command, {{}, folder / "play.log", false}), wall_run_limit);
  auto json = nlohmann::json::parse(read_text_file(report, max_report_bytes), nullptr, false);
  if (end.signal != 0 || end.exit_code != exit_done || !json.is_object())
    throw JobError(json.is_object() ? json.value("error", std::string("the wall did not play"))
                                    : "the wall did not play");
  return json;
}

/// Plays as fast as possible: every frame on every panel, at a rate above the limit.
nlohmann::json play_slowed(const BenchWallArguments& arguments, const std::filesystem::path& folder,
                           double limit_fps, bool hashes) {
  const int fps = std::clamp(static_cast<int>(limit_fps * asked_over_limit), 1, max_play_fps);
  const int frames = hashes ? arguments.movie_frames : arguments.frames;
  std::vector<std::string> more = {
      "--late", "slow", "--fps", std::to_string(fps), "--frames", std::to_string(frames)};
  if (hashes) more.emplace_back("--hashes");
  return play(arguments, folder, more);
}

/// Number of panels whose hashes differ from those of the limit's pass.
int wrong_panels(const nlohmann::json& report, const WallLimit& limit) {
  int wrong = 0;
  for (std::size_t panel = 0; panel < limit.hashes.size(); ++panel) {
    const auto& frames = report.at("per_panel").at(panel).at("frames");
    bool right = frames.size() == limit.hashes[panel].size();
    for (std::size_t i = 0; right && i < frames.size(); ++i)
      right = frames[i].at("hash") ==
              fmt::format("{:016x}", limit.hashes[panel][frames[i].at("frame").get<std::size_t>()]);
    wrong += right ? 0 : 1;
  }
  return wrong;
}

void write_jpeg(const movie::PlanarPicture& picture, const std::filesystem::path& file) {
  const std::vector<unsigned char> jpeg = movie::encode_jpeg(picture, bench_movie_quality);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(jpeg.data()), static_cast<std::streamsize>(jpeg.size()));
}

/// A player without blocks, which drives a panel by cutting its picture out of whole frames.
struct Peer {
  std::string name;
  std::vector<std::string> command;
};

/// The peers for a panel of that size, reading `frames` times the same frame in `folder`.
std::vector<Peer> peers(SizePx panel, int frames, const std::filesystem::path& folder) {
  const std::string crop = fmt::format("crop={}:{}:0:0", panel.width, panel.height);
  const std::string list = "mf://@" + (folder / "list.txt").string();
  return {{"mpv",
           {"mpv", "--no-config", "--really-quiet", "--vo=null", "--untimed", "--no-audio",
            "--hwdec=no", "--vf=" + crop + ",format=bgr0", "--mf-fps=60", list}},
          {"ffmpeg",
           {"ffmpeg", "-v", "error", "-nostdin", "-f", "image2", "-loop", "1", "-i",
            (folder / "whole.jpg").string(), "-frames:v", std::to_string(frames), "-vf",
            crop + ",format=bgr0", "-f", "null", "-"}}};
}

/// Frames per second; 0 where the peer failed.
double measure_peer(const Peer& peer, int frames, const std::filesystem::path& folder) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t pid = start_program(peer.command, {{}, folder / (peer.name + ".log"), false});
  const ChildEnd end = wait_for(pid, wall_run_limit);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return end.signal == 0 && end.exit_code == 0 ? frames / elapsed.count() : 0;
}

/// A peer's rate is that of one panel with all cores; a wall of n panels on this machine has 1/n of
/// it.
void add_peers(nlohmann::json& report, const wall::Wall& wall, wall::BezelMode bezels, int frames,
               const std::filesystem::path& folder) {
  const SizePx panel = wall.panels.front().viewed_size_px();
  const movie::PlanarPicture tile =
      make_bench_picture(BenchContent::photographic, movie::Chroma::yuv420, panel);
  write_jpeg(repeated(tile, wall::Canvas(wall, bezels).size_px()), folder / "whole.jpg");
  std::ofstream list(folder / "list.txt");
  for (int i = 0; i < frames; ++i) list << (folder / "whole.jpg").string() << "\n";
  list.close();
  for (const Peer& peer : peers(panel, frames, folder)) {
    if (!program_exists(peer.name)) continue;
    const double fps = measure_peer(peer, frames, folder);
    if (fps <= 0) continue;
    report[peer.name + "_fps"] = fps;
    report["ratio_to_" + peer.name] =
        report.at("fps").get<double>() * static_cast<double>(wall.panels.size()) / fps;
  }
}

/// Plays at a rate that the wall can hold, and runs the witness at the same time.
nlohmann::json play_paced(const BenchWallArguments& arguments, const std::filesystem::path& folder,
                          std::size_t panels) {
  const auto frames = static_cast<std::int64_t>(arguments.paced_seconds * arguments.paced_fps);
  SleepWitness witness(panels, arguments.paced_fps, arguments.paced_seconds);
  nlohmann::json report =
      play(arguments, folder,
           {"--fps", std::to_string(arguments.paced_fps), "--frames", std::to_string(frames)});
  report.erase("per_panel");
  report["witness_late"] = witness.late_instants();
  return report;
}

void print_wall_report(const nlohmann::json& report, const BenchWallArguments& arguments) {
  const auto& wall = report.at("wall");
  fmt::print(
      "{}: {} panels, {}x{}; limit {:.2f} fps, played {:.2f} fps (ratio {:.2f}), skew p99 "
      "{:.0f} us, panels with wrong pixels {}\n",
      wall.at("name").get<std::string>(), wall.at("panels").get<int>(),
      wall.at("canvas_width_px").get<int>(), wall.at("canvas_height_px").get<int>(),
      report.at("limit_fps").get<double>(), report.at("fps").get<double>(),
      report.at("ratio_to_limit").get<double>(), report.at("skew_us").at("p99").get<double>(),
      report.at("wrong_panels").get<int>());
  if (report.contains("paced")) {
    const auto& paced = report.at("paced");
    fmt::print(
        "at {} fps for {} s: {} of {} frames late on any panel, {} late instants of sleeping "
        "processes; first picture after {:.2f} s\n",
        arguments.paced_fps, arguments.paced_seconds, paced.at("frames_late").get<std::int64_t>(),
        paced.at("frames_scheduled").get<std::int64_t>(), paced.at("witness_late").get<int>(),
        paced.at("start_s").get<double>());
  }
  for (const std::string peer : {"mpv", "ffmpeg"})
    if (report.contains(peer + "_fps"))
      fmt::print(
          "{}, whole frame and crop, one panel: {:.2f} fps; this wall shows {:.1f} times as many "
          "panel pictures\n",
          peer, report.at(peer + "_fps").get<double>(),
          report.at("ratio_to_" + peer).get<double>());
}

int run_bench_wall(const BenchWallArguments& arguments) {
  const ScratchFolder scratch(arguments.folder);
  const std::filesystem::path movie = scratch.path() / "movie";
  std::filesystem::create_directory(movie);
  const wall::Wall wall = wall::load_wall(arguments.wall);
  write_bench_movie(wall, wall::BezelMode::show, arguments.movie_frames, movie);
  const WallLimit reference =
      measure_wall_limit(wall, wall::BezelMode::show, movie, arguments.movie_frames, true);
  const int wrong =
      wrong_panels(play_slowed(arguments, scratch.path(), reference.fps, true), reference);

  std::vector<double> limits;
  std::vector<double> played;
  std::vector<double> ratios;
  nlohmann::json report = bench_header(arguments.runs);
  for (int run = 0; run < arguments.runs; ++run) {
    limits.push_back(
        measure_wall_limit(wall, wall::BezelMode::show, movie, arguments.movie_frames, false).fps);
    report.update(play_slowed(arguments, scratch.path(), limits.back(), false));
    played.push_back(report.at("fps").get<double>());
    ratios.push_back(played.back() / limits.back());
  }
  report["fps"] = median(played);
  report["fps_runs"] = median_and_p95(played);
  report["limit_fps"] = median(limits);
  report["limit_cpu_s_per_frame"] = reference.cpu_s_per_frame;
  report["ratio_to_limit"] = median(ratios);
  report["wrong_panels"] = wrong;
  if (arguments.paced_seconds > 0)
    report["paced"] = play_paced(arguments, scratch.path(), wall.panels.size());
  add_peers(report, wall, wall::BezelMode::show, arguments.frames, scratch.path());
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_wall_report(report, arguments);
  return wrong == 0 ? exit_done : exit_failed;
}

command::CommandRun add_wall_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchWallArguments>();
  command.add_option("--wall", arguments->wall, "wall file")->required();
  command.add_option("--frames", arguments->frames, "frames played in a run")
      ->check(command::NumberIn(2, 100000))
      ->capture_default_str();
  command.add_option("--movie-frames", arguments->movie_frames, "different frames in the movie")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--runs", arguments->runs, "limit and wall, by turns")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--paced-fps", arguments->paced_fps, "rate of the paced part")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--paced-seconds", arguments->paced_seconds,
                     "also play so long at that rate, beside sleeping processes");
  command.add_option("--folder", arguments->folder, "where the movie is written for a while");
  command.add_option("--launcher", arguments->launcher, "what starts the panels")
      ->capture_default_str();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.footer("Example: tilewall bench wall --wall wallconfigs/5x3.toml --json");
  return [arguments] { return run_bench_wall(*arguments); };
}

}  // namespace

Benchmark wall_benchmark() {
  return {"wall", "The whole wall, played, beside its limit", add_wall_options};
}

}  // namespace tilewall::bench
