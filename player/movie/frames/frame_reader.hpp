// Decodes whole frames of a wall movie to planes, for export, and checks whole frames.
//
// Threads: any; each call works by itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/frames/manifest.hpp"

namespace tilewall::movie {

/// Decodes all of level `level` of a frame. The planes' strides are those of whole blocks, which
/// may be larger than the width needs. Throws InputError naming the file and the block if the frame
/// is missing or damaged. @pre 0 <= level < manifest.levels
[[nodiscard]] PlanarPicture decode_frame_to_planes(const MovieManifest& manifest,
                                                   const std::filesystem::path& folder,
                                                   std::int64_t frame, int level);

/// Decodes every block of every level. Returns one line for each problem, naming the file; none if
/// the frame is whole. There are at most 20 lines; the last of them then counts the other problems.
/// Does not throw for bad contents.
[[nodiscard]] std::vector<std::string> verify_frame(const MovieManifest& manifest,
                                                    const std::filesystem::path& folder,
                                                    std::int64_t frame);

}  // namespace tilewall::movie
