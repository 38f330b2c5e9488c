#include "player/cli/play/play_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>
#include <utility>

#include "net/show_keys.hpp"
#include "player/cli/options/option_values.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/play/default_wall.hpp"
#include "player/cli/play/placement_options.hpp"
#include "player/cli/source/show_source.hpp"
#include "player/director/changes/scene_change.hpp"
#include "player/movie/remote/remote_movie.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/compare.hpp"
#include "player/scene/tick_grid_plan.hpp"
#include "player/supervisor/launch.hpp"
#include "player/trace/trace_file.hpp"
#include "player/volume/volume_job.hpp"
#include "render/gl/gl_device.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "wallconfigs/eye_view.hpp"

namespace tilewall::cli {
namespace {

constexpr double max_rate = 1000;  // frames per second, or times as fast
constexpr int max_stage_mib = 65'536;

[[noreturn]] void refuse(const std::string& option, const std::string& expected,
                         const std::string& found) {
  throw InputError({option}, "", expected, found.empty() ? "nothing" : "\"" + found + "\"");
}

Rational rate_option(const std::string& option, const std::string& text, bool negative_too) {
  const auto rate = parse_rational(text);
  if (!rate || rate->num == 0 || std::abs(rate->value()) > max_rate ||
      (rate->num < 0 && !negative_too))
    refuse(option,
           fmt::format("a number or fraction {} 0 and at most {}",
                       negative_too ? "other than" : "over", max_rate),
           text);
  return *rate;
}

RectF view_option(const std::string& text, SizePx movie_px) {
  const std::vector<double> view = parse_number_list(text);
  if (view.size() != 4 || !(view[2] > 0) || !(view[3] > 0))
    refuse("--view", "X,Y,W,H in pixels of the movie", text);
  const RectF rect{view[0], view[1], view[2], view[3]};
  const RectF movie{0, 0, static_cast<double>(movie_px.width),
                    static_cast<double>(movie_px.height)};
  if (intersection(rect, movie).empty())
    refuse("--view",
           fmt::format("a part of the movie's {}x{} pixels", movie_px.width, movie_px.height),
           text);
  return rect;
}

director::SnapshotRequest snapshot_option(const std::string& option, const std::string& text) {
  const auto colon = text.find(':');
  std::int64_t frame = -1;
  const char* const end = text.data() + std::min(colon, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, frame);
  if (colon == std::string::npos || error != std::errc{} || stop != end || frame < 0 ||
      colon + 1 == text.size())
    refuse(option, "FRAME:FILE.png", text);
  const std::filesystem::path file = text.substr(colon + 1);
  check_snapshot_file(option, file);
  return {frame, file, option == "--snapshot-panels"};
}

std::string played_frames(const sync::Timeline& line) {
  const auto ticks = line.tick_count();
  if (ticks && line.loop == sync::LoopMode::once) {
    const std::int64_t last = line.frame_of(*ticks - 1);
    return fmt::format("{} to {}", std::min(line.start_frame, last),
                       std::max(line.start_frame, last));
  }
  const std::string count = ticks ? fmt::format("{} ", *ticks) : "";
  return fmt::format("{}from {} on, within {} to {}", count, line.start_frame, line.first_frame,
                     line.end_frame - 1);
}

std::filesystem::path snapshot_folder_option(const std::string& folder) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error || !std::filesystem::is_directory(real, error))
    refuse("--snapshot-folder", "a folder that exists", folder);
  return real;
}

/// Refuses snapshots of frames that the show does not play: it would end without the picture.
void check_snapshots(const std::vector<director::SnapshotRequest>& snapshots,
                     const scene::SourceSpec& source, const sync::Timeline& line) {
  for (const director::SnapshotRequest& request : snapshots) {
    const char* const option = request.per_panel ? "--snapshot-panels" : "--snapshot";
    const std::string found = std::to_string(request.frame);
    if (source.live) continue;  // its frames are timesteps, which nobody knows yet
    if (request.frame >= source.frames)
      refuse(option, fmt::format("a frame in [0, {}]", source.frames - 1), found);
    if (!line.first_tick_of(request.frame))
      refuse(option, "a frame that is played: " + played_frames(line), found);
  }
}

