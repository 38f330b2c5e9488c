// The keeper: mpirun starts one for each panel. It starts the panel, starts it again when it dies,
// and kills it when it hangs. It never calls MPI_Init, because a dead MPI rank could not rejoin.
// The first keeper of a host also keeps the host service and, if the options ask for it, the sound
// process.
//
// Threads: the caller's only.
#pragma once

#include <filesystem>
#include <string>

namespace tilewall::host {

struct KeeperOptions {
  std::string director;           ///< "HOST:PORT" of the control port
  std::string clock;              ///< "HOST:PORT" of the clock daemon, or of two
  std::filesystem::path run_dir;  ///< folder, made where it is missing; holds the clock page
  int panel = 0;                  ///< index into the wall's panels
  int seat = 0;                   ///< index among the panels of this host; 0 keeps its service
  int seats = 1;                  ///< number of panels of this host
  bool sound = false;             ///< the host's first keeper keeps the sound process, too
  std::string trace;              ///< "HOST:PORT" that receives the trace; "" = no trace
  std::string decode = "auto";    ///< device that decodes ordinary movies: a name of DecodeDevice
  std::string hdr = "map";        ///< decoders tone map ("map") or clip ("clip") HDR pictures
};

/// Keeps the panel until it ends in order, with an error that a restart cannot repair, or too
/// often; or until SIGTERM. Returns the panel's exit code.
int run_keeper(const KeeperOptions& options);

}  // namespace tilewall::host
