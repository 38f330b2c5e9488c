// tilewall render: a flight through a volume as a wall movie.

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "player/cli/commands.hpp"
#include "player/cli/options/option_values.hpp"
#include "player/cli/options/path_styles.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/cli/report/job_progress.hpp"
#include "player/command/number_check.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/convert/movie_size.hpp"
#include "player/path/foreign_paths.hpp"
#include "player/path/unseen_volume.hpp"
#include "player/rendering/flight_estimate.hpp"
#include "player/rendering/flight_movie.hpp"
#include "player/rendering/rank_messages.hpp"
#include "player/rendering/ranks/ranked_rendering.hpp"
#include "player/supervisor/launch.hpp"
#include "sync/base/busy_folder.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/stop_signals.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

constexpr std::string_view between_names[] = {"hold", "blend"};

struct RenderArguments {
  std::string path;
  std::vector<std::string> volume;
  std::string output;
  std::string wall;
  std::string bezels;
  std::string content;
  std::string size;
  std::string frames;
  std::string fps = "24";
  std::string lossless;
  bool png = false;
  bool exr = false;
  int quality = 85;
  std::int64_t timestep = 0;
  int samples = 1;
  double shutter = 0;
  std::string between = "hold";
  int ranks = 0;  // 0: not given
  bool local = false;
  bool portable = false;
  std::string launcher = "mpirun";
  bool estimate = false;
  bool overwrite = false;
  bool json = false;
  bool json_lines = false;
  VolumeArguments look;
  VolumeHostArguments host;
};

movie::ImportOptions options_of(const RenderArguments& arguments, const wall::Wall& wall) {
  movie::ImportOptions options;
  options.inputs = {arguments.path};
  options.output = arguments.output;
  options.wall = movie::wall_target_of(wall, bezel_option(arguments.bezels));
  if (!arguments.size.empty()) options.size_px = size_option(arguments.size);
  if (!arguments.frames.empty()) options.frames = frames_option(arguments.frames);
  if (!arguments.lossless.empty()) options.compression = lossless_option(arguments.lossless);
  options.quality = arguments.quality;
  if (arguments.png) options.files = movie::FrameFiles::png;
  if (arguments.exr) options.files = movie::FrameFiles::exr;
  options.overwrite = arguments.overwrite;
  options.is_portable = arguments.portable;
  options.fps = fps_option(arguments.fps);
  movie::check_import_options(options);
  return options;
}

/// Another word where the volume's files are others, or were changed.
std::string identity_of(const scene::SourceSpec& volume, const std::vector<std::string>& files) {
  std::string identity = volume.path;
  for (const std::string& file : files) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) == 0)
      identity +=
          fmt::format(" {}-{}.{:09}", std::int64_t{status.st_size},
                      std::int64_t{status.st_mtim.tv_sec}, std::int64_t{status.st_mtim.tv_nsec});
  }
  return identity;
}