Rational base_rate(const PlayArguments& arguments, const scene::SourceSpec& source) {
  return arguments.fps.empty() ? source.fps : rate_option("--fps", arguments.fps, false);
}

Rational speed_option(const PlayArguments& arguments) {
  return rate_option("--speed", arguments.speed, true);
}

sync::LoopMode loop_option(const PlayArguments& arguments) {
  if (arguments.loop && arguments.ping_pong) refuse("--ping-pong", "no --loop beside it", "--loop");
  if (arguments.ping_pong) return sync::LoopMode::ping_pong;
  return arguments.loop ? sync::LoopMode::loop : sync::LoopMode::once;
}

movie::FrameRange played_range(const PlayArguments& arguments, std::int64_t frames) {
  return arguments.volume ? range_option("--time", arguments.volume->time, "timesteps", frames)
                          : range_option("--range", arguments.range, "frames", frames);
}

sync::Timeline timeline_of(const PlayArguments& arguments, const scene::SourceSpec& source) {
  sync::Timeline line;
  const movie::FrameRange range = played_range(arguments, source.frames);
  const Rational rate = base_rate(arguments, source) * speed_option(arguments);
  line.start = scene::never;
  line.rate_fps = {std::abs(rate.num), rate.den};
  line.direction = rate.num < 0 ? -1 : 1;
  line.first_frame = range.first;
  line.end_frame = range.last + 1;
  line.loop = loop_option(arguments);
  const std::int64_t start =
      arguments.start.value_or(line.direction < 0 ? range.last : range.first);
  if (start < range.first || start > range.last)
    refuse("--start", fmt::format("a frame in [{}, {}]", range.first, range.last),
           std::to_string(start));
  line.start_frame = start;
  if (arguments.frames > 0 && !source.live) line.tick_limit = arguments.frames;
  if (source.live) line.rate_fps = {0, 1};  // its timesteps follow from no clock
  return line;
}

/// The angle under which the eye point sees the region's height; empty if the screens do not stand
/// around an eye point, or the content mode does not use it.
std::optional<double> true_fov(const wall::Wall& wall, const scene::Scene& scene,
                               const RectF& region_px) {
  if (scene.content != wall::ContentMode::arc_length) return std::nullopt;
  const auto screens = wall::screens_from_eye(wall, scene.bezels);
  if (screens.empty()) return std::nullopt;
  return wall::true_fov_rad(wall::region_plane(screens, region_px), region_px);
}

scene::Scene scene_of(const PlayArguments& arguments, const wall::Wall& wall,
                      const scene::SourceSpec& source) {
  scene::Scene scene;
  scene.version = 1;
  scene.epoch = 1;
  scene.overlay.shown = arguments.overlay;
  scene.hints = option_word_index("--hints", arguments.hints, on_off_words) == 0;
  scene.bezels = bezel_option(arguments.bezels).value_or(wall.default_bezel_mode());
  scene.content = content_option(arguments.content, wall);
  const SizePx canvas = wall::Canvas(wall, scene.bezels, scene.content).size_px();
  scene::Region region;
  region.canvas_px = {0, 0, static_cast<double>(canvas.width), static_cast<double>(canvas.height)};
  region.name = scene::main_region;
  region.source = std::make_shared<const scene::SourceSpec>(source);
  region.timeline = timeline_of(arguments, source);
  region.base_fps = base_rate(arguments, source);
  const Rational speed = speed_option(arguments);
  region.speed = {std::abs(speed.num), speed.den};
  region.fit =
      static_cast<scene::FitMode>(option_word_index("--fit", arguments.fit, scene::fit_mode_names));
  if (!arguments.view.empty()) {
    const SizePx movie_px = source.size_px.width > 0 ? source.size_px : canvas;
    region.view = scene::ViewPath::at_rest(view_option(arguments.view, movie_px));
  }
  region.owner = "operator";
  if (arguments.volume)
    region.look = look_option(*arguments.volume, source,
                              {region.canvas_px, true_fov(wall, scene, region.canvas_px)});
  scene.regions.push_back(std::move(region));
  scene.since = scene::never;
  scene.tick_grid = scene::plan_tick_grid(scene.regions, scene::never);
  return scene;
}

