// Writes OpenEXR images: scan lines in blocks of 16, compressed as ZIP.
//
// Format: https://openexr.com/en/latest/OpenEXRFileLayout.html
//
// Threads: any; each call works by itself.
#pragma once

#include <cstdint>
#include <string>

#include "player/movie/source/float_picture.hpp"

namespace tilewall::movie {

/// The nearest half float; ties go to the even one. Infinite from 65520 on.
[[nodiscard]] std::uint16_t half_of(float value) noexcept;

/// The bytes of an image with the channels R, G, B and A as half floats, and Z, the depth, as
/// floats. Throws JobError when memory runs out. @pre new_float_picture() made the picture
[[nodiscard]] std::string encode_exr(const AVFrame& picture);

}  // namespace tilewall::movie
