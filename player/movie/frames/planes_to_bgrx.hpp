// Pixels out of decoded planes, as they are: no scaling, no colour but the one stored.
#pragma once

#include <cstdint>

#include "player/movie/frames/planar_picture.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// Writes `part` of `planes` into `dst`, which has the part's size. Of the planes of one JPEG image
/// that are the same bytes as TurboJPEG's own when it decodes the image to pixels.
/// @pre the part lies in the picture, whose sides are even with Chroma::yuv420
void planes_to_bgrx(const PlanarPicture& planes, const RectPx& part, const ImageView& dst) noexcept;

// Kernels over rows of Y, Cb and Cr as JPEG stores them: chroma made as wide as luma, and turned
// into red, green and blue, byte for byte as TurboJPEG does when it decodes straight to pixels.

/// The most chroma columns of one upsample_chroma() call.
inline constexpr int max_upsampled_columns = 512;

/// Rows of a plane with half of luma's width and height: `own` is the row that the output row lies
/// in, `other` the one next to it, above for even output rows and below for odd ones (where there
/// is none: `own`). Writes the output columns [2 * first, 2 * (first + count)): each sample is 9/16
/// of the nearest chroma sample, 3/16 of two and 1/16 of the fourth.
/// @pre 0 <= first, first + count <= width, count <= max_upsampled_columns
void upsample_chroma(const std::uint8_t* own, const std::uint8_t* other, int width, int first,
                     int count, std::uint8_t* out) noexcept;

/// ITU-R BT.601, full range. Any alignment; the outputs overlap with nothing.
void ycc_to_rgb(const std::uint8_t* luma, const std::uint8_t* cb, const std::uint8_t* cr,
                std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue, int width) noexcept;

// The same, as the formulas read; what tests compare with.
void upsample_chroma_reference(const std::uint8_t* own, const std::uint8_t* other, int width,
                               int first, int count, std::uint8_t* out) noexcept;
void ycc_to_rgb_reference(const std::uint8_t* luma, const std::uint8_t* cb, const std::uint8_t* cr,
                          std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue,
                          int width) noexcept;

}  // namespace tilewall::movie
