// Turns and mirrors stored pictures to displayed ones, and maps displayed rectangles to stored
// ones.
//
// "Stored" is the decoder's pixel grid; "displayed" is upright, with square pixels. Pure; no
// FFmpeg.
#pragma once

#include <array>
#include <cstdint>

#include "player/movie/codecs/planar_picture.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// The way from a stored to a displayed picture: rows and columns are swapped first, and the result
/// is mirrored.
struct Orientation {
  bool transpose = false;
  bool mirror_x = false;
  bool mirror_y = false;
  bool operator==(const Orientation&) const = default;
  [[nodiscard]] bool upright() const noexcept { return *this == Orientation{}; }
  /// Clockwise turn in degrees (0, 90, 180 or 270), without the mirroring.
  [[nodiscard]] int turn_deg() const noexcept;
  [[nodiscard]] bool mirrored() const noexcept { return transpose != (mirror_x != mirror_y); }
};

/// The orientation by a 3x3 display matrix of MP4 and FFmpeg (row by row: a, b, u, c, d, v, x, y,
/// w), rounded to a multiple of 90 degrees.
[[nodiscard]] Orientation orientation_of_matrix(const std::array<std::int32_t, 9>& matrix) noexcept;

/// Displayed size of a stored picture; `pixel_aspect` is the width of a pixel divided by its height
/// (0 = square). The shorter side of a pixel is stretched, so that no detail is lost. At most 2^30
/// a side.
[[nodiscard]] SizePx displayed_size_px(SizePx stored_px, Rational pixel_aspect,
                                       const Orientation& orientation) noexcept;

/// The stored rectangle that appears as `displayed` in a picture displayed at `displayed_px`.
[[nodiscard]] RectF stored_rect_px(const RectF& displayed, SizePx displayed_px, SizePx stored_px,
                                   const Orientation& orientation) noexcept;

/// The size after turning: width and height are swapped if the orientation transposes.
[[nodiscard]] SizePx turned(SizePx size, const Orientation& orientation) noexcept;

/// Writes the turned and mirrored pixels of `from` to `to`, which has the turned size. No overlap.
void turn_pixels(const ImageView& from, const ImageView& to,
                 const Orientation& orientation) noexcept;

/// The picture turned and mirrored. Exact for chroma too, because its samples are centred.
[[nodiscard]] PlanarPicture turned(const PlanarPicture& picture, const Orientation& orientation);

}  // namespace tilewall::movie
