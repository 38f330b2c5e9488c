// The panel process: one display panel of the wall, from its first hello to its last report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilewall::panel {

struct PanelOptions {
  std::string director;              ///< "HOST:PORT" of the control port
  int panel = 0;                     ///< index into the wall's panels
  std::filesystem::path clock_page;  ///< file with the host's mapping to global time
  std::filesystem::path movies;      ///< socket of the host service
  std::optional<int> turns_fd;       ///< SharedCounter of loop turns, for the keeper's watchdog
  int seat = 0;                      ///< index among the panels of its host
  int seats = 1;                     ///< number of panels of its host
  std::string trace;                 ///< "HOST:PORT" that receives the trace; "" = no trace
};

/// Shows the director's scenes until it sends quit, or SIGTERM arrives. Returns exit_done after
/// quit, else exit_failed, so that the panel's keeper starts it again. Throws JobError when no
/// director answers, or no window can be opened; the second is reported to the director first.
int run_panel(const PanelOptions& options);

}  // namespace tilewall::panel
