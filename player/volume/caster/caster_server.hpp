// Draws one volume for all panels of its host, one picture after the other, each on all threads:
// so the work of a host is shared evenly whatever its panels see of the volume.
//
// Threads: the caller's; a TimestepStore's; the helpers of a cast.
#pragma once

#include <filesystem>
#include <string>

namespace tilewall::volume {

struct CasterOptions {
  std::string volume;                ///< a VolumeJob as JSON
  int listening = -1;                ///< a listening local socket; stays the caller's
  int threads = 1;                   ///< of a picture
  std::string trace;                 ///< "HOST:PORT" that takes the trace; "" = none is written
  std::filesystem::path clock_page;  ///< for the trace
};

/// Serves for ever. What cannot be opened is refused to every panel that asks. Throws JobError.
[[noreturn]] void run_caster(const CasterOptions& options);

}  // namespace tilewall::volume
