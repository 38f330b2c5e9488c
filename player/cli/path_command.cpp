// tilewall path: describes and converts flight paths of a camera.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/slab/remote_url.hpp"
#include "player/cli/commands.hpp"
#include "player/cli/options/path_styles.hpp"
#include "player/path/foreign_paths.hpp"
#include "player/path/path_report.hpp"
#include "player/rendering/frame_painter.hpp"
#include "render/readers/volume_file.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {
namespace {

struct PathArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string volume;
  std::string dataset;
  std::string svg;
  std::string wall;
  double fps = 24;
  bool overwrite = false;
  bool json = false;
};

/// The box of a volume's finest grid, between the centres of its outermost voxels.
render::WorldBox box_of(const render::VolumeInfo& info) {
  render::WorldBox box;
  const int sides[] = {info.size.x, info.size.y, info.size.z};
  const std::array<double, 3> spacing = axes_of(info.place.spacing);
  box.centre = info.place.origin;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.half[axis] = (spacing[axis] * (sides[axis] - 1) / 2) * info.place.axes[axis];
    box.centre = box.centre + box.half[axis];
  }
  return box;
}

std::optional<render::WorldBox> volume_box(const PathArguments& arguments,
                                           const path::PathFile& path) {
  const std::string volume =
      arguments.volume.empty() && path.volume.size() == 1 ? path.volume.front() : arguments.volume;
  if (volume.empty() || net::is_remote(volume)) return std::nullopt;
  render::VolumeOptions options;
  options.dataset = arguments.dataset;
  return box_of(render::VolumeFile::open(volume, options).info());
}

/// What the wall shows, or a usual picture.
path::ShownPicture shown_picture(const PathArguments& arguments) {
  if (arguments.wall.empty()) return path::flat_picture(path::usual_aspect);
  const wall::Wall wall = wall::load_wall(arguments.wall);
  const wall::BezelMode bezels = wall.default_bezel_mode();
  const SizePx size_px = wall::Canvas(wall, bezels).size_px();
  return rendering::shown_picture(rendering::screens_of(wall, bezels, size_px), size_px, size_px);
}

void write_result(const std::string& file, std::string_view text, bool overwrite,
                  const char* option) {
  std::error_code ignored;
  if (!overwrite && std::filesystem::exists(file, ignored))
    throw InputError({option}, "", "a file that is not there yet (or --overwrite)", file);
  rewrite_file_atomically(file, text);
}

int run_check(const PathArguments& arguments) {
  const path::PathFile file = path::read_any_path(arguments.inputs);
  const render::FlightPath flight = path::flight_of(file, arguments.inputs.front());
  static_cast<void>(key_styles(file, plain_style()));  // faults of styles
  const std::optional<render::WorldBox> box = volume_box(arguments, file);
  const path::ShownPicture picture = shown_picture(arguments);
  const nlohmann::ordered_json report = path::path_report(file, flight, box, picture);
  if (!arguments.svg.empty())
    write_result(arguments.svg, path::draw_path(file, flight, box), true, "--svg");
  fmt::print("{}\n", arguments.json ? json_text(report) : path::path_report_text(report));
  if (!box) return exit_done;
  if (const std::string line = path::unseen_remark(flight, arguments.inputs.front(), *box, picture);
      !line.empty())
    print_line(stderr, "tilewall: {}", line);
  return exit_done;
}

int run_convert(const PathArguments& arguments) {
  if (!(arguments.fps > 0 && arguments.fps <= 1000))
    throw InputError({"--fps"}, "", "over 0, to 1000", fmt::format("{:g}", arguments.fps));
  const path::PathFormat format = path::path_format_of(arguments.output);
  const path::PathFile file = path::read_any_path(arguments.inputs);
  const render::FlightPath flight = path::flight_of(file, arguments.inputs.front());
  write_result(arguments.output, path::text_in(format, file, flight, arguments.fps),
               arguments.overwrite, "--output");
  print_line(stdout, "{}: {} keys, {:.2f} s", arguments.output, file.keys.size(),
             flight.duration_s());
  return exit_done;
}

}  // namespace

void add_path_command(CLI::App& app, command::CommandRun& run) {
  const auto arguments = std::make_shared<PathArguments>();
  CLI::App* const command =
      app.add_subcommand("path", "Describes and converts flight paths of a camera");
  command->require_subcommand(1);
  command->footer("Example: tilewall path check flight.toml --svg flight.svg");

  CLI::App* const check = command->add_subcommand("check", "Tells what a flight path is like");
  check
      ->add_option("FILE", arguments->inputs,
                   "PATH.toml, nerfstudio's camera_path.json, CSV, or ParaView's .pvcc files")
      ->required();
  check->add_option("--volume", arguments->volume,
                    "a volume; tells which keys and times lie inside of it; default: the path's");
  check->add_option("--dataset", arguments->dataset, "dataset of the volume's file");
  check->add_option("--wall", arguments->wall,
                    "the wall whose picture the volume is to be in; default: a picture of 16 to 9");
  check->add_option("--svg", arguments->svg, "draws the flight from three sides into this file");
  check->add_flag("--json", arguments->json, "prints the figures as JSON");
  check->footer("Example: tilewall path check flight.toml --svg flight.svg");
  check->callback([arguments, &run] { run = [arguments] { return run_check(*arguments); }; });

  CLI::App* const convert =
      command->add_subcommand("convert", "Writes a flight path in another program's format");
  convert->add_option("FILE", arguments->inputs, "the path, in any format that check reads")
      ->required();
  convert
      ->add_option("-o,--output", arguments->output,
                   "the file to write; its ending names the format: .toml, .json (nerfstudio), "
                   ".csv")
      ->required();
  convert->add_option("--fps", arguments->fps, "frames per second of nerfstudio's frames")
      ->capture_default_str();
  convert->add_flag("--overwrite", arguments->overwrite, "replaces a file that is there");
  convert->footer("Example: tilewall path convert camera_path.json -o flight.toml");
  convert->callback([arguments, &run] { run = [arguments] { return run_convert(*arguments); }; });
}

}  // namespace tilewall::cli
