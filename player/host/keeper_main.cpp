// The program tilewall-keeper. mpirun starts it, and gives the panel's index in the environment.
//
// tilewall-keeper --director HOST:PORT --clock HOST:PORT --run-dir FOLDER [--sound yes]
//                 [--trace HOST:PORT] [--decode auto|cpu|vaapi|cuda] [--hdr map|clip]

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>

#include "player/host/keeper.hpp"
#include "player/trace/log_clock.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"

namespace {

/// A rank from the launcher's environment, by the variable of Open MPI or that of PMI launchers.
int rank_from(const char* open_mpi, const char* pmi) {
  const char* text = std::getenv(open_mpi);
  if (text == nullptr) text = std::getenv(pmi);
  if (text == nullptr)
    throw tilewall::InputError({open_mpi}, "", "a launcher that numbers its processes", "none");
  return std::atoi(text);
}

}  // namespace

int main(int argc, char** argv) {
  if (tilewall::prints_version(argc, argv)) return tilewall::exit_done;
  tilewall::allow_open_files();
  try {
    const tilewall::Arguments arguments(argc, argv);
    tilewall::host::KeeperOptions options;
    options.director = arguments.text("--director");
    options.clock = arguments.text("--clock");
    options.run_dir = arguments.text("--run-dir");
    options.sound = arguments.has("--sound");
    options.trace = arguments.text_or("--trace", "");
    options.decode = arguments.text_or("--decode", options.decode);
    options.hdr = arguments.text_or("--hdr", "map");
    options.panel = rank_from("OMPI_COMM_WORLD_RANK", "PMI_RANK");
    options.seat = rank_from("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID");
    options.seats =
        std::max(options.seat + 1, rank_from("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"));
    tilewall::trace::begin_host_role(
        "tilewall-keeper",
        options.run_dir / "logs" / ("keeper-" + std::to_string(options.panel) + ".log"));
    return tilewall::host::run_keeper(options);
  } catch (const std::exception& error) {
    tilewall::log_line("tilewall-keeper: {}", error.what());
    return tilewall::exit_failed;
  }
}