std::optional<scene::CompareMode> compare_option(const PlayArguments& arguments) {
  if (!arguments.gain.empty() && arguments.compare != "difference")
    refuse("--gain", "--compare difference beside it", arguments.compare);
  if (arguments.compare.empty()) return std::nullopt;
  const auto mode = static_cast<scene::CompareMode>(
      option_word_index("--compare", arguments.compare, scene::compare_mode_names));
  if (arguments.inputs.size() != 2)
    refuse("--compare", "two inputs", std::to_string(arguments.inputs.size()));
  return mode;
}

double gain_option(const std::string& text) {
  return option_number_within("--gain", text, 1, scene::max_difference_gain);
}

/// Adds a second movie to the scene, in step with the first.
scene::Scene compared(const scene::Scene& scene, const PlayArguments& arguments,
                      const wall::Wall& wall, scene::CompareMode mode, scene::SourceSpec second) {
  const SizePx canvas_px = wall::Canvas(wall, scene.bezels, scene.content).size_px();
  director::SceneChange change(scene, scene::never, Nanos(0));
  change.compare(mode, std::make_shared<const scene::SourceSpec>(std::move(second)), canvas_px,
                 0.5);
  if (!arguments.gain.empty())
    change.set_difference_gain(std::string(scene::compare_region), gain_option(arguments.gain));
  const sync::Timeline& line = change.region("").timeline;
  const movie::FrameRange range = played_range(arguments, line.end_frame);  // frames of both movies
  change.set_range("", range.first, range.last + 1);
  scene::Scene both = change.finish();
  both.version = scene.version;
  both.epoch = scene.epoch;
  return both;
}

void check_display(const PlayArguments& arguments, const wall::Wall& wall) {
  const char* display = std::getenv("DISPLAY");
  if (arguments.headless || (display != nullptr && *display != '\0')) return;
  for (const wall::Panel& panel : wall.panels)
    if (panel.display.empty() && (arguments.local || panel.host.empty()))
      throw JobError("no display: DISPLAY is not set; start it on a display, or use --headless");
}

/// Checks the options for volumes against this machine. Casters on other hosts report trouble
/// there.
void check_volume_host(const PlayArguments& arguments, const wall::Wall& wall,
                       const scene::SourceSpec& source) {
  const VolumeHostArguments& host = arguments.volume_host;
  if (host.any() && !scene::holds_volume(source))
    throw InputError({host.memory_mib ? "--memory" : "--caster"}, "", "a volume among the inputs",
                     "none");
  if (host.caster != volume::name_of(volume::CasterChoice::gl)) return;
  const bool draws_here =
      std::any_of(wall.panels.begin(), wall.panels.end(),
                  [&](const wall::Panel& panel) { return arguments.local || panel.host.empty(); });
  std::string why_not;
  if (draws_here && render::GlDevice::open(render::GlPreference::any, why_not) == nullptr)
    throw InputError({"--caster"}, "", "OpenGL 4.3 for gl, or cpu or auto", why_not);
}

int decode_threads(const PlayArguments& arguments, const wall::Wall& wall) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(
      std::max<std::size_t>(1, cores / supervisor::panels_per_host(wall, arguments.local)));
}

movie::MissingEntries missing_option(const PlayArguments& arguments) {
  return arguments.skip_missing ? movie::MissingEntries::skipped : movie::MissingEntries::refused;
}

/// Moves all panels of the wall to this machine. Displays and addresses of hosts are removed,
/// because they are those of other machines.
void make_local(wall::Wall& wall) {
  for (wall::Panel& panel : wall.panels)
    if (!std::exchange(panel.host, {}).empty()) panel.display.clear();
  wall.hosts.clear();
  wall.clock_address.clear();
  wall.standby_clock_address.clear();
  wall.control_address.clear();
}

std::size_t stage_option(const std::string& text) {
  int mib = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, mib);
  if (error != std::errc{} || stop != end || mib < 0 || mib > max_stage_mib)
    refuse("--stage", fmt::format("a whole number of MiB in [0, {}]", max_stage_mib), text);
  return static_cast<std::size_t>(mib) << 20;
}

