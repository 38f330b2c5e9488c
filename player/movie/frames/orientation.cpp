#include "player/movie/frames/orientation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace tilewall::movie {
namespace {

constexpr double max_displayed_side_px = 1 << 30;
constexpr int turn_block_px = 32;  // such blocks of both pictures fit into the first-level cache

int rounded_side(double side) {
  return static_cast<int>(std::clamp(std::round(side), 1.0, max_displayed_side_px));
}

void turn_plane(const Plane& in, Plane& out, const Orientation& orientation) {
  for (int y = 0; y < out.size_px.height; ++y) {
    const int from_y = orientation.mirror_y ? out.size_px.height - 1 - y : y;
    std::uint8_t* row = out.row(y);
    for (int x = 0; x < out.size_px.width; ++x) {
      const int from_x = orientation.mirror_x ? out.size_px.width - 1 - x : x;
      row[x] = orientation.transpose ? in.row(from_x)[from_y] : in.row(from_y)[from_x];
    }
  }
}

void turn_block(const ImageView& from, const ImageView& to, const Orientation& orientation,
                PointPx at) noexcept {
  const int end_x = std::min(at.x + turn_block_px, to.size_px.width);
  const int end_y = std::min(at.y + turn_block_px, to.size_px.height);
  for (int y = at.y; y < end_y; ++y)
    for (int x = at.x; x < end_x; ++x) {
      const int from_x = orientation.mirror_x ? to.size_px.width - 1 - x : x;
      const int from_y = orientation.mirror_y ? to.size_px.height - 1 - y : y;
      std::memcpy(to.pixel(x, y),
                  orientation.transpose ? from.pixel(from_y, from_x) : from.pixel(from_x, from_y),
                  4);
    }
}

}  // namespace

int Orientation::turn_deg() const noexcept {
  if (transpose) return mirror_y && !mirror_x ? 270 : 90;
  return mirror_y ? 180 : 0;
}

Orientation orientation_of_matrix(const std::array<std::int32_t, 9>& matrix) noexcept {
  const std::int64_t a = matrix[0];
  const std::int64_t b = matrix[1];
  const std::int64_t c = matrix[3];
  const std::int64_t d = matrix[4];
  // displayed x = a * stored x + c * stored y; displayed y = b * stored x + d * stored y
  if (std::abs(b) + std::abs(c) > std::abs(a) + std::abs(d)) return {true, c < 0, b < 0};
  return {false, a < 0, d < 0};
}

SizePx displayed_size_px(SizePx stored_px, Rational pixel_aspect,
                         const Orientation& orientation) noexcept {
  SizePx size = stored_px;
  if (pixel_aspect.num > 0 && pixel_aspect.den > 0) {
    const double aspect = pixel_aspect.value();
    if (aspect > 1) size.width = rounded_side(size.width * aspect);
    if (aspect < 1) size.height = rounded_side(size.height / aspect);
  }
  return turned(size, orientation);
}

RectF stored_rect_px(const RectF& displayed, SizePx displayed_px, SizePx stored_px,
                     const Orientation& orientation) noexcept {
  // On the unit square first: undo the mirrors, then the transposition.
  RectF unit{displayed.x / displayed_px.width, displayed.y / displayed_px.height,
             displayed.width / displayed_px.width, displayed.height / displayed_px.height};
  if (orientation.mirror_x) unit.x = 1 - unit.right();
  if (orientation.mirror_y) unit.y = 1 - unit.bottom();
  if (orientation.transpose) unit = {unit.y, unit.x, unit.height, unit.width};
  return {unit.x * stored_px.width, unit.y * stored_px.height, unit.width * stored_px.width,
          unit.height * stored_px.height};
}

SizePx turned(SizePx size, const Orientation& orientation) noexcept {
  return orientation.transpose ? SizePx{size.height, size.width} : size;
}

void turn_pixels(const ImageView& from, const ImageView& to,
                 const Orientation& orientation) noexcept {
  for (int block_y = 0; block_y < to.size_px.height; block_y += turn_block_px)
    for (int block_x = 0; block_x < to.size_px.width; block_x += turn_block_px)
      turn_block(from, to, orientation, {block_x, block_y});
}

PlanarPicture turned(const PlanarPicture& picture, const Orientation& orientation) {
  PlanarPicture out(turned(picture.size_px, orientation), picture.chroma);
  for (std::size_t plane = 0; plane < picture.planes.size(); ++plane)
    turn_plane(picture.planes[plane], out.planes[plane], orientation);
  return out;
}

}  // namespace tilewall::movie
