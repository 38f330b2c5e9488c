// The keeper of a panel. The host's keeper (host_keeper.hpp) starts one for each panel. It starts
// the panel, starts it again when it dies, and kills it when it hangs. A panel never outlives its
// keeper.
//
// Threads: the caller's only.
#pragma once

#include <filesystem>
#include <string>

namespace tilewall::host {

struct KeeperOptions {
  std::string director;           ///< "HOST:PORT" of the control port
  std::filesystem::path run_dir;  ///< holds the clock page of this host
  int panel = 0;                  ///< index into the wall's panels
  int seat = 0;                   ///< index among the panels of this host
  int seats = 1;                  ///< number of panels of this host
  std::string trace;              ///< "HOST:PORT" that receives the trace; "" = no trace
};

/// Keeps the panel until it ends in order, or until SIGTERM or the end of the parent process.
/// A panel that dies again and again is started after growing pauses. Returns exit_done where the
/// panel ended in order, else exit_failed.
int run_keeper(const KeeperOptions& options);

// Files of this host in a run directory.

/// The mapping to global time that the panels of this host share.
[[nodiscard]] std::filesystem::path clock_page(const std::filesystem::path& run_dir);
/// The socket of the host service.
[[nodiscard]] std::filesystem::path movie_socket(const std::filesystem::path& run_dir);

}  // namespace tilewall::host
