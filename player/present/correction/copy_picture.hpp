// The copy that every CPU presenter makes: from a picture as the viewer sees it into a panel's
// frame buffer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "wallconfigs/image_view.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::present {

// A panel's colour match as one table per channel.

/// round(255 * gain * (value / 255)^gamma), held within [0, 255].
[[nodiscard]] std::uint8_t color_matched(std::uint8_t value, double gain, double gamma) noexcept;

/// For a pixel read as a little-endian word 0xXXRRGGBB: the matched pixel is
/// blue[B] | green[G] | red[R] | (pixel & 0xff000000).
struct ColorTables {
  std::array<std::uint32_t, 256> blue;
  std::array<std::uint32_t, 256> green;
  std::array<std::uint32_t, 256> red;

  explicit ColorTables(const wall::ColorMatch& color) noexcept;

  [[nodiscard]] std::uint32_t matched(std::uint32_t pixel) const noexcept {
    return blue[pixel & 0xff] | green[pixel >> 8 & 0xff] | red[pixel >> 16 & 0xff] |
           (pixel & 0xff000000U);
  }
};

/// Empty where `color` changes nothing.
[[nodiscard]] std::optional<ColorTables> color_tables_for(const wall::ColorMatch& color);

/// `size` with width and height swapped at 90 and 270 degrees.
[[nodiscard]] SizePx turned_size_px(SizePx size, wall::Rotation rotation) noexcept;

/// The place in the viewed picture of frame buffer pixel `at`, on a panel turned clockwise by
/// `rotation`. This is the formula; copy_picture is the fast way.
[[nodiscard]] PointPx viewed_place(PointPx at, SizePx frame_buffer_px,
                                   wall::Rotation rotation) noexcept;

/// The rectangle in the frame buffer that shows `viewed` of the picture.
[[nodiscard]] RectPx frame_buffer_place(const RectPx& viewed, SizePx frame_buffer_px,
                                        wall::Rotation rotation) noexcept;

/// Writes every pixel of `frame_buffer`; `tables` null = colours as they are. The two do not
/// overlap.
/// @pre picture.size_px == turned_size_px(frame_buffer.size_px, rotation)
void copy_picture(const ImageView& picture, wall::Rotation rotation, const ColorTables* tables,
                  const ImageView& frame_buffer) noexcept;

/// A small picture that is laid over a larger one on its way to the panel.
struct Inset {
  ImageView image;  ///< Picture as the viewer sees it; no pixels: no inset
  PointPx at_px;    ///< Upper left corner of the inset in the larger picture
  [[nodiscard]] bool empty() const noexcept { return image.pixels == nullptr; }
};

/// The part of the inset that lies in a picture of that size.
[[nodiscard]] Inset clipped(const Inset& inset, SizePx picture_px) noexcept;

/// Lays the inset over a frame buffer that holds a picture, with the same rotation and colour
/// match.
void copy_inset(const Inset& inset, wall::Rotation rotation, const ColorTables* tables,
                const ImageView& frame_buffer) noexcept;

}  // namespace tilewall::present
