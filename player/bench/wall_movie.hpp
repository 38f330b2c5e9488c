// The movie that the wall benchmarks play: photographic, cut for the wall.
#pragma once

#include <filesystem>

#include "wallconfigs/wall.hpp"

namespace tilewall {

/// Of JPEG blocks in it.
inline constexpr int bench_movie_quality = 85;

/// Writes a wall movie of `frames` frames, each another picture on every panel, into `folder`,
/// which exists.
void write_bench_movie(const Wall& wall, BezelMode bezels, int frames,
                       const std::filesystem::path& folder);

}  // namespace tilewall
