// The keeper of a host: the one process that a launcher starts there. It keeps the keepers of the
// host's panels running, the host service and, if the options ask for it, the sound process. It
// never calls MPI_Init, because a dead MPI rank could not rejoin.
//
// A host has one at a time: a new one ends the processes of an older one first. The older one may
// have lost the connection to its launcher, and still run.
//
// Threads: the caller's only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::host {

struct HostKeeperOptions {
  std::string director;           ///< "HOST:PORT" of the control port
  std::string clock;              ///< "HOST:PORT" of the clock daemon, or of two
  std::filesystem::path run_dir;  ///< folder, made where it is missing, and removed again then
  std::vector<int> panels;  ///< indices into the wall's panels; a panel's seat is its place here
  bool sound = false;       ///< keeps the sound process, too
  std::string trace;        ///< "HOST:PORT" that receives the trace; "" = no trace
  std::string decode = "auto";  ///< device that decodes ordinary movies: a name of DecodeDevice
  std::string hdr = "map";      ///< decoders tone map ("map") or clip ("clip") HDR pictures
};

/// Begins the line on standard output that tells the launcher's side that this host's processes
/// are being started.
inline constexpr std::string_view keeping_mark = "[tilewall-keeper keeps panels";

/// The program and arguments of the keeper of the panel in that seat of the host.
[[nodiscard]] std::vector<std::string> keeper_arguments(const HostKeeperOptions& options,
                                                        std::size_t seat);

/// Keeps the processes until all panels have ended in order, or until SIGTERM or the end of the
/// parent process. Returns exit_done where all panels ended in order, else exit_failed. Throws
/// JobError where an older keeper of this host cannot be ended.
int run_host_keeper(const HostKeeperOptions& options);

}  // namespace tilewall::host
