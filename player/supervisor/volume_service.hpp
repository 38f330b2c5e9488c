// Serves the files of a show's volumes to hosts of the wall that do not have them, by
// `tilewall serve` on this machine. Clients need the show's key; the director lists the files.
#pragma once

#include <filesystem>
#include <string>

#include "net/slab/slab_listener.hpp"
#include "player/director/changes/volume_exports.hpp"
#include "player/host/kept_program.hpp"

namespace tilewall::supervisor {

struct VolumeServiceFiles {
  std::filesystem::path log;
  std::filesystem::path pid_file;
};

/// How the server is started. It is a process group of its own. `sockets` stay open as long as it
/// may be started: one that died is started again at the same address, and nobody else can have
/// taken its port.
/// @pre The show's secrets are in this process's environment.
[[nodiscard]] host::ProgramStart volume_service(const director::VolumeServerPlace& place,
                                                const net::ServerSockets& sockets,
                                                const VolumeServiceFiles& files);

}  // namespace tilewall::supervisor
