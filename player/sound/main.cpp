// tilewall-sound: the sound of a show; started by the supervisor, or by a keeper on the host that
// --audio-host names.
// tilewall-sound --director HOST:PORT --clock HOST:PORT --folder FOLDER [--turns-fd N]
//                [--trace HOST:PORT]

#include <sys/prctl.h>
#include <unistd.h>

#include <exception>
#include <optional>

#include "player/sound/sound_process.hpp"
#include "player/trace/log_clock.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"

namespace {

int run(int argc, char** argv) {
  try {
    const tilewall::Arguments arguments(argc, argv);
    ::prctl(PR_SET_NAME, "tw-sound");
    const auto turns_fd =
        arguments.has("--turns-fd") ? std::optional(arguments.number("--turns-fd")) : std::nullopt;
    return tilewall::sound::run_sound({arguments.text("--director"), arguments.text("--clock"),
                                       arguments.text_or("--trace", ""), arguments.text("--folder"),
                                       turns_fd});
  } catch (const std::exception& error) {
    tilewall::log_line("tilewall-sound: {}", error.what());
    return tilewall::exit_failed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  tilewall::allow_open_files();
  tilewall::trace::begin_host_role("tilewall-sound");
  return run(argc, argv);
}
