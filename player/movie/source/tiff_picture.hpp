// The libtiff way to read an image, for TIFF files that FFmpeg refuses (odd layouts, BigTIFF,
// CMYK).
#pragma once

#include <filesystem>

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall {

/// Null when libtiff cannot read the file either, or its picture is over 64 Mpixel.
[[nodiscard]] SharedFrame try_read_tiff(const std::filesystem::path& file);

}  // namespace tilewall
