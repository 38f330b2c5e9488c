// How a stored picture is turned and mirrored into what viewers see, and rectangles on the way
// back.
//
// "Stored" is the decoder's pixel grid; "displayed" is upright, with square pixels. Pure; no
// FFmpeg.
#pragma once

#include <array>
#include <cstdint>

#include "player/movie/frames/planar_picture.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// First rows and columns are swapped, then the result is mirrored.
struct Orientation {
  bool transpose = false;
  bool mirror_x = false;
  bool mirror_y = false;
  bool operator==(const Orientation&) const = default;
  [[nodiscard]] bool upright() const noexcept { return *this == Orientation{}; }
  /// Clockwise turn in degrees (0, 90, 180, 270), leaving out a mirror.
  [[nodiscard]] int turn_deg() const noexcept;
  [[nodiscard]] bool mirrored() const noexcept { return transpose != (mirror_x != mirror_y); }
};

/// From a 3x3 display matrix as MP4 and FFmpeg have it (row by row; a, b, u, c, d, v, x, y, w); the
/// nearest multiple of 90 degrees.
[[nodiscard]] Orientation orientation_of_matrix(const std::array<std::int32_t, 9>& matrix) noexcept;

/// Displayed size of a stored picture whose pixels are `pixel_aspect` wide per high (0 = square).
/// The short side of a pixel is stretched, so nothing is lost. At most 2^30 a side.
[[nodiscard]] SizePx displayed_size_px(SizePx stored_px, Rational pixel_aspect,
                                       const Orientation& orientation) noexcept;

/// The stored rectangle that shows as `displayed` (of a picture shown at `displayed_px`).
[[nodiscard]] RectF stored_rect_px(const RectF& displayed, SizePx displayed_px, SizePx stored_px,
                                   const Orientation& orientation) noexcept;

/// Width and height swapped where the orientation transposes.
[[nodiscard]] SizePx turned(SizePx size, const Orientation& orientation) noexcept;

/// The same of pixels: `to` has the size that `from` has turned. No overlap.
void turn_pixels(const ImageView& from, const ImageView& to,
                 const Orientation& orientation) noexcept;

/// The picture turned and mirrored; exact, for chroma too (its samples are centred).
[[nodiscard]] PlanarPicture turned(const PlanarPicture& picture, const Orientation& orientation);

}  // namespace tilewall::movie
