#include <memory>

#include "player/cli/command.hpp"
#include "player/cli/play_options.hpp"

namespace tilewall {
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
      "Keys: space pause, arrows seek, home, end, , . step, [ ] speed, r reverse, l loop, g "
      "ping-pong,\n"
      "i I c range, n p next, + - z x zoom, w a s d pan, m 9 0 sound, b black, o figures, q quit;\n"
      "wheel zooms, a drag pans, a double click shows pixels.\n"
      "Example: tilewall play movie --wall wallconfigs/5x3.toml --loop");
  command->callback(
      [arguments, &run] { run = [arguments] { return run_show_command(*arguments); }; });
}

}  // namespace tilewall
