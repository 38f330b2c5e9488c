// Wall movies as picture sources.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "player/movie/frames/draw_memory.hpp"
#include "player/picture/picture_source.hpp"

namespace tilewall::movie {

/// Opens a wall movie's folder for drawing with `threads` decoding threads, the caller's included.
/// Null `memory`: the source has some of its own. A draw() that waits for the disk is abandoned
/// when `abandon` returns true; it may be empty. Throws InputError if movie.toml is not valid.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_wall_movie(
    const std::filesystem::path& folder, int threads, DrawMemoryPtr memory = {},
    std::function<bool()> abandon = {});

struct MovieManifest;
class BlockPrefetcher;

/// A source of the movie that gets its blocks from `prefetcher`; the other parameters are those of
/// open_wall_movie().
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_block_movie(
    const MovieManifest& movie, std::unique_ptr<BlockPrefetcher> prefetcher, int threads,
    DrawMemoryPtr memory = {});

}  // namespace tilewall::movie
