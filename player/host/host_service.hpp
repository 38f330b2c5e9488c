// The host service runs what the panels of a host share: the clock client, and the decoders and
// casters, each a process of its own. All panels read the client's mapping to global time from one
// page, so that panels of one host have no clock skew.
//
// Threads: the caller's, which sleeps or serves panels. The clock client owns one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "player/scene/source_status.hpp"

namespace tilewall::host {

struct HostServiceOptions {
  std::string clock;  ///< "HOST:PORT" of the clock daemon, or of two: "HOST:PORT,HOST:PORT"
  std::filesystem::path clock_page;  ///< file; made by the service, removed at its end
  std::filesystem::path movies;      ///< socket for the requests of panels
  std::filesystem::path run_dir;     ///< logs and process numbers go below it
  std::string trace;                 ///< "HOST:PORT" that receives the trace; "" = no trace
  scene::DecodeDevice decode =
      scene::DecodeDevice::automatic;  ///< device that decodes ordinary movies
  std::optional<int> turns_fd{};       ///< SharedCounter of loop turns, for the keeper's watchdog
  std::string director;                ///< "HOST:PORT" of the control port; "" = none
  std::string hdr = "map";             ///< decoders tone map ("map") or clip ("clip") HDR pictures
};

/// Runs until SIGTERM. Returns the exit code. Throws InputError for a wrong address, and JobError
/// where page or socket cannot be made.
int run_host_service(const HostServiceOptions& options);

}  // namespace tilewall::host
