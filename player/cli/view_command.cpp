#include <memory>

#include "player/cli/commands.hpp"
#include "player/cli/play/play_arguments.hpp"
#include "player/cli/play/show_run.hpp"

namespace tilewall::cli {

void add_view_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<PlayArguments>();
  CLI::App* const command = add_view(app, *arguments);
  std::vector<HelpGroup> groups = show_help_groups();
  groups.insert(
      groups.begin(),
      {{"The most used",
        {"wall", "tf", "range", "mode", "lit", "iso", "camera", "time", "headless", "report"}},
       {"How the volume is drawn",
        {"scale", "low", "opacity", "step", "clip", "plane", "background"}},
       {"What is written over it",
        {"annotate", "axes", "bar", "label", "box", "ruler", "title", "date", "letters"}},
       {"From where it is seen", {"from", "up", "lens", "fov", "stretch", "keyframes"}},
       {"What is read", {"dataset", "component", "level", "axis", "levels"}},
       {"Live sources", {"live-listen", "field", "live-policy", "live-wait", "quantise"}}});
  group_help(*command, groups);
  command->footer(
      "A drag or w a s d turns the volume, with shift or the middle button it moves; the wheel or\n"
      "+ - zooms, z shows all of it. t v: transfer function, mode; 1 2 contrast, 3 4 brightness,\n"
      "5 6 opacity, 7 8 isosurface, F8 all neutral; F1 to F6 cut x, y, z (shift: back), F7 all; h\n"
      "light, k axes, bar, label; e key frame, shift e removes one; keys of time as in play. "
      "tilewall ctl camera, style, adjust, "
      "pan,\n"
      "zoom while it runs.\n"
      "Example: tilewall view brain.nii.gz --wall wallconfigs/5x3.toml --tf magma --lit");
  command->callback(
      [arguments, &run] { run = [arguments] { return run_show_command(*arguments); }; });
}

}  // namespace tilewall::cli
