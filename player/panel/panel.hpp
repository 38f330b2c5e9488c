// The panel process: one display panel of the wall, from its first hello to its last report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilewall::panel {

struct PanelOptions {
  std::string director;              ///< "HOST:PORT" of the control port
  int panel = 0;                     ///< index into the wall's panels
  std::filesystem::path clock_page;  ///< the host service's mapping to global time
  std::filesystem::path movies;      ///< where the host service gives out movies
  std::optional<int> turns_fd;       ///< of the SharedCounter that its keeper watches it by
  int seat = 0;                      ///< among the panels of its host
  int seats = 1;                     ///< panels of its host
  std::string trace;                 ///< "HOST:PORT" that takes the trace; "" = none is written
};

/// Shows what the director says until it says quit or SIGTERM comes. Returns the exit code. Throws
/// JobError when no director answers or no window can be opened (the director was told).
int run_panel(const PanelOptions& options);

}  // namespace tilewall::panel