/// The day in UTC on which a file was changed, as in "2026-11-27".
std::string day_of_change(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return "";
  std::tm utc{};
  char text[16] = {};
  ::gmtime_r(&status.st_mtim.tv_sec, &utc);
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

/// Dates annotations for an audience by the path's file instead of today, so that a rendering goes
/// on after midnight with the look that it began with.
void date_by_path(const std::string& file, VolumeArguments& look, path::PathFile& path) {
  constexpr std::string_view dated = "audience";
  const std::string day = day_of_change(file);
  if (look.annotate == dated && look.date.empty()) look.date = day;
  for (path::PathKey& key : path.keys) {
    const auto word_of = [&](std::string_view field) {
      return std::ranges::find(key.style, field, &path::StyleWord::field);
    };
    const auto preset = word_of("annotate");
    if (preset != key.style.end() && preset->value == dated && word_of("date") == key.style.end())
      key.style.push_back({"date", day, preset->place});
  }
}

/// Of 1, 4 or 16 rays a pixel.
int rays_across_of(int samples) {
  for (const int across : {1, 2, rendering::most_rays_across})
    if (across * across == samples) return across;
  throw InputError({"--samples"}, "", "1, 4 or 16", std::to_string(samples));
}

constexpr double most_float_pixels = 1 << 27;  // Each takes 20 bytes.

/// EXR images show the volume alone, to be laid over others.
void check_floats(const rendering::FlightMovie& flight) {
  const auto refuse = [](const std::string& what) {
    throw InputError({"--exr"}, "", "a flight without annotations, captions and logo", what);
  };
  if (flight.path.logo) refuse("a logo");
  for (std::size_t i = 0; i < flight.styles.size(); ++i)
    if (flight.styles[i]->annotations.any())
      refuse(fmt::format("annotations or a caption at key {}", i + 1));
  const double pixels =
      static_cast<double>(flight.pictures.size_px.width) * flight.pictures.size_px.height;
  if (pixels > most_float_pixels)
    throw InputError({"--exr"}, "", fmt::format("pictures of at most {} pixels", most_float_pixels),
                     fmt::format("{}", pixels));
}

/// One picture with all of its rays has to fit into memory.
void check_rays(const rendering::FlightMovie& flight) {
  const double across = flight.pictures.rays_across;
  const double width = across * flight.pictures.size_px.width;
  const double height = across * flight.pictures.size_px.height;
  if (std::max(width, height) <= rendering::most_rays_a_side &&
      width * height <= rendering::most_rays)
    return;
  throw InputError({"--samples"}, "",
                   fmt::format("a picture of at most {} rays a side and {:g} in all",
                               rendering::most_rays_a_side, rendering::most_rays),
                   fmt::format("{:g}x{:g}", width, height));
}

void check_reach(const path::PathFile& path, const std::string& file,
                 const scene::SourceSpec& volume) {
  for (std::size_t i = 0; i < path.keys.size(); ++i) {
    try {
      scene::check_reach(path.keys[i].flight.camera, volume);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: key[{}].{}", file, i, without_message_place(error.what())));
    }
  }
}

rendering::FlightMovie flight_of(const RenderArguments& arguments, const wall::Wall& wall,
                                 const movie::ImportOptions& options) {
  rendering::FlightMovie flight;
  flight.path = path::read_any_path({arguments.path});
  VolumeArguments look_arguments = arguments.look;
  date_by_path(arguments.path, look_arguments, flight.path);
  flight.path_file = arguments.path;
  const std::vector<std::string>& files =
      arguments.volume.empty() ? flight.path.volume : arguments.volume;
  if (files.empty())
    throw InputError({"--volume"}, "",
                     "a volume to fly through, here or as volume = \"FILE\" in " + arguments.path,
                     "none");
  flight.fps = *options.fps;
  flight.timestep = arguments.timestep;
  flight.pictures.rays_across = rays_across_of(arguments.samples);
  if (!(arguments.shutter >= 0 && arguments.shutter <= 1))
    throw InputError({"--shutter"}, "", "a share of a frame's time, 0 to 1",
                     fmt::format("{:g}", arguments.shutter));
  flight.shutter = arguments.shutter;
  flight.pictures.size_px = options.size_px.value_or(options.wall.canvas_px);
  check_rays(flight);
  const scene::SourceSpec volume = open_volume(files, arguments.look, arguments.host);
  const wall::Canvas canvas(wall,
                            bezel_option(arguments.bezels).value_or(wall.default_bezel_mode()));
  const wall::BezelMode bezels = bezel_option(arguments.bezels).value_or(wall.default_bezel_mode());
  flight.pictures.screens = rendering::screens_of(wall, bezels, flight.pictures.size_px);
  flight.pictures.canvas_px = canvas.size_px();
  const RectF whole{0, 0, static_cast<double>(canvas.size_px().width),
                    static_cast<double>(canvas.size_px().height)};
  const scene::VolumeLook look = look_option(look_arguments, volume, {whole, std::nullopt});
  check_reach(flight.path, arguments.path, volume);
  if (const std::string line = path::unseen_remark(
          path::flight_of(flight.path, arguments.path), arguments.path, volume.box,
          rendering::shown_picture(flight.pictures.screens, canvas.size_px(),
                                   flight.pictures.size_px));
      !line.empty())
    print_line(stderr, "tilewall: {}", line);
  flight.styles = key_styles(flight.path, look.style.to);
  flight.pictures.is_float = arguments.exr;
  flight.pictures.is_whole = arguments.png;
  if (arguments.exr) check_floats(flight);
  for (auto& style : flight.styles)
    if (style->annotations.any()) style = scene::with_screens(*style, canvas, whole);
  if (flight.path.logo)
    flight.pictures.logo = rendering::logo_of(*flight.path.logo, canvas, flight.pictures.size_px);
  flight.pictures.volume = volume::volume_job_of(volume.path);
  // Floats are cast by the processor. A GPU would only have other voxels chosen.
  if (arguments.exr) flight.pictures.volume.caster = volume::CasterChoice::cpu;
  if (arguments.portable) flight.pictures.volume.caster = volume::CasterChoice::scalar;
  if (option_word_index("--between", arguments.between, between_names) == 1)
    flight.pictures.volume.steps_between = volume::most_steps_between;
  flight.volume_identity = identity_of(volume, files);
  flight.pictures.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return flight;
}

nlohmann::ordered_json rendered_json(const movie::ImportResult& result,
                                     const RenderArguments& arguments) {
  const movie::MovieManifest& movie = result.manifest;
  return {{"movie", arguments.output},
          {"width_px", movie.size_px.width},
          {"height_px", movie.size_px.height},
          {"fps", movie.fps.value()},
          {"frames", movie.frames},
          {"already_complete", result.already_complete},
          {"written_frames", result.written_frames},
          {"written_bytes", result.written_bytes},
          {"duration_s", result.duration_s},
          {"render_fps",
           static_cast<double>(result.written_frames) / std::max(result.duration_s, 1e-6)}};
}

std::string rendered_summary(const movie::ImportResult& result, const std::string& output) {
  const movie::MovieManifest& movie = result.manifest;
  if (result.already_complete)
    return fmt::format("{}: complete already, {} frames", output, movie.frames);
  return fmt::format("{}: {} frames of {}x{} at {} fps, {} written in {:.1f} s ({:.1f} MB)", output,
                     movie.frames, movie.size_px.width, movie.size_px.height, to_string(movie.fps),
                     result.written_frames, result.duration_s,
                     static_cast<double>(result.written_bytes) / 1e6);
}

std::string estimate_text(const rendering::FlightEstimate& estimate,
                          const rendering::HostShare& share, std::int64_t hosts) {
  const auto is_short = [](double seconds) { return seconds < 0.5; };
  std::string text = fmt::format("{} frames: ", estimate.frames);
  text += is_short(share.seconds) ? "under 1 s" : fmt::format("about {:.0f} s", share.seconds);
  if (!is_short(share.error_s)) text += fmt::format(" (give or take {:.0f} s)", share.error_s);
  text += " on ";
  text += hosts == 1 ? "this machine"
                     : fmt::format("each of {} hosts like this machine, {} frames each", hosts,
                                   share.frames);
  text += fmt::format(", {}, {} read (from ", movie::bytes_text(estimate.bytes),
                      movie::bytes_text(share.read_bytes_of_all));
  return text + (estimate.sampled_share < 1
                     ? fmt::format("1/{:.0f} of each of {} of them)", 1 / estimate.sampled_share,
                                   estimate.sampled_frames)
                     : fmt::format("{} of them)", estimate.sampled_frames));
}

/// `hosts`: those that will share the frames.
int print_estimate(const rendering::FlightEstimate& estimate, std::int64_t hosts, bool json) {
  const rendering::HostShare share = rendering::share_of_host(estimate, hosts);
  const nlohmann::ordered_json report = {{"frames", estimate.frames},
                                         {"sampled_frames", estimate.sampled_frames},
                                         {"sampled_share", estimate.sampled_share},
                                         {"estimated_s", share.seconds},
                                         {"error_s", share.error_s},
                                         {"estimated_bytes", estimate.bytes},
                                         {"read_bytes", share.read_bytes_of_all},
                                         {"hosts", hosts},
                                         {"frames_per_host", share.frames}};
  fmt::print("{}\n", json ? json_text(report) : estimate_text(estimate, share, hosts));
  return exit_done;
}

/// By this process alone, unless ranks are asked for or the wall has hosts.
movie::ImportResult render(const RenderArguments& arguments, const wall::Wall& wall,
                           const rendering::FlightMovie& flight,
                           const movie::ImportOptions& options, movie::ProgressSink& progress) {
  const BusyFolder note(options.output);
  if (arguments.ranks == 0 && (arguments.local || !supervisor::uses_other_hosts(wall, false)))
    return rendering::render_flight(flight, options, progress);
  return rendering::render_by_ranks(
      flight, options, wall, {std::max(1, arguments.ranks), arguments.local, arguments.launcher},
      progress);
}

/// Images need no wall, but a size. The wall has the content mode that is asked for.
wall::Wall wall_of(const RenderArguments& arguments) {
  if (!arguments.wall.empty()) {
    wall::Wall wall = wall::load_wall(arguments.wall);
    wall.content = content_option(arguments.content, wall);
    return wall;
  }
  if (!(arguments.png || arguments.exr) || arguments.size.empty())
    throw InputError({"--wall"}, "",
                     "the wall file of the movie, or --png or --exr and --size for images", "none");
  return wall::one_panel_wall(size_option(arguments.size));
}

int run_render(const RenderArguments& arguments) {
  const StopSignals signals;
  const wall::Wall wall = wall_of(arguments);
  movie::ImportOptions options = options_of(arguments, wall);
  options.stop = signals.token();
  const rendering::FlightMovie flight = flight_of(arguments, wall, options);
  const bool is_json = arguments.json || arguments.json_lines;
  movie::ImportResult result;
  {
    const std::unique_ptr<movie::ProgressSink> progress =
        job_progress("render", arguments.json_lines);
    if (!wall.flat() && wall.content == wall::ContentMode::arc_length &&
        flight.pictures.screens.empty())
      progress->note(
          fmt::format("{}: the screens are not a plane, and not seen from one eye point: the movie "
                      "is a flat picture, which play lays along them",
                      arguments.wall));
    if (arguments.estimate)
      return print_estimate(rendering::estimate_flight(flight, options, *progress),
                            std::ssize(supervisor::launch_hosts(wall, arguments.local)), is_json);
    result = render(arguments, wall, flight, options, *progress);
  }
  fmt::print("{}\n", is_json ? json_text(rendered_json(result, arguments))
                             : printable_text(rendered_summary(result, arguments.output)));
  return exit_done;
}

}  // namespace

