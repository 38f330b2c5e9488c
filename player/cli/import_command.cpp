#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/cli/commands.hpp"
#include "player/cli/options/option_values.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/report/job_progress.hpp"
#include "player/cli/report/reports.hpp"
#include "player/command/command.hpp"
#include "player/command/confined_import.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/movie_size.hpp"
#include "player/movie/playlist/playlist.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/stop_signals.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

// The options as typed; run_import() parses them.
struct ImportArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string wall;
  std::string bezels;
  std::string size;
  std::string crop;
  std::string frames;
  std::string fps;
  std::string fit = "contain";
  std::string lossless;
  std::string hdr = "map";
  int quality = 85;
  bool overwrite = false;
  bool json = false;
  bool json_lines = false;
};

movie::ImportOptions options_of(const ImportArguments& arguments) {
  if (movie::is_playlist(arguments.inputs))
    throw InputError({arguments.inputs.front()}, "", "one movie, or images, to import",
                     "a playlist");
  if (arguments.output.empty())
    throw InputError({"--output"}, "", "a folder for the wall movie", "\"\"");
  movie::ImportOptions options;
  options.inputs = arguments.inputs;
  options.output = arguments.output;
  if (!arguments.wall.empty())
    options.wall =
        movie::wall_target_of(wall::load_wall(arguments.wall), bezel_option(arguments.bezels));
  if (!arguments.size.empty()) options.size_px = size_option(arguments.size);
  if (!arguments.crop.empty()) options.crop_px = crop_option(arguments.crop);
  if (!arguments.frames.empty()) options.frames = frames_option(arguments.frames);
  if (!arguments.fps.empty()) options.fps = fps_option(arguments.fps);
  if (!arguments.lossless.empty()) options.compression = lossless_option(arguments.lossless);
  options.fit = fit_option(arguments.fit);
  options.hdr = hdr_option(arguments.hdr);
  options.quality = arguments.quality;
  options.overwrite = arguments.overwrite;
  return options;
}

nlohmann::ordered_json json_of(const movie::ImportResult& result,
                               const ImportArguments& arguments) {
  const movie::MovieManifest& movie = result.manifest;
  const double duration_s = std::max(result.duration_s, 1e-6);
  nlohmann::ordered_json json = {
      {"movie", arguments.output},
      {"width_px", movie.size_px.width},
      {"height_px", movie.size_px.height},
      {"fps", movie.fps.value()},
      {"frames", movie.frames},
      {"chroma", movie::to_string(movie.chroma)},
      {"block_width_px", movie.block_px.width},
      {"block_height_px", movie.block_px.height},
      {"levels", movie.levels},
      {"audio_file", movie.audio_file},
      {"already_complete", result.already_complete},
      {"written_frames", result.written_frames},
      {"written_bytes", result.written_bytes},
      {"decoded_pictures", result.decoded_pictures},
      {"repeated_frames", movie.repeated_frames},
      {"dropped_frames", movie.dropped_frames},
      {"damaged_frames", result.damaged_frames},
      {"problems", result.problems},
      {"duration_s", result.duration_s},
      {"import_fps", static_cast<double>(result.written_frames) / duration_s}};
  if (result.hdr) add_hdr(*result.hdr, hdr_option(arguments.hdr), json);
  return json;
}

std::string summary(const movie::ImportResult& result, const std::string& output) {
  const movie::MovieManifest& movie = result.manifest;
  if (result.already_complete)
    return fmt::format("{}: complete already, {} frames", output, movie.frames);
  return fmt::format(
      "{}: {} frames of {}x{} at {} fps, {} written in {:.1f} s ({:.1f} fps, {:.1f} MB)", output,
      movie.frames, movie.size_px.width, movie.size_px.height, to_string(movie.fps),
      result.written_frames, result.duration_s,
      static_cast<double>(result.written_frames) / std::max(result.duration_s, 1e-6),
      static_cast<double>(result.written_bytes) / 1e6);
}

int run_import(const ImportArguments& arguments) {
  const StopSignals signals;
  movie::ImportOptions options = options_of(arguments);
  options.stop = signals.token();
  const bool is_json = arguments.json || arguments.json_lines;
  const std::string report = command::import_confined(
      options, [&] { return job_progress("import", arguments.json_lines); },
      [&](const movie::ImportResult& result) {
        return is_json ? json_text(json_of(result, arguments)) + "\n"
                       : printable_text(summary(result, arguments.output)) + "\n";
      });
  fmt::print("{}", report);
  return exit_done;
}

}  // namespace

void add_import_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = app.add_subcommand("import", "Turns a movie or images into a wall movie");
  command
      ->add_option("INPUT", arguments->inputs,
                   "a movie, an image, a folder, frame-%06d.png, or a glob")
      ->required();
  command->add_option("-o,--output", arguments->output, "folder of the wall movie")->required();
  CLI::Option* const wall = command->add_option(
      "--wall", arguments->wall,
      "wall file: limits the size to its canvas, and aligns blocks with its panels");
  takes_one_of(command->add_option("--bezels", arguments->bezels,
                                   "bezel mode of the later shows; default: the wall file's"),
               wall::bezel_mode_names)
      ->needs(wall);
  command->add_option("--size", arguments->size, "exact size WxH; may enlarge");
  takes_one_of(
      command->add_option("--fit", arguments->fit, "how the movie fills the wall's canvas"),
      movie::size_fit_names)
      ->capture_default_str();
  command->add_option("--crop", arguments->crop, "X,Y,W,H: the part of the source that is stored");
  command->add_option("--frames", arguments->frames,
                      "A-B, A-, -B or N: the frames that are stored, from number 0 on");
  command->add_option("--fps", arguments->fps, "rate, by time stamps; images: 24");
  CLI::Option* const quality =
      command->add_option("--quality", arguments->quality, "JPEG quality, 1 to 100")
          ->capture_default_str();
  takes_one_of(command->add_option("--lossless", arguments->lossless,
                                   "lossless compression instead of JPEG"),
               lossless_names)
      ->excludes(quality);
  add_hdr_option(*command, arguments->hdr);
  command->add_flag("--overwrite", arguments->overwrite, "start anew where another movie lies");
  command->add_flag("--json", arguments->json, "print the result as one JSON object");
  add_json_lines_option(*command, arguments->json_lines);
  command->footer(
      "Example: tilewall import movie.mp4 -o movie --wall wallconfigs/5x3.toml\n"
      "The same command again goes on where an interrupted one ended.");
  command->callback([arguments, &run] { run = [arguments] { return run_import(*arguments); }; });
}

}  // namespace tilewall::cli
