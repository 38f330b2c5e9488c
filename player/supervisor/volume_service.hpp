// Serves the files of a show's volumes to hosts of the wall that do not have them, by
// `tilewall serve` on this machine. Clients need the show's key; the director lists the files.
#pragma once

#include <filesystem>
#include <string>

#include "net/socket.hpp"
#include "player/director/volume_exports.hpp"
#include "player/host/kept_program.hpp"

namespace tilewall::supervisor {

/// "HOST:PORT" with the host of `address` and a port that is free now. A fixed port lets a server
/// that died be started again at the same address. Throws JobError if no port can be bound.
[[nodiscard]] std::string free_address(const net::SocketAddress& address);

struct VolumeServiceFiles {
  std::filesystem::path log;
  std::filesystem::path pid_file;
};

/// How the server is started. It is a process group of its own.
/// @pre The show's secrets are in this process's environment.
[[nodiscard]] host::ProgramStart volume_service(const director::VolumeServerPlace& place,
                                                const VolumeServiceFiles& files);

}  // namespace tilewall::supervisor
