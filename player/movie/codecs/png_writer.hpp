// Writes PNG files by libpng.
//
// Threads: any; each call works by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

enum class PngPixels { gray, rgb, bgrx };

/// Pixels that a PNG is made of, and how it is made. `bgrx` is stored as RGB.
struct PngPicture {
  const std::uint8_t* pixels = nullptr;
  SizePx size_px;
  std::size_t stride_bytes = 0;
  PngPixels layout = PngPixels::rgb;
  bool is_filtered = false;  ///< differences of neighbours are stored: fewer bytes for drawings
  bool is_srgb = false;      ///< the file says that its colours are sRGB
};

/// The bytes of an 8-bit PNG. Throws JobError, whose text begins with `name`, if libpng fails.
[[nodiscard]] std::string encode_png(const PngPicture& picture, const std::string& name);

/// The bytes of a snapshot: a PNG in 8-bit RGB. Throws JobError, whose text begins with `name`.
[[nodiscard]] std::string encode_snapshot(const ImageView& picture, const std::string& name);

/// Writes a snapshot under a temporary name and renames it: `file` is whole or not there. A file
/// that is replaced keeps its mode. Throws JobError naming the file; nothing is left behind then.
void write_snapshot(const ImageView& picture, const std::filesystem::path& file);

}  // namespace tilewall::movie
