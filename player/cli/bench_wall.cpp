// tilewall bench wall: the whole wall on this machine, played as users play it, beside its limit.
//
//   $ tilewall bench wall --wall wallconfigs/5x3.toml --runs 3
//   wall 5x3: 15 panels, 12800x4800; limit 7.02 fps, played 6.31 fps (ratio 0.90), ...
#include <fmt/format.h>
#include <turbojpeg.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "player/cli/bench_command.hpp"
#include "player/cli/bench_content.hpp"
#include "player/cli/bench_report.hpp"
#include "player/cli/bench_wall_limit.hpp"
#include "player/cli/play_options.hpp"
#include "player/cli/scratch_folder.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/frames/turbojpeg_handle.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr int quality = 85;
constexpr double asked_over_limit = 2;  // so that the wall is never the one that waits

struct BenchWallArguments {
  PlayArguments play;
  int movie_frames = 4;
  int frames = 24;
  int runs = 3;
  std::string folder;
};

MovieManifest write_movie(const Wall& wall, BezelMode bezels, int frames,
                          const std::filesystem::path& folder) {
  const SizePx panel = wall.panels.front().viewed_size_px();
  MovieManifest movie;
  movie.size_px = Canvas(wall, bezels).size_px();
  movie.frames = frames;
  movie.quality = quality;
  movie.block_px = choose_block_px(movie.size_px, panel);
  movie.levels = pyramid_levels(movie.size_px, movie.block_px);
  movie.order = BlockOrder::panels;
  movie.source = "bench wall";
  movie.complete = true;
  const PlanarPicture tile = make_bench_picture(
      BenchContent::photographic, Chroma::yuv420,
      {std::max(2, panel.width / 2 * 2), std::max(2, panel.height / 2 * 2)});
  const PlanarPicture picture = repeated(tile, movie.size_px);
  FrameWriter writer(movie, panel);
  for (int frame = 0; frame < frames; ++frame)
    writer.write(picture, folder / frame_file_name(frame));
  save_manifest(folder, movie);
  return movie;
}

struct PlayedWall {
  nlohmann::json report;
  double fps = 0;
};

PlayedWall play_once(const BenchWallArguments& arguments, const std::filesystem::path& movie,
                     double limit_fps, bool hashes) {
  PlayArguments play = arguments.play;
  play.inputs = {movie.string()};
  play.headless = true;
  play.presenter = "cpu";
  play.local = true;
  play.late = "slow";
  play.loop = true;
  play.hashes = hashes;
  play.frames = hashes ? arguments.movie_frames : arguments.frames;
  play.fps = fmt::format("{}", std::max(1, static_cast<int>(limit_fps * asked_over_limit)));
  const ShowResult result = run_show(supervisor_options(play, {}));
  if (result.exit_code != exit_done)
    throw JobError(result.report.value("error", std::string("the wall did not play")));
  return {result.report, result.report.at("fps").get<double>()};
}

/// Panels whose hash list differs from the one that the limit's pass drew.
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

void write_jpeg(const PlanarPicture& picture, const std::filesystem::path& file) {
  const TurboJpegHandle compressor(tjInitCompress());
  const unsigned char* planes[3] = {};
  int strides[3] = {};
  for (std::size_t i = 0; i < picture.planes.size(); ++i) {
    planes[i] = picture.planes[i].row(0);
    strides[i] = static_cast<int>(picture.planes[i].stride_bytes);
  }
  unsigned char* jpeg = nullptr;
  unsigned long bytes = 0;
  const int error = tjCompressFromYUVPlanes(compressor.get(), planes, picture.size_px.width, strides,
                                            picture.size_px.height, TJSAMP_420, &jpeg, &bytes, quality,
                                            0);
  TW_CHECK(error == 0, "{}", tjGetErrorStr2(compressor.get()));
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(jpeg),
                                              static_cast<std::streamsize>(bytes));
  tjFree(jpeg);
}

/// One panel's picture cut by mpv out of whole frames, which is how players without blocks drive a
/// wall; frames a second over `frames` frames.
double measure_mpv(const PlanarPicture& picture, SizePx panel, int frames,
                   const std::filesystem::path& folder) {
  write_jpeg(picture, folder / "whole.jpg");
  std::ofstream list(folder / "list.txt");
  for (int i = 0; i < frames; ++i) list << (folder / "whole.jpg").string() << "\n";
  list.close();
  const auto start = std::chrono::steady_clock::now();
  const pid_t mpv = start_program(
      {"mpv", "--no-config", "--really-quiet", "--vo=null", "--untimed", "--no-audio", "--hwdec=no",
       fmt::format("--vf=crop={}:{}:0:0,format=bgr0", panel.width, panel.height), "--mf-fps=60",
       "mf://@" + (folder / "list.txt").string()},
      {{}, folder / "mpv.log", false});
  const ChildEnd end = wait_for(mpv);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return end.signal == 0 && end.exit_code == 0 ? frames / elapsed.count() : 0;
}

