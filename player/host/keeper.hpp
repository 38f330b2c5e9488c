// The keeper: what mpirun starts, one for each panel. It never calls MPI_Init and hardly ever dies;
// it starts the panel, and starts it again when it dies; a panel that hangs is killed. The first
// keeper of a host keeps the host service as well, and on one host, if that is asked for, the
// sound.
#pragma once

#include <filesystem>
#include <string>

namespace tilewall::host {

struct KeeperOptions {
  std::string director;           ///< "HOST:PORT" of the control port
  std::string clock;              ///< "HOST:PORT" of the clock daemon, or of two
  std::filesystem::path run_dir;  ///< made where it is missing; the clock page lies in it
  int panel = 0;                  ///< index into the wall's panels
  int seat = 0;                   ///< among the panels of this host; the first keeps its service
  int seats = 1;                  ///< panels of this host
  bool sound = false;             ///< the host's first keeper starts the show's sound, too
  std::string trace;              ///< "HOST:PORT" that takes the trace; "" = none is written
  std::string decode = "auto";    ///< what decodes ordinary movies: a name of DecodeDevice
  std::string hdr = "map";        ///< what the host's decoders make of HDR: "map" or "clip"
};

/// Returns when the panel ended by itself (told to quit, or an error that starting it again won't
/// repair), or on SIGTERM. The exit code is the panel's.
int run_keeper(const KeeperOptions& options);

}  // namespace tilewall::host