bool automatic_option(const std::string& name, const std::string& text) {
  return option_word_index(name, text, auto_off_words) == 0;
}

bool pin_option(const PlayArguments& arguments) {
  const bool pin = automatic_option("--pin", arguments.pin);
  if (!pin && !arguments.place.empty()) refuse("--place", "no --pin off beside it", "--pin off");
  return pin;
}

wall::Wall asked_wall(const PlayArguments& arguments) {
  wall::Wall wall = !arguments.wall.empty() ? wall::load_wall(arguments.wall)
                    : arguments.small_wall  ? small_wall(arguments.headless)
                                            : default_wall(arguments.headless);
  if (arguments.local) make_local(wall);
  return wall;
}

/// The places of --place, one text for each panel. Those of panels on this machine are checked
/// against its topology; other hosts check theirs when the show starts.
std::vector<std::string> place_option(const PlayArguments& arguments, const wall::Wall& wall) {
  if (arguments.place.empty()) return {};
  std::vector<std::string> places;
  for (const placement::PlaceRequest& request : place_requests(arguments.place, wall))
    places.push_back(placement::to_string(request));
  const placement::HostTopology here = placement::read_host_topology();
  check_places(arguments.place, wall, "", here);
  for (const wall::Host& host : wall.hosts)
    if (is_this_machine(wall, host.name)) check_places(arguments.place, wall, host.name, here);
  return places;
}

bool draws_windows(const PlayArguments& arguments) {
  return !arguments.headless && arguments.presenter != "null";
}

/// Refuses a file that cannot be written before the show is played, rather than after it.
void check_writable(const std::string& option, const std::string& file) {
  if (file.empty()) return;
  try {
    write_file_atomically(file, "{}\n");
  } catch (const JobError& error) {
    refuse(option, "a file that can be written", error.what());
  }
}

/// The options with which `render` draws the volume of `view` as the hosts of the show do.
std::vector<std::string> render_options(const PlayArguments& arguments,
                                        const scene::SourceSpec& source) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto add_number = [&](const char* option, const std::optional<int>& value) {
    if (value) add(option, std::to_string(*value));
  };
  add("--caster", arguments.volume_host.caster);
  add_number("--memory", arguments.volume_host.memory_mib);
  if (source.live) return words;  // no file has it
  const VolumeArguments& volume = *arguments.volume;
  add("--dataset", volume.dataset);
  add_number("--component", volume.component);
  add_number("--level", volume.level);
  for (const std::string& axis : volume.fixed) add("--axis", axis);
  add("--levels", volume.levels);
  add("--stretch", volume.stretch);
  words.emplace_back("--volume");
  for (const std::string& input : source.named.inputs) words.push_back(input);
  return words;
}

}  // namespace

void check_snapshot_file(const std::string& option, const std::filesystem::path& file) {
  std::error_code ignored;
  if (file.extension() != ".png") refuse(option, "a file that ends in .png", file.string());
  if (file.has_parent_path() && !std::filesystem::is_directory(file.parent_path(), ignored))
    refuse(option, "a file in a folder that exists", file.string());
}

PlacementQuestion placement_question(const PlayArguments& arguments) {
  net::use_secret_file(arguments.key_file);
  PlacementQuestion question;
  question.wall = asked_wall(arguments);
  question.windows = draws_windows(arguments);
  question.pin = pin_option(arguments);
  question.places = arguments.place;
  return question;
}

PlacementQuestion placement_question(const PlayArguments& arguments, const std::stop_token& stop) {
  PlacementQuestion question = placement_question(arguments);
  const bool all_remote = std::ranges::all_of(arguments.inputs, net::is_remote);
  question.server =
      all_remote
          ? scene::PictureServer{net::parse_remote_url(arguments.inputs.front()).servers.front(),
                                 false}
          : first_server(open_show_source(arguments.inputs, question.wall,
                                          {MovieWay::direct,
                                           {},
                                           movie::HdrMode::map,
                                           missing_option(arguments),
                                           nullptr,
                                           nullptr},
                                          stop));
  return question;
}

