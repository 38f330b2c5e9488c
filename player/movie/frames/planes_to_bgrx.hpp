// Converts stored planes to BGRX pixels of the same size, and provides the row kernels for it.
//
// Threads: pure functions.
#pragma once

#include <cstdint>

#include "player/movie/codecs/planar_picture.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// Writes `part` of `planes` to `dst`, which has the part's size. For planes of a JPEG image, the
/// bytes are those that TurboJPEG gives when it decodes the image straight to pixels.
/// @pre the part lies in the picture, whose sides are even with Chroma::yuv420
void planes_to_bgrx(const PlanarPicture& planes, const RectPx& part, const ImageView& dst) noexcept;

// Kernels over rows of Y, Cb and Cr as JPEG stores them: they upsample chroma and convert to red,
// green and blue, byte for byte as TurboJPEG ("fancy upsampling") does.

/// Limit of `count` in a call of upsample_chroma().
inline constexpr int max_upsampled_columns = 512;

/// Upsamples chroma of half the width and height to one row of luma's sites. `own` is the chroma
/// row that covers the output row; `other` is the next one above for even output rows, below for
/// odd ones, or `own` at the picture's edge. Writes the output columns [2 * first, 2 * (first +
/// count)). Each sample is 9/16 of the nearest chroma sample, 3/16 of two others and 1/16 of the
/// fourth.
/// @pre 0 <= first, first + count <= width, count <= max_upsampled_columns
void upsample_chroma(const std::uint8_t* own, const std::uint8_t* other, int width, int first,
                     int count, std::uint8_t* out) noexcept;

/// Converts a row by ITU-R BT.601, full range. Any alignment; the outputs do not overlap anything.
void ycc_to_rgb(const std::uint8_t* luma, const std::uint8_t* cb, const std::uint8_t* cr,
                std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue, int width) noexcept;

// The scalar versions by the formulas, with which tests compare the kernels.
void upsample_chroma_reference(const std::uint8_t* own, const std::uint8_t* other, int width,
                               int first, int count, std::uint8_t* out) noexcept;
void ycc_to_rgb_reference(const std::uint8_t* luma, const std::uint8_t* cb, const std::uint8_t* cr,
                          std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue,
                          int width) noexcept;

}  // namespace tilewall::movie
