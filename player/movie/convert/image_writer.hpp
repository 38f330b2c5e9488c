// Writes one picture as an ordinary image file, whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>

#include "player/movie/frames/planar_picture.hpp"

namespace tilewall::movie {

/// 8-bit RGB (or gray) PNG. Any thread. Returns the file's size. Throws JobError.
std::uint64_t write_png(const PlanarPicture& picture, const std::filesystem::path& file);

/// The planes as they are, JPEG quality 95. Any thread. Returns the file's size. Throws JobError.
std::uint64_t write_jpeg(const PlanarPicture& picture, const std::filesystem::path& file);

}  // namespace tilewall::movie
