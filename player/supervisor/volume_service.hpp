// Gives the files of a show's volumes to those hosts of the wall that have them not: 'tilewall
// serve' on this machine, for whoever has the show's key, of what the director lists.
#pragma once

#include <filesystem>
#include <string>

#include "net/socket.hpp"
#include "player/director/volume_exports.hpp"
#include "player/host/kept_program.hpp"

namespace tilewall {

/// Of a port that is free now, at the same address: whoever listens there can be started anew.
[[nodiscard]] std::string free_address(const SocketAddress& address);

struct VolumeServiceFiles {
  std::filesystem::path log;
  std::filesystem::path pid_file;
};

/// @pre the show's secrets are in the environment
[[nodiscard]] ProgramStart volume_service(const VolumeServerPlace& place,
                                          const VolumeServiceFiles& files);

}  // namespace tilewall
