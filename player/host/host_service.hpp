// The host service: does once per host what all its panels share. The clock client, whose mapping
// to global time all panels read from one page, so that panels of one host have no clock skew at
// all; and the decoders of ordinary movies, each a process of its own.
//
// Threads: the caller's, which sleeps or sees to movies; the clock client owns one.
#pragma once

#include <filesystem>
#include <string>

#include "player/scene/source_status.hpp"

namespace tilewall::host {

struct HostServiceOptions {
  std::string clock;  ///< "HOST:PORT" of the clock daemon, or of two: "HOST:PORT,HOST:PORT"
  std::filesystem::path clock_page;  ///< made by the service, removed at its end
  std::filesystem::path movies;      ///< the socket at which panels ask for movies
  std::filesystem::path run_dir;     ///< for the decoders' logs and process numbers
  std::string trace;                 ///< "HOST:PORT" that takes the trace; "" = none is written
  scene::DecodeDevice decode = scene::DecodeDevice::automatic;  ///< of ordinary movies
  std::string hdr = "map";  ///< what decoders make of HDR: "map" or "clip"
};

/// Runs until SIGTERM. Returns the exit code. Throws InputError (address) or JobError (page).
int run_host_service(const HostServiceOptions& options);

}  // namespace tilewall::host
