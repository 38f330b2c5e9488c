#include "player/cli/play/sound_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr double max_volume_percent = 200;

bool drives_panels(const std::string& host, const Wall& wall) {
  return std::any_of(wall.panels.begin(), wall.panels.end(),
                     [&](const Panel& panel) { return panel.host == host; });
}

}  // namespace

void add_sound_options(CLI::App& command, SoundArguments& arguments) {
  command.add_flag("--no-audio", arguments.off, "no sound");
  command.add_option("--volume", arguments.volume_percent, "of the sound, 0 to 200 percent")
      ->capture_default_str();
  command.add_option("--audio-host", arguments.host,
                     "a host of the wall file: the sound is there, instead of on this machine");
}

double apply_sound_options(const SoundArguments& arguments, SupervisorOptions& options) {
  const double volume = arguments.volume_percent;
  if (!(volume >= 0 && volume <= max_volume_percent))
    throw InputError({"--volume"}, "", fmt::format("a number in [0, {}]", max_volume_percent),
                     fmt::format("\"{}\"", volume));
  // With --local the wall has no hosts: all of it is on this machine, the sound too.
  if (!arguments.host.empty() && !options.local) {
    if (!drives_panels(arguments.host, options.show.wall))
      throw InputError({"--audio-host"}, "", "a host of the wall file that drives panels",
                       '"' + arguments.host + '"');
    options.sound_host = arguments.host;
  }
  options.show.sound = !arguments.off;
  return volume / 100;
}

}  // namespace tilewall