supervisor::SupervisorOptions common_options(const PlayArguments& arguments) {
  supervisor::SupervisorOptions options;
  options.show.command_start = local_now();
  net::use_secret_file(arguments.key_file);
  options.show.wall = asked_wall(arguments);
  const wall::Wall& wall = options.show.wall;
  options.show.late = static_cast<scene::LatePolicy>(
      option_word_index("--late", arguments.late, scene::late_policy_names));
  options.show.inputs = {arguments.hdr, arguments.skip_missing, arguments.import_first};
  options.show.control_encryption = static_cast<director::ControlEncryption>(option_word_index(
      "--control-encryption", arguments.control_encryption, director::control_encryption_names));
  options.local = arguments.local;
  options.decode = static_cast<scene::DecodeDevice>(
      option_word_index("--decode", arguments.decode, scene::decode_device_names));
  options.show.scene.audio_gain = apply_sound_options(arguments.sound, options);
  if (arguments.stage) options.show.stage_bytes = stage_option(*arguments.stage);
  options.show.pin = pin_option(arguments);
  options.show.places = place_option(arguments, wall);
  options.show.vsync = automatic_option("--vsync", arguments.vsync);
  for (const std::string& text : arguments.snapshots)
    options.show.snapshots.push_back(snapshot_option("--snapshot", text));
  for (const std::string& text : arguments.panel_snapshots)
    options.show.snapshots.push_back(snapshot_option("--snapshot-panels", text));
  options.show.snapshot_folder = snapshot_folder_option(arguments.snapshot_folder);
  check_display(arguments, wall);
  check_writable("--report", arguments.report);
  if (!arguments.trace.empty()) trace::check_trace_file("--trace", arguments.trace);
  options.show.presenter = arguments.presenter;
  options.show.headless = arguments.headless;
  options.show.exit_at_end = arguments.exit_at_end;
  options.show.hashes = arguments.hashes;
  options.show.strict = arguments.strict;
  options.show.slate = arguments.slate;
  options.show.trace_file = arguments.trace;
  options.show.decode_threads = decode_threads(arguments, wall);
  options.launcher = arguments.launcher;
  options.key_file = arguments.key_file;
  options.run_dir = arguments.run_dir;
  if (arguments.volume) options.keyframes = std::filesystem::absolute(arguments.keyframes);
  options.show.keeps_path = !options.keyframes.empty();
  options.console = console_options(arguments.console);
  options.show.seconds = arguments.seconds;
  return options;
}

supervisor::SupervisorOptions supervisor_options(const PlayArguments& arguments,
                                                 const std::stop_token& stop) {
  supervisor::SupervisorOptions options = common_options(arguments);
  const wall::Wall& wall = options.show.wall;
  const movie::HdrMode hdr = hdr_option(arguments.hdr);
  const auto compare = compare_option(arguments);
  const auto open = [&](const std::vector<std::string>& inputs) {
    if (arguments.volume) {
      const auto live = inputs.size() == 1 ? await_live(inputs.front(), stop) : std::nullopt;
      if (live)
        return open_live(inputs.front(), *live, arguments.live, *arguments.volume,
                         arguments.volume_host);
      if (arguments.live.any()) refuse_live_options(inputs.front());
      return open_volume(inputs, *arguments.volume, arguments.volume_host);
    }
    const MovieWay way = arguments.import_first ? MovieWay::imported : MovieWay::direct;
    return open_show_source(inputs, wall,
                            {way, arguments.volume_host, hdr, missing_option(arguments),
                             &options.show.notes, &options.cache_uses},
                            stop);
  };
  const scene::SourceSpec source =
      open(compare ? std::vector{arguments.inputs[0]} : arguments.inputs);
  check_volume_host(arguments, wall, source);
  options.show.server = first_server(source);
  if (arguments.volume) options.render_options = render_options(arguments, source);
  if (source.live) options.show.live_timesteps = arguments.frames;
  const double audio_gain = options.show.scene.audio_gain;
  options.show.scene = scene_of(arguments, wall, source);
  options.show.scene.audio_gain = audio_gain;
  if (compare)
    options.show.scene =
        compared(options.show.scene, arguments, wall, *compare, open({arguments.inputs[1]}));
  check_snapshots(options.show.snapshots, source, options.show.scene.regions.front().timeline);
  return options;
}

}  // namespace tilewall::cli