void add_render_command(CLI::App& app, command::CommandRun& run) {
  const auto arguments = std::make_shared<RenderArguments>();
  CLI::App* const command = app.add_subcommand(
      "render", "Renders a flight through a volume as a wall movie, or as images");
  command
      ->add_option("PATH", arguments->path,
                   "the flight: PATH.toml, or a path that 'tilewall path check' reads")
      ->required();
  command->add_option("--volume", arguments->volume,
                      "the volume: a file or folder, several files as a series, or "
                      "tilewall://HOST:PORT/NAME; default: the path's");
  command->add_option("-o,--output", arguments->output, "folder of the wall movie, or the images")
      ->required();
  command->add_option("--wall", arguments->wall,
                      "wall file: its canvas is the movie's size. Images need none with --size");
  takes_one_of(command->add_option("--bezels", arguments->bezels,
                                   "bezel mode of the later shows; default: the wall file's"),
               wall::bezel_mode_names);
  takes_one_of(command->add_option("--content", arguments->content,
                                   "content mode of the later shows on an arc, as for `view`; "
                                   "default: the wall file's"),
               wall::content_mode_names);
  command->add_option("--size", arguments->size, "size of the whole picture, WxH");
  command->add_option("--fps", arguments->fps, "frames per second")->capture_default_str();
  command->add_option("--frames", arguments->frames,
                      "A-B, A-, -B or N: the frames that are rendered, stored from number 0 on");
  command->add_option("--samples", arguments->samples, "rays for each pixel: 1, 4 or 16")
      ->capture_default_str();
  command
      ->add_option("--ranks", arguments->ranks,
                   "processes on each host, which share its cores; default: this process alone, "
                   "or one on each host of the wall file")
      ->check(command::NumberIn(1, rendering::most_ranks_a_host));
  command->add_flag("--local", arguments->local,
                    "all on this machine, whatever hosts the wall file names");
  command
      ->add_option("--launcher", arguments->launcher,
                   "what starts the ranks of other hosts, as for `play`: mpirun with options, or a "
                   "command with {host}")
      ->capture_default_str();
  command
      ->add_option("--shutter", arguments->shutter,
                   fmt::format("how long a frame is exposed, as a share of its time, 0 to 1: the "
                               "mean of {} pictures; 0: none is blurred by motion",
                               rendering::shutter_moments))
      ->capture_default_str();
  takes_one_of(command->add_option("--between", arguments->between,
                                   "what a series shows between two timesteps: the one before, or "
                                   "the mean of both values of each voxel"),
               between_names)
      ->capture_default_str();
  command->add_flag("--estimate", arguments->estimate,
                    "renders parts of frames for ten seconds at most, and tells how long all will "
                    "take, how much space, and what is read of the volume");
  CLI::Option* const png =
      command->add_flag("--png", arguments->png, "a folder of PNG images instead of a wall movie");
  CLI::Option* const exr =
      command
          ->add_flag("--exr", arguments->exr,
                     "a folder of EXR images: the volume alone in linear light, half floats with "
                     "opacity, and the depth of the first hit; many times slower")
          ->excludes(png);
  CLI::Option* const quality =
      command->add_option("--quality", arguments->quality, "JPEG quality, 1 to 100")
          ->capture_default_str();
  CLI::Option* const lossless =
      takes_one_of(command->add_option("--lossless", arguments->lossless,
                                       "lossless compression instead of JPEG"),
                   lossless_names);
  // Both are of the frames of a wall movie.
  for (CLI::Option* const of_movie : {quality, lossless}) of_movie->excludes(png)->excludes(exr);
  add_volume_style_options(*command, arguments->look);
  add_volume_part_options(*command, arguments->look);
  command->add_option("--stretch", arguments->look.stretch,
                      "X,Y,Z: factors of the volume's sides, as for `view`");
  command->add_option("--timestep", arguments->timestep, "number of the timestep, from 0")
      ->capture_default_str();
  add_volume_host_options(*command, arguments->host);
  command
      ->add_flag(
          "--portable", arguments->portable,
          "the same bytes from every processor, so that hosts of different kinds may share a "
          "rendering, and a host of another kind may go on with it; many times slower")
      ->excludes("--caster");
  command->add_flag("--overwrite", arguments->overwrite, "start anew where another movie lies");
  command->add_flag("--json", arguments->json, "print the result as one JSON object");
  add_json_lines_option(*command, arguments->json_lines);
  command->footer(
      "Example: tilewall render flight.toml --volume brain.nii.gz -o fly --wall 5x3.toml --lit\n"
      "The same command again goes on where an interrupted one ended.");
  command->callback([arguments, &run] { run = [arguments] { return run_render(*arguments); }; });
}

}  // namespace tilewall::cli
