// Draws one volume for all panels of its host. Pictures are drawn one after the other, each by all
// threads, so that a host's cores share the work evenly whatever its panels see of the volume.
//
// Threads: the caller's; a TimestepStore's, or a LiveStore's and a LiveReceiver's; helpers while a
// picture is cast.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilewall::volume {

struct CasterOptions {
  std::string volume;                ///< a VolumeJob as JSON
  int listening = -1;                ///< a listening local socket, owned by the caller
  int threads = 1;                   ///< threads that draw a picture
  std::string trace;                 ///< "HOST:PORT" to which the trace is sent; "" = no trace
  std::filesystem::path clock_page;  ///< the host's clock page, for times of the trace
  std::optional<int> turns_fd{};     ///< SharedCounter of loop turns, for the host's watchdog
  std::string director;              ///< "HOST:PORT"; live sources only
};

/// Serves until the process is killed. Panels that open a volume which cannot be opened get the
/// reason. Throws JobError.
[[noreturn]] void run_caster(const CasterOptions& options);

}  // namespace tilewall::volume
