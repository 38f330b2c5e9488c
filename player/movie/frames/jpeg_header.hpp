// What a JPEG stream says of itself before it is decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "player/movie/frames/planar_picture.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

struct JpegHeader {
  SizePx size_px;
  int components = 0;
  std::optional<Chroma> chroma;  ///< empty: a layout that wall movies do not use
  bool baseline = false;         ///< one scan's worth of Huffman-coded 8-bit samples (SOF0)
};

/// Reads up to the frame header. Empty when there is none within `bytes`.
[[nodiscard]] std::optional<JpegHeader> read_jpeg_header(
    std::span<const std::uint8_t> bytes) noexcept;

}  // namespace tilewall::movie
