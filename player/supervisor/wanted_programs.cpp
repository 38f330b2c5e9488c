#include "player/supervisor/wanted_programs.hpp"

#include <filesystem>
#include <vector>

#include "player/scene/sound_messages.hpp"
#include "player/supervisor/volume_service.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::supervisor {

void WantedPrograms::start_wanted(const std::string& control) {
  std::error_code error;
  if (!sound_ && options_.show.sound && options_.sound_host.empty() &&
      (scene::has_sound(options_.show.scene) ||
       std::filesystem::exists(run_dir_.path() / scene::sound_wanted_file, error)))
    start_sound(control);
  const director::VolumeServerPlace& place = options_.show.volumes;
  if (!volumes_ && !place.address.empty() && std::filesystem::exists(place.list, error))
    volumes_.emplace(volume_service(
        place, volume_sockets_, {run_dir_.log("volumes"), run_dir_.path() / "pids" / "volumes"}));
}

void WantedPrograms::start_console(const ConsoleService& console) {
  console_.emplace(console.start(), console_restarts());
}

void WantedPrograms::start_sound(const std::string& control) {
  const sync::TraceSpan span("start sound");
  std::vector<std::string> arguments = {own_program("tilewall-sound").string(),
                                        "--director",
                                        control,
                                        "--clock",
                                        options_.show.clock,
                                        "--folder",
                                        run_dir_.path().string(),
                                        "--turns-fd",
                                        std::to_string(sound_turns_.fd())};
  if (!options_.show.trace_file.empty()) arguments.insert(arguments.end(), {"--trace", control});
  ChildOptions child{{}, run_dir_.log("sound"), true};
  child.inherited = {sound_turns_.fd()};
  sound_.emplace(
      host::ProgramStart{arguments, child, run_dir_.path() / "pids" / "sound", {}, &sound_turns_});
}

void WantedPrograms::take_end(const ChildEnd& end) {
  // A KeptProgram ignores the ends of other children.
  if (sound_) sound_->take_end(end);
  if (volumes_) volumes_->take_end(end);
  if (console_) console_->take_end(end);
}

void WantedPrograms::look() {
  if (sound_) sound_->look();
  if (volumes_) volumes_->look();
  if (console_) console_->look();
}

}  // namespace tilewall::supervisor
