#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "player/cli/commands.hpp"
#include "player/cli/options/option_values.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/report/job_progress.hpp"
#include "player/command/command.hpp"
#include "player/movie/convert/export_job.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

struct ExportArguments {
  std::string movie;
  std::string output;
  std::string frames;
  std::string fps;
  std::string format = "png";
  int crf = 18;
  bool overwrite = false;
  bool json = false;
  bool json_lines = false;
};

constexpr std::string_view image_formats[] = {"png", "jpg", "jpeg"};

movie::ExportImages format_option(const std::string& text) {
  return option_word_index("--format", text, image_formats) == 0 ? movie::ExportImages::png
                                                                 : movie::ExportImages::jpeg;
}

movie::ExportOptions options_of(const ExportArguments& arguments) {
  movie::ExportOptions options;
  options.movie = arguments.movie;
  options.output = arguments.output;
  if (!arguments.frames.empty()) options.frames = frames_option(arguments.frames);
  if (!arguments.fps.empty()) options.fps = fps_option(arguments.fps);
  options.images = format_option(arguments.format);
  if (arguments.crf < 0 || arguments.crf > 51)
    throw InputError({"--crf"}, "", "a number from 0 to 51", std::to_string(arguments.crf));
  options.crf = arguments.crf;
  options.overwrite = arguments.overwrite;
  return options;
}

nlohmann::json json_of(const movie::ExportResult& result, const std::string& output) {
  return {{"output", output},
          {"width_px", result.size_px.width},
          {"height_px", result.size_px.height},
          {"movie_width_px", result.movie_px.width},
          {"movie_height_px", result.movie_px.height},
          {"frames", result.frames},
          {"damaged_frames", result.damaged_frames},
          {"with_sound", result.with_sound},
          {"written_bytes", result.bytes},
          {"duration_s", result.duration_s},
          {"export_fps", static_cast<double>(result.frames) / std::max(result.duration_s, 1e-6)}};
}

int run_export(const ExportArguments& arguments) {
  const StopSignals signals;
  movie::ExportOptions options = options_of(arguments);
  options.stop = signals.token();
  movie::ExportResult result;
  {
    const std::unique_ptr<movie::ProgressSink> progress =
        job_progress("export", arguments.json_lines);
    result = movie::export_movie(options, *progress);
  }
  if (result.damaged_frames > 0)
    print_line(
        stderr,
        "tilewall: {}: {} frames were damaged or missing; the one before stands in their place",
        arguments.movie, result.damaged_frames);
  if (arguments.json || arguments.json_lines) {
    fmt::print("{}\n", json_text(json_of(result, arguments.output)));
    return exit_done;
  }
  print_line(stdout, "{}: {} frames of {}x{}{}, {:.1f} MB in {:.1f} s", arguments.output,
             result.frames, result.size_px.width, result.size_px.height,
             result.with_sound ? " with sound" : "", static_cast<double>(result.bytes) / 1e6,
             result.duration_s);
  return exit_done;
}

}  // namespace

void add_export_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "Turns a wall movie into a video or images");
  command->add_option("MOVIE", arguments->movie, "folder of a wall movie")->required();
  command
      ->add_option(
          "-o,--output", arguments->output,
          "a video (out.mp4, .mkv, .mov), one frame as an image (out.png, .jpg), else a folder of "
          "images")
      ->required();
  command->add_option("--frames", arguments->frames, "A-B, A-, -B or N, counted from 0");
  command->add_option("--fps", arguments->fps, "another rate than the movie's");
  takes_one_of(command->add_option("--format", arguments->format, "format of images"),
               image_formats)
      ->capture_default_str();
  command->add_option("--crf", arguments->crf, "quality of the video: 0 (lossless) to 51")
      ->capture_default_str();
  command->add_flag("--overwrite", arguments->overwrite, "replace an output that exists");
  command->add_flag("--json", arguments->json, "print the result as one JSON object");
  add_json_lines_option(*command, arguments->json_lines);
  command->footer("Example: tilewall export movie -o movie.mp4 --frames 0-239");
  command->callback([arguments, &run] { run = [arguments] { return run_export(*arguments); }; });
}

}  // namespace tilewall::cli
