// Decodes an image file of ordinary size: JPEG, PNG, TIFF, EXR, and the other formats that FFmpeg
// reads. Larger images are read by rows (image_rows.hpp).
//
// Threads: any; each call decodes by itself.
#pragma once

#include <filesystem>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall::movie {

/// Decodes an image on the calling thread alone. A TIFF that FFmpeg refuses is read by libtiff.
/// Throws InputError naming the file.
[[nodiscard]] SharedFrame decode_image_file(const std::filesystem::path& file);

/// Decodes an image and returns its size, format and colour; fps and duration keep their defaults.
/// Throws InputError naming the file.
[[nodiscard]] MovieInfo image_info(const std::filesystem::path& file);

/// The MovieInfo of an image that is decoded already.
[[nodiscard]] MovieInfo image_info(const AVFrame& frame, const std::filesystem::path& file);

/// Reads an image by libtiff as RGBA, for TIFF files that FFmpeg refuses (odd layouts, BigTIFF,
/// CMYK). Null if libtiff cannot read the file, or the picture is over 64 Mpixel.
[[nodiscard]] SharedFrame try_read_tiff(const std::filesystem::path& file);

}  // namespace tilewall::movie
