#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "player/cli/commands.hpp"
#include "player/cli/options/option_values.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/command/command.hpp"
#include "player/command/progress.hpp"
#include "render/bricks/brick_job.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

// The options as typed; run_brick() parses them.
struct BrickArguments {
  std::vector<std::string> inputs;
  std::string output;
  VolumeArguments volume;  // only the options of add_volume_file_options()
  int side = 64;
  std::string codec = "blosc";
  bool overwrite = false;
  bool json = false;
};

render::BrickOptions options_of(const BrickArguments& arguments,
                                const render::VolumeInputs& inputs) {
  render::BrickOptions options;
  options.output = arguments.output;
  options.side = arguments.side;
  options.codec = static_cast<render::BrickCodec>(
      option_word_index("--compress", arguments.codec, render::brick_codec_names));
  const movie::FrameRange times =
      range_option("--time", arguments.volume.time, "timesteps", inputs.info().timesteps());
  options.first_timestep = static_cast<int>(times.first);
  options.timesteps = static_cast<int>(times.last - times.first + 1);
  options.overwrite = arguments.overwrite;
  options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return options;
}

std::uint64_t output_bytes(const render::BrickResult& result) {
  std::uint64_t bytes = 0;
  for (const render::BrickCount& count : result.counts) bytes += count.bytes;
  return bytes;
}

double mbyte_s(std::uint64_t bytes, double seconds) {
  return static_cast<double>(bytes) / 1e6 / std::max(seconds, 1e-6);
}

nlohmann::ordered_json json_of(const render::BrickResult& result, const std::string& output) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < result.layout.levels.size(); ++i) {
    const render::BrickLevel& level = result.layout.levels[i];
    levels.push_back(
        {{"size_voxels", {level.size.x, level.size.y, level.size.z}},
         {"bricks", level.bricks.voxels() * static_cast<std::size_t>(result.timesteps)},
         {"written_bricks", result.counts[i].bricks},
         {"written_bytes", result.counts[i].bytes}});
  }
  nlohmann::ordered_json range;
  if (!result.values.empty()) range = {result.values.min, result.values.max};
  return {{"bricks", output},
          {"type", render::name_of(result.layout.type)},
          {"brick_side_voxels", result.layout.side},
          {"timesteps", result.timesteps},
          {"value_range", range},
          {"levels", levels},
          {"already_complete", result.already_complete},
          {"slabs_before", result.slabs_before},
          {"input_bytes", result.input_bytes},
          {"output_bytes", output_bytes(result)},
          {"duration_s", result.duration_s},
          {"reading_s", result.reading_s},
          {"writing_s", result.writing_s},
          {"input_mbyte_s", mbyte_s(result.input_bytes, result.duration_s)}};
}

void print_summary(const render::BrickResult& result, const std::string& output) {
  const render::VolumeSize size = result.layout.levels.front().size;
  const std::string what = fmt::format(
      "{}: {} x {} x {} {}, {}{} levels", output, size.x, size.y, size.z,
      render::name_of(result.layout.type),
      result.timesteps > 1 ? fmt::format("{} timesteps, ", result.timesteps) : std::string(),
      result.layout.levels.size());
  if (result.already_complete) {
    print_line(stdout, "{}, complete already", what);
    return;
  }
  print_line(stdout, "{}, {:.1f} MB of bricks, {:.1f} MB read in {:.1f} s ({:.1f} MB/s)", what,
             static_cast<double>(output_bytes(result)) / 1e6,
             static_cast<double>(result.input_bytes) / 1e6, result.duration_s,
             mbyte_s(result.input_bytes, result.duration_s));
}

int run_brick(const BrickArguments& arguments) {
  const StopSignals signals;
  render::VolumeInputs inputs(arguments.inputs, volume_file_options(arguments.volume));
  for (const std::string& note : inputs.info().notes)
    print_line(stderr, "tilewall: {}: {}", arguments.inputs.front(), note);
  render::BrickOptions options = options_of(arguments, inputs);
  options.stop = signals.token();
  render::BrickResult result;
  {
    command::ProgressLine line("brick");
    result = render::write_bricks(inputs, options, [&](const render::BrickProgress& progress) {
      line.update({progress.bricks, progress.bricks_total, progress.input_bytes, "bricks"});
    });
  }
  if (arguments.json)
    fmt::print("{}\n", json_text(json_of(result, arguments.output)));
  else
    print_summary(result, arguments.output);
  return exit_done;
}

}  // namespace

void add_brick_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<BrickArguments>();
  CLI::App* command = app.add_subcommand(
      "brick", "Turns a volume or a time series into OME-Zarr bricks of several resolutions");
  command
      ->add_option("INPUT", arguments->inputs,
                   "a volume as for `view`; several volumes are a series, in this order")
      ->required();
  command->add_option("-o,--output", arguments->output, "folder of the OME-Zarr")->required();
  command
      ->add_option("--brick", arguments->side,
                   "voxels along a brick, a multiple of 8 from 32 to 256")
      ->capture_default_str();
  takes_one_of(command->add_option("--compress", arguments->codec, "how bricks are packed"),
               render::brick_codec_names)
      ->capture_default_str();
  add_volume_file_options(*command, arguments->volume);
  command->add_flag("--overwrite", arguments->overwrite, "start anew where other bricks lie");
  command->add_flag("--json", arguments->json, "print the result as one JSON object");
  command->footer(
      "Example: tilewall brick run/*.nrrd -o run.zarr\n"
      "The same command again goes on where an interrupted one ended.");
  command->callback([arguments, &run] { run = [arguments] { return run_brick(*arguments); }; });
}

}  // namespace tilewall::cli
