#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "player/cli/commands.hpp"
#include "player/cli/play/play_options.hpp"
#include "player/cli/play/show_run.hpp"
#include "player/cli/present/present_options.hpp"
#include "player/cli/source/demo_input.hpp"
#include "player/cli/tour_show.hpp"
#include "player/command/command.hpp"
#include "player/command/number_check.hpp"
#include "player/cues/show_file.hpp"
#include "player/movie/cache/cache_uses.hpp"
#include "player/scene/tick_grid_plan.hpp"
#include "sync/base/error.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

constexpr double default_seconds = 10;
constexpr double tour_fps = 24;
constexpr double tour_seconds = 40;  // the cues of the tour follow each other in that time
constexpr Rational turn_fps{30, 1};
constexpr const char* demo_volume_range = "60,255";  // hides the fog below 60
constexpr double turn_rad = 2.6;  // under pi: a glide over half a turn could go either way
constexpr double elevation_rad = 0.35;

struct DemoArguments {
  std::string file;
  std::string show = "movie";
  bool headless = false;
  std::optional<double> seconds;  ///< empty: as long as what is shown wants
  std::string snapshot = "tilewall-demo.png";
  SoundArguments sound;
};

bool has_display() {
  const char* display = std::getenv("DISPLAY");
  return display != nullptr && *display != '\0';
}

/// The demo as arguments of `play` or `view`.
PlayArguments as_play(const DemoArguments& demo, const std::string& own) {
  PlayArguments play;
  play.inputs = {demo.file.empty() ? own : demo.file};
  if (demo.show == "volume") {
    VolumeArguments& volume = play.volume.emplace();
    if (demo.file.empty()) {
      volume.transfer = "inferno";
      volume.range = demo_volume_range;
    }
    volume.axes = volume.bar = true;
  }
  play.headless = demo.headless || !has_display();
  play.exit_at_end = true;
  play.loop = true;
  play.local = true;
  play.small_wall = true;
  play.sound = demo.sound;
  play.console.always = true;
  play.console.opens_browser = !play.headless;
  return play;
}

/// Moves the camera past the volume once, from left to right, while it zooms in by `nearer`.
void fly_past(scene::Region& region, double seconds, double nearer) {
  const render::WorldBox& box = region.source->box;
  const double aspect = region.canvas_px.width / region.canvas_px.height;
  scene::CameraPath& path = region.look->camera;
  path = {render::camera_at(box, -turn_rad / 2, elevation_rad, aspect),
          render::zoomed(render::camera_at(box, turn_rad / 2, elevation_rad, aspect), nearer),
          scene::never,  // the show's start
          Nanos(std::llround(seconds * 1e9))};
}

/// Plays the tour, a presentation that goes on by itself.
int run_tour(const DemoArguments& demo) {
  const LocalInstant command_start = local_now();
  check_snapshot_file("--snapshot", demo.snapshot);
  PresentArguments tour;
  tour.play = as_play(demo, "");
  tour.play.inputs.clear();
  tour.play.seconds = demo.seconds.value_or(tour_seconds);
  supervisor::SupervisorOptions options;
  std::stop_token stop;
  {
    const StopSignals signals;
    stop = signals.token();
    options = present_options(cues::show_from_text("tour.toml", tour_show), tour, stop);
  }
  command::throw_if_stopped(stop);
  options.show.command_start = command_start;
  // Of its movie, which the first cue shows for eight seconds.
  const std::int64_t pictured_frame =
      std::min<std::int64_t>(100, std::llround(tour.play.seconds / 2 * tour_fps));
  if (tour.play.headless) options.show.snapshots.push_back({pictured_frame, demo.snapshot, false});
  print_line(stdout, "a tour of {} cues on {} panels of {}, {}",
             options.show.cues->list.cues.size(), options.show.wall.panels.size(),
             options.show.wall.name,
             tour.play.headless ? "headless" : "in windows: page down goes on, q ends it");
  std::fflush(stdout);
  return play_show(tour.play, std::move(options));
}

int run_demo(const DemoArguments& demo) {
  if (demo.show == "tour") return run_tour(demo);
  const double seconds = demo.seconds.value_or(default_seconds);
  const LocalInstant command_start = local_now();
  check_snapshot_file("--snapshot", demo.snapshot);
  PlayArguments play;
  supervisor::SupervisorOptions options;
  const bool volume = demo.show == "volume";
  std::stop_token stop;
  {
    const StopSignals signals;
    stop = signals.token();
    movie::CacheUses uses;
    const std::string own = demo.file.empty()
                                ? demo_input(volume ? "demo:volume" : "demo:movie", uses, stop)
                                : std::string();
    play = as_play(demo, own);
    options = supervisor_options(play, stop);
    // The start includes the time for making the demo's movie.
    options.show.command_start = command_start;
    // The show locks the entry before `uses` releases it.
    if (demo.file.empty()) options.cache_uses.add_if_cached(own);
  }
  command::throw_if_stopped(stop);
  scene::Scene& scene = options.show.scene;
  scene::Region& region = scene.regions.front();
  sync::Timeline& line = region.timeline;
  if (volume && region.source->frames == 1) line.rate_fps = region.base_fps = turn_fps;
  line.tick_limit = std::max<std::int64_t>(1, std::llround(seconds * line.rate_fps.value()));
  scene.tick_grid = scene::plan_tick_grid(scene.regions, scene.since);
  if (volume) fly_past(region, seconds, demo.file.empty() ? 2 : 1);
  const std::int64_t middle = line.frame_of(*line.tick_limit / 2);
  if (play.headless) options.show.snapshots.push_back({middle, demo.snapshot, false});
  print_line(stdout, "{} panels of {}, {}", options.show.wall.panels.size(), options.show.wall.name,
             play.headless ? "headless" : "in windows: press q to end it earlier");
  std::fflush(stdout);
  const int code = play_show(play, std::move(options));
  std::error_code error;
  if (play.headless && std::filesystem::exists(demo.snapshot, error))
    print_line(stdout, "the wall at frame {}: {}", middle,
               std::filesystem::absolute(demo.snapshot).string());
  return code;
}

}  // namespace

void add_demo_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<DemoArguments>();
  CLI::App* command =
      app.add_subcommand("demo", "Plays FILE, or a built-in movie or volume, on a small 5x3 wall");
  command->add_option("FILE", arguments->file, "any movie or images; with --show volume, a volume");
  command
      ->add_option("--show", arguments->show,
                   "movie, or a volume that turns: FILE, else a built-in one; tour: a presentation")
      ->check(CLI::IsMember({"movie", "volume", "tour"}))
      ->capture_default_str();
  command->add_flag("--headless", arguments->headless, "no windows; writes a snapshot");
  command
      ->add_option("--seconds", arguments->seconds,
                   "how long it plays; without: 10, and the tour 40")
      ->check(command::NumberIn(0.1, 86400.0));
  command->add_option("--snapshot", arguments->snapshot, "headless: picture of the wall")
      ->capture_default_str();
  add_sound_options(*command, arguments->sound);
  command->footer("Example: tilewall demo --show volume --seconds 20");
  command->callback([arguments, &run] { run = [arguments] { return run_demo(*arguments); }; });
}

}  // namespace tilewall::cli
