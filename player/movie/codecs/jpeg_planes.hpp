// Encodes and decodes whole pictures by TurboJPEG.
//
// Threads: any; each call works by itself. All functions throw JobError if TurboJPEG fails.
#pragma once

#include <span>
#include <vector>

#include "player/movie/codecs/planar_picture.hpp"

namespace tilewall::movie {

using RgbPixels = std::vector<unsigned char>;  ///< R, G, B; rows without padding

/// A JPEG of the picture; `quality` is 1..100. @pre the picture is gray or YUV
[[nodiscard]] std::vector<unsigned char> encode_jpeg(const PlanarPicture& picture, int quality);

/// The pixels of a JPEG of this size.
[[nodiscard]] RgbPixels decode_jpeg(std::span<const unsigned char> jpeg, SizePx size);

/// The pixels of a picture of any chroma.
[[nodiscard]] RgbPixels rgb_of(const PlanarPicture& picture);

}  // namespace tilewall::movie
