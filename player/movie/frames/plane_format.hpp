// Describes planes of any sample type and colour for zimg.
//
// Threads: pure functions.
#pragma once

#include <zimg.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "player/movie/codecs/planar_picture.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

/// Samples of up to 8 bits take one byte, those of up to 16 bits take two in the machine's order,
/// and those of 32 bits are floats. The colour's codes are those of ITU-T H.273.
struct PlaneFormat {
  zimg_color_family_e family = ZIMG_COLOR_YUV;  ///< gray: one plane; else Y, Cb, Cr or R, G, B
  int depth_bits = 8;                           ///< 8..16, or 32
  int subsample_w_log2 = 0;                     ///< chroma planes are narrower by 2^this
  int subsample_h_log2 = 0;                     ///< chroma planes are lower by 2^this
  bool full_range = true;
  zimg_matrix_coefficients_e matrix = ZIMG_MATRIX_ST170_M;
  /// Set for HDR, linear light and wide gamut only; others are not converted by linear light.
  zimg_transfer_characteristics_e transfer = ZIMG_TRANSFER_UNSPECIFIED;
  zimg_color_primaries_e primaries = ZIMG_PRIMARIES_UNSPECIFIED;
  zimg_chroma_location_e chroma_location = ZIMG_CHROMA_CENTER;
  bool operator==(const PlaneFormat&) const = default;

  [[nodiscard]] int planes() const noexcept { return family == ZIMG_COLOR_GREY ? 1 : 3; }
  [[nodiscard]] std::size_t bytes_per_sample() const noexcept {
    return depth_bits <= 8 ? 1 : depth_bits <= 16 ? 2 : 4;
  }
};

/// The format of a wall movie's planes.
[[nodiscard]] PlaneFormat stored_format(Chroma chroma) noexcept;

/// The size that the planes of a picture hold: its sides rounded up to whole chroma samples.
[[nodiscard]] SizePx padded_size_px(SizePx picture_px, const PlaneFormat& format) noexcept;

/// Size of plane `plane` of a picture whose sides are whole chroma samples.
[[nodiscard]] SizePx plane_size_px(SizePx padded_px, const PlaneFormat& format, int plane) noexcept;

/// zimg's description of planes of this size and format.
[[nodiscard]] zimg_image_format zimg_format_of(SizePx padded_px,
                                               const PlaneFormat& format) noexcept;

/// A view of up to three planes whose rows are aligned to plane_alignment_bytes.
struct PlanesView {
  std::array<const std::uint8_t*, 3> samples = {};
  std::array<std::size_t, 3> stride_bytes = {};

  PlanesView() = default;
  PlanesView(const PlanarPicture& picture) noexcept;  // NOLINT: converts implicitly, as views do
};

}  // namespace tilewall::movie
