// TurboJPEG on whole pictures: planes to JPEG bytes, JPEG bytes or planes to RGB.
#pragma once

#include <span>
#include <vector>

#include "player/movie/frames/planar_picture.hpp"

namespace tilewall::movie {

using RgbPixels = std::vector<unsigned char>;  ///< R, G, B; rows without padding

/// @pre the picture is gray or YUV. Throws JobError.
[[nodiscard]] std::vector<unsigned char> encode_jpeg(const PlanarPicture& picture, int quality);
[[nodiscard]] RgbPixels decode_jpeg(std::span<const unsigned char> jpeg, SizePx size);
[[nodiscard]] RgbPixels rgb_of(const PlanarPicture& picture);  ///< of rgb planes too

}  // namespace tilewall::movie
