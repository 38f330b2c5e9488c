// Decodes one image file of ordinary size: JPEG, PNG, TIFF, EXR and what else FFmpeg reads.
#pragma once

#include <filesystem>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall {

/// The picture, decoded by the calling thread alone. A TIFF that FFmpeg does not understand is read
/// by libtiff. Throws InputError naming the file.
[[nodiscard]] SharedFrame decode_image_file(const std::filesystem::path& file);

/// What the image says of itself (fps and duration unset). Decodes it.
[[nodiscard]] MovieInfo image_info(const std::filesystem::path& file);

/// The same of an image that is decoded already.
[[nodiscard]] MovieInfo image_info(const AVFrame& frame, const std::filesystem::path& file);

// The libtiff way to read an image, for TIFF files that FFmpeg refuses (odd layouts, BigTIFF,
// CMYK).

/// Null when libtiff cannot read the file either, or its picture is over 64 Mpixel.
[[nodiscard]] SharedFrame try_read_tiff(const std::filesystem::path& file);

}  // namespace tilewall
