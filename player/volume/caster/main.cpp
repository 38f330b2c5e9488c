// tilewall-caster: draws one volume for all panels of its host. The host service starts it.
// tilewall-caster --volume JSON --listening FD --threads N [--turns-fd N]
//                 [--trace HOST:PORT --clock-page FILE] [--director HOST:PORT]

#include <exception>

#include "player/trace/log_clock.hpp"
#include "player/volume/caster/caster_server.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"

int main(int argc, char** argv) {
  tilewall::allow_open_files();
  tilewall::trace::begin_host_role("tilewall-caster");
  try {
    const tilewall::Arguments arguments(argc, argv);
    const auto turns_fd =
        arguments.has("--turns-fd") ? std::optional(arguments.number("--turns-fd")) : std::nullopt;
    tilewall::volume::run_caster(
        {arguments.text("--volume"), static_cast<int>(arguments.number("--listening")),
         static_cast<int>(arguments.number("--threads")), arguments.text_or("--trace", ""),
         arguments.text_or("--clock-page", ""), turns_fd, arguments.text_or("--director", "")});
  } catch (const std::exception& error) {
    tilewall::log_line("tilewall-caster: {}", error.what());
    return tilewall::exit_failed;
  }
}
