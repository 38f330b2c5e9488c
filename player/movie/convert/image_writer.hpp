// Writes pictures as image files. A file gets its name only when it is complete.
//
// Threads: any; each call works by itself.
#pragma once

#include <cstdint>
#include <filesystem>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/source/ffmpeg.hpp"

namespace tilewall::movie {

/// Writes an 8-bit PNG, in gray or RGB. Returns the file's size in bytes. Throws JobError.
std::uint64_t write_png(const PlanarPicture& picture, const std::filesystem::path& file);

/// Writes the unchanged planes as a JPEG of quality 95. Returns the file's size in bytes. Throws
/// JobError. @pre the picture is gray or YUV
std::uint64_t write_jpeg(const PlanarPicture& picture, const std::filesystem::path& file);

/// Writes a float picture as an EXR image. Returns the file's size in bytes. Throws JobError.
std::uint64_t write_exr(const AVFrame& picture, const std::filesystem::path& file);

}  // namespace tilewall::movie
