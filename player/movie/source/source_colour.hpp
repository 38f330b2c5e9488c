// Translates a decoded frame's colour tags, and the format of a wall movie's planes, to zimg's.
//
// Threads: pure functions.
#pragma once

#include <zimg.h>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/source/sample_rows.hpp"

namespace tilewall::movie {

/// Untagged video counts as ITU-R BT.709 from this many lines up, and as BT.601 below.
inline constexpr int hd_from_lines = 720;

/// Colour of a frame, with defaults for missing tags. Values are those of ITU-T H.273, which zimg
/// and FFmpeg share.
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

/// The colour by the frame's tags and, where they are missing, its size and pixel format.
[[nodiscard]] SourceColour source_colour(const AVFrame& frame, const SampleFormat& format);

/// zimg's description of the samples that read_sample_row() gives, with sides rounded up to whole
/// chroma samples. With `as_rgb`, a gray picture is described as three equal planes R, G and B.
[[nodiscard]] zimg_image_format zimg_source_format(const AVFrame& frame, const SampleFormat& format,
                                                   const SourceColour& colour, bool as_rgb);

/// zimg's description of the planes that a wall movie stores, for a source of this colour.
[[nodiscard]] zimg_image_format zimg_stored_format(SizePx size, Chroma chroma,
                                                   const SourceColour& colour);

}  // namespace tilewall::movie
