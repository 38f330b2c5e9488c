// Whole frames of a wall movie back as planes, for export; and checks of whole frames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/planar_picture.hpp"

namespace tilewall::movie {

/// Level `level` of a frame, all of it, as its blocks hold it. Rows may be farther apart than a
/// plane of that width needs. Throws InputError naming the file, and the block, when the frame is
/// missing or damaged. @pre 0 <= level < manifest.levels
[[nodiscard]] PlanarPicture decode_frame_to_planes(const MovieManifest& manifest,
                                                   const std::filesystem::path& folder,
                                                   std::int64_t frame, int level);

/// Decodes every block of every level. Returns what is wrong, one line each, naming the file; empty
/// when the frame is whole. At most 20 lines, the last one counting the rest. Never throws for bad
/// contents.
[[nodiscard]] std::vector<std::string> verify_frame(const MovieManifest& manifest,
                                                    const std::filesystem::path& folder,
                                                    std::int64_t frame);

}  // namespace tilewall::movie
