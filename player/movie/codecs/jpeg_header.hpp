// Reads size and layout of a JPEG stream without decoding it (ITU-T T.81).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "player/movie/codecs/planar_picture.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

struct JpegHeader {
  SizePx size_px;
  int components = 0;
  std::optional<Chroma> chroma;  ///< empty for layouts that wall movies do not use
  bool baseline = false;         ///< Huffman-coded, sequential, 8-bit samples (SOF0)
};

/// Reads up to the frame header (SOF0 to SOF15); empty if `bytes` hold none. Pure.
[[nodiscard]] std::optional<JpegHeader> read_jpeg_header(
    std::span<const std::uint8_t> bytes) noexcept;

/// Size of the JPEG in `bytes`, which are the whole file. Empty for CMYK, and for files that are
/// too short for their size. Pure.
[[nodiscard]] std::optional<SizePx> jpeg_size_px(std::span<const std::uint8_t> bytes) noexcept;

}  // namespace tilewall::movie
