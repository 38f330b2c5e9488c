// tilewall wall check|show|survey: validates a wall file, prints or draws its geometry, and asks
// its hosts whether a show will run.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "player/cli/commands.hpp"
#include "player/cli/options/option_values.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/play/wall_survey.hpp"
#include "player/cli/report/reports.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "wallconfigs/advice.hpp"
#include "wallconfigs/drawing.hpp"

namespace tilewall::cli {
namespace {

struct WallOptions {
  std::string file;
  bool json = false;
  std::string svg;  // file to write; "-" = stdout, "" = no drawing
  std::string bezels;
  std::string content;
};

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);  // main() checks stdout for errors
}

void print(const nlohmann::ordered_json& json) { print(json_text(json, 2) + "\n"); }

int check(const WallOptions& options) {
  try {
    const wall::Wall wall = wall::load_wall(options.file);
    if (options.json) {
      print(wall_check_json(wall));
      return exit_done;
    }
    std::string text =
        fmt::format("{}: ok: {}\n", options.file, wall_summary(wall, wall.default_bezel_mode()));
    for (const std::string& line : wall::advice_on(wall))
      text += fmt::format("{}: note: {}\n", options.file, line);
    print(text);
  } catch (const InputError& error) {
    if (options.json) print({{"file", options.file}, {"ok", false}, {"error", error.what()}});
    throw;
  }
  return exit_done;
}

int show(const WallOptions& options) {
  wall::Wall wall = wall::load_wall(options.file);
  wall.content = content_option(options.content, wall);
  wall::BezelMode mode = wall.default_bezel_mode();
  if (!options.bezels.empty())
    mode = options.bezels == "hide" ? wall::BezelMode::hide : wall::BezelMode::show;
  const bool drawing_to_stdout = options.svg == "-";
  if (drawing_to_stdout && options.json)
    throw InputError({"--svg"}, "", "a file, as --json prints to stdout", "-");
  if (drawing_to_stdout)
    print(wall::draw_wall(wall, mode));
  else if (!options.svg.empty())
    write_file_atomically(options.svg, wall::draw_wall(wall, mode));
  if (options.json)
    print(wall_json(wall, mode));
  else if (!drawing_to_stdout)
    print(wall_table(wall, mode));
  return exit_done;
}

constexpr double most_measure_s = 600;
constexpr double most_survey_s = 86'400;

void add_survey_command(CLI::App& wall, command::CommandRun& run) {
  const auto options = std::make_shared<WallSurveyArguments>();
  CLI::App* survey = wall.add_subcommand(
      "survey",
      "Will inputs play on the wall's hosts? A table of lights; exit code 1 if one is red");
  survey->add_option("FILE", options->wall, "Wall file (TOML)")->required();
  survey->add_option("INPUT", options->inputs,
                     "what `play` would play; without it, only the hosts themselves are checked");
  survey->add_flag("--json", options->json, "Print one JSON object");
  survey->add_flag("--hash", options->hash,
                   "compare files by their contents too (reads them whole, here and on each host)");
  survey->add_flag("--headless", options->headless, "for a show without windows: no displays");
  survey->add_flag("--local", options->local, "all panels on this machine");
  survey
      ->add_option("--launcher", options->launcher,
                   "what starts the survey of a host, as for `play`: mpirun with options, or a "
                   "command with {host} and {panels}")
      ->capture_default_str();
  survey->add_option("--key-file", options->key_file,
                     "the wall's key, for clock daemons and servers elsewhere");
  survey
      ->add_option("--seconds", options->seconds,
                   "how long reading an input is measured, and decoding it as long again")
      ->check(command::NumberIn(0.1, most_measure_s))
      ->capture_default_str();
  survey
      ->add_option("--limit", options->limit_s,
                   "seconds after which a host's survey ends, with red lights for what gave no "
                   "answer; default: by the inputs")
      ->check(command::NumberIn(1.0, most_survey_s));
  survey->footer("Example: tilewall wall survey wallconfigs/5x3.toml movie --hash");
  survey->callback([options, &run] { run = [options] { return run_wall_survey(*options); }; });
}

}  // namespace

void add_wall_command(CLI::App& app, command::CommandRun& run) {
  const auto options = std::make_shared<WallOptions>();
  CLI::App* wall =
      app.add_subcommand("wall", "Check a wall file, show its geometry, or survey its hosts");
  wall->require_subcommand(1);
  wall->footer("Example: tilewall wall check wallconfigs/5x3.toml");

  CLI::App* check_command = wall->add_subcommand("check", "Validate a wall file");
  check_command->add_option("FILE", options->file, "Wall file (TOML)")->required();
  check_command->add_flag("--json", options->json, "Print one JSON object");
  check_command->footer("Example: tilewall wall check wallconfigs/5x3.toml");
  check_command->callback([options, &run] { run = [options] { return check(*options); }; });

  CLI::App* show_command =
      wall->add_subcommand("show", "A wall's geometry as text, as JSON or as a drawing to scale");
  show_command->add_option("FILE", options->file, "Wall file (TOML)")->required();
  show_command->add_flag("--json", options->json, "Print one JSON object");
  show_command->add_option("--svg", options->svg, "Draw the wall into this file (- is stdout)");
  takes_one_of(
      show_command->add_option(
          "--bezels", options->bezels,
          "Canvas pixels with the picture behind the bezels (hide), or with panels that abut "
          "(show); default: hide where the wall has bezels"),
      wall::bezel_mode_names);
  takes_one_of(
      show_command->add_option("--content", options->content,
                               "Canvas pixels of an arc's content mode; default: the wall file's"),
      wall::content_mode_names);
  show_command->footer("Example: tilewall wall show wallconfigs/5x2.toml --svg arc.svg");
  show_command->callback([options, &run] { run = [options] { return show(*options); }; });

  add_survey_command(*wall, run);
}

}  // namespace tilewall::cli
