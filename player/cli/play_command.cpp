#include <memory>

#include "player/cli/command.hpp"
#include "player/cli/play_options.hpp"
#include "player/cli/stop_signals.hpp"

namespace tilewall {
namespace {

int try_play(const PlayArguments& arguments) {
  SupervisorOptions options;
  std::stop_token stop;
  {
    const StopSignals signals;  // while the input is read or imported; then the supervisor's own
    stop = signals.token();
    options = supervisor_options(arguments, stop);
  }
  throw_if_stopped(stop);
  return play_show(arguments, std::move(options));
}

int run_play(const PlayArguments& arguments) {
  try {
    return try_play(arguments);
  } catch (const std::exception& error) {
    report_failure(arguments, error.what());
    throw;
  }
}

}  // namespace

void add_play_command(CLI::App& app, CommandRun& run) {
  auto arguments = std::make_shared<PlayArguments>();
  CLI::App* command = app.add_subcommand("play", "Plays a movie on a wall, all panels in step");
  command
      ->add_option("INPUT", arguments->inputs,
                   "a wall movie, a movie, images (pattern, glob, folder), a list (.m3u8, .txt, "
                   ".cues) or pattern:NAME; several play one after the other")
      ->required();
  add_play_options(*command, *arguments);
  command->footer(
      "Keys: space pause, arrows seek, home, end, , . step, [ ] speed, r reverse, l loop, g ping-pong,\n"
      "i I c range, n p next, + - z x zoom, w a s d pan, m 9 0 sound, b black, o figures, q quit;\n"
      "wheel zooms, a drag pans, a double click shows pixels.\n"
      "Example: tilewall play movie --wall wallconfigs/5x3.toml --loop");
  command->callback([arguments, &run] { run = [arguments] { return run_play(*arguments); }; });
}

}  // namespace tilewall
