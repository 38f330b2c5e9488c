// tilewall-caster: draws one volume for all panels of its host. The host service starts it.
// tilewall-caster --volume JSON --listening FD --threads N [--trace HOST:PORT --clock-page FILE]

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "player/volume/caster/caster_server.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"

int main(int argc, char** argv) {
  tilewall::allow_open_files();
  try {
    const tilewall::Arguments arguments(argc, argv);
    tilewall::volume::run_caster(
        {arguments.text("--volume"), static_cast<int>(arguments.number("--listening")),
         static_cast<int>(arguments.number("--threads")), arguments.text_or("--trace", ""),
         arguments.text_or("--clock-page", "")});
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewall-caster: {}\n", error.what());
    return tilewall::exit_failed;
  }
}
