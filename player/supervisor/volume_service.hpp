// Gives the files of a show's volumes to those hosts of the wall that have them not: 'tilewall
// serve' on this machine, for whoever has the show's key.
#pragma once

#include <filesystem>
#include <optional>

#include "net/socket.hpp"
#include "player/host/kept_program.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

struct VolumeServicePlace {
  SocketAddress address;  ///< this machine's, as the wall's hosts reach it
  std::filesystem::path log;
  std::filesystem::path pid_file;
};

/// Names it as a source of the scene's volumes; empty where none is a file. A show goes on without
/// it where the files are everywhere. @pre the show's secrets are in the environment
[[nodiscard]] std::optional<ProgramStart> volume_service(Scene& scene,
                                                         const VolumeServicePlace& place);

}  // namespace tilewall
