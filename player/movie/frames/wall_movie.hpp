// Wall movies as picture sources.
#pragma once

#include <filesystem>
#include <memory>

#include "player/movie/frames/draw_memory.hpp"
#include "player/picture/picture_source.hpp"

namespace tilewall::movie {

/// Opens a wall movie's folder for drawing with `threads` decoding threads (1 = the caller's own).
/// Null memory: some of its own. Throws InputError.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_wall_movie(
    const std::filesystem::path& folder, int threads, DrawMemoryPtr memory = {});

struct MovieManifest;
class BlockPrefetcher;

/// The same movie, whose blocks come from `prefetcher`.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_block_movie(
    const MovieManifest& movie, std::unique_ptr<BlockPrefetcher> prefetcher, int threads,
    DrawMemoryPtr memory = {});

}  // namespace tilewall::movie
