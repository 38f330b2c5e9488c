// What a decoded frame's colour tags mean to zimg, and what a wall movie's planes are to it.
#pragma once

#include <zimg.h>

#include "player/movie/frames/planar_picture.hpp"
#include "player/movie/source/sample_rows.hpp"

namespace tilewall {

/// Untagged video of at least so many lines has the colours of ITU-R BT.709, smaller that of
/// BT.601.
inline constexpr int hd_from_lines = 720;

/// Colour of a frame, every doubt resolved. Values are those of ITU-T H.273, which zimg and FFmpeg
/// share.
struct SourceColour {
  bool full_range = false;
  zimg_matrix_coefficients_e matrix = ZIMG_MATRIX_BT709;
  zimg_transfer_characteristics_e transfer = ZIMG_TRANSFER_UNSPECIFIED;
  zimg_color_primaries_e primaries = ZIMG_PRIMARIES_UNSPECIFIED;
  zimg_chroma_location_e chroma_location = ZIMG_CHROMA_LEFT;
  bool operator==(const SourceColour&) const = default;

  /// Whether transfer and primaries must be converted, not just the matrix.
  [[nodiscard]] bool needs_linear_light() const noexcept {
    return transfer != ZIMG_TRANSFER_UNSPECIFIED;
  }
};

[[nodiscard]] SourceColour source_colour(const AVFrame& frame, const SampleFormat& format);

/// zimg's description of the frame as read_sample_row() delivers it, sides rounded up to whole
/// chroma samples; `as_rgb`: a gray picture is given as three equal planes.
[[nodiscard]] zimg_image_format zimg_source_format(const AVFrame& frame, const SampleFormat& format,
                                                   const SourceColour& colour, bool as_rgb);

/// zimg's description of the planes a wall movie stores.
[[nodiscard]] zimg_image_format zimg_stored_format(SizePx size, Chroma chroma,
                                                   const SourceColour& colour);

}  // namespace tilewall