void add_mpv(nlohmann::json& report, const Wall& wall, BezelMode bezels, int frames,
             const std::filesystem::path& folder) {
  if (!program_exists("mpv")) return;
  const SizePx panel = wall.panels.front().viewed_size_px();
  const PlanarPicture tile = make_bench_picture(BenchContent::photographic, Chroma::yuv420, panel);
  const PlanarPicture picture = repeated(tile, Canvas(wall, bezels).size_px());
  const double mpv_fps = measure_mpv(picture, panel, frames, folder);
  if (mpv_fps <= 0) return;
  // mpv's rate is that of one panel with all cores; a wall of n panels on this machine has 1/n of it.
  report["mpv_fps"] = mpv_fps;
  report["ratio_to_mpv"] = report.at("fps").get<double>() * static_cast<double>(wall.panels.size()) /
                           mpv_fps;
}

int run_bench_wall(const BenchWallArguments& arguments) {
  const ScratchFolder scratch(arguments.folder);
  const std::filesystem::path movie = scratch.path() / "movie";
  std::filesystem::create_directory(movie);
  const Wall wall = arguments.play.wall.empty() ? scaled_wall_5x3({1280, 800})
                                                : load_wall(arguments.play.wall);
  BenchWallArguments used = arguments;
  used.play.bezels = "show";
  write_movie(wall, BezelMode::show, arguments.movie_frames, movie);
  const WallLimit reference =
      measure_wall_limit(wall, BezelMode::show, movie, arguments.movie_frames, true);
  const int wrong = wrong_panels(play_once(used, movie, reference.fps, true).report, reference);

  std::vector<double> limits;
  std::vector<double> played;
  std::vector<double> ratios;
  PlayedWall last;
  for (int run = 0; run < arguments.runs; ++run) {
    limits.push_back(
        measure_wall_limit(wall, BezelMode::show, movie, arguments.movie_frames, false).fps);
    last = play_once(used, movie, limits.back(), false);
    played.push_back(last.fps);
    ratios.push_back(last.fps / limits.back());
  }
  nlohmann::json report = bench_header(arguments.runs);
  report.update(last.report);
  report["fps"] = median(played);
  report["fps_runs"] = median_and_p95(played);
  report["limit_fps"] = median(limits);
  report["limit_cpu_s_per_frame"] = reference.cpu_s_per_frame;
  report["ratio_to_limit"] = median(ratios);
  report["wrong_panels"] = wrong;
  add_mpv(report, wall, BezelMode::show, arguments.frames, scratch.path());
  if (arguments.play.json) {
    fmt::print("{}\n", report.dump());
  } else {
    fmt::print("wall {}: {} panels, {}x{}; limit {:.2f} fps, played {:.2f} fps (ratio {:.2f}), "
               "skew p99 {:.0f} us, panels with wrong pixels {}\n",
               wall.name, wall.panels.size(), report.at("wall").at("canvas_width_px").get<int>(),
               report.at("wall").at("canvas_height_px").get<int>(), report.at("limit_fps").get<double>(),
               report.at("fps").get<double>(), report.at("ratio_to_limit").get<double>(),
               report.at("skew_us").at("p99").get<double>(), wrong);
    if (report.contains("mpv_fps"))
      fmt::print("mpv, whole frame and crop, one panel: {:.2f} fps; this wall shows {:.1f} times as "
                 "many panel pictures\n",
                 report.at("mpv_fps").get<double>(), report.at("ratio_to_mpv").get<double>());
  }
  return wrong == 0 ? exit_done : exit_failed;
}

}  // namespace

void add_bench_wall(CLI::App& bench, CommandRun& run) {
  auto arguments = std::make_shared<BenchWallArguments>();
  CLI::App* command = bench.add_subcommand("wall", "The whole wall, played, beside its limit");
  command->add_option("--wall", arguments->play.wall, "wall file; without: a small 5x3");
  command->add_option("--frames", arguments->frames, "frames played in a run")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  command->add_option("--movie-frames", arguments->movie_frames, "different frames in the movie")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--runs", arguments->runs, "limit and wall, by turns")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--folder", arguments->folder, "where the movie is written for a while");
  command->add_option("--launcher", arguments->play.launcher, "what starts the panels")
      ->capture_default_str();
  command->add_flag("--json", arguments->play.json, "one JSON object on stdout");
  command->footer("Example: tilewall bench wall --wall wallconfigs/5x3.toml --json");
  command->callback(
      [arguments, &run] { run = [arguments] { return run_bench_wall(*arguments); }; });
}

}  // namespace tilewall
