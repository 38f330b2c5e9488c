// What TIFF calls a wall movie's ways of storing blocks.
#pragma once

#include <tiff.h>

#include <cstdint>

#include "player/movie/frames/manifest.hpp"

namespace tilewall {

[[nodiscard]] constexpr std::uint16_t compression_tag(BlockCompression compression) noexcept {
  switch (compression) {
    case BlockCompression::jpeg:
      return COMPRESSION_JPEG;
    case BlockCompression::deflate:
      return COMPRESSION_ADOBE_DEFLATE;
    case BlockCompression::zstd:
      return COMPRESSION_ZSTD;
  }
  return COMPRESSION_NONE;
}

}  // namespace tilewall
