// The limit of a wall on one machine: all panels decoded and presented by as many threads as there
// are cores, with nothing to wait for and nobody to talk to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall {

struct WallLimit {
  double fps = 0;  ///< whole walls a second
  double cpu_s_per_frame = 0;
  std::vector<std::vector<std::uint64_t>> hashes;  ///< [panel][frame], where asked for
};

/// Draws `frames` frames of the wall movie in `folder` on every panel. Panels' threads are as many
/// as cores; each draws whole panels by itself. Throws InputError.
[[nodiscard]] WallLimit measure_wall_limit(const Wall& wall, BezelMode bezels,
                                           const std::filesystem::path& folder, int frames,
                                           bool with_hashes);

}  // namespace tilewall
