// The copy every CPU presenter makes: a picture as the viewer sees it, into a panel's frame buffer.
#pragma once

#include "player/present/correction/color_tables.hpp"
#include "wallconfigs/image_view.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

/// `size` with width and height swapped at 90 and 270 degrees.
[[nodiscard]] SizePx turned_size_px(SizePx size, Rotation rotation) noexcept;

/// The place in the viewed picture of frame buffer pixel `at`, on a panel turned clockwise by
/// `rotation`. This is the formula; copy_picture is the fast way.
[[nodiscard]] PointPx viewed_place(PointPx at, SizePx frame_buffer_px, Rotation rotation) noexcept;

/// The rectangle in the frame buffer that shows `viewed` of the picture.
[[nodiscard]] RectPx frame_buffer_place(const RectPx& viewed, SizePx frame_buffer_px,
                                        Rotation rotation) noexcept;

/// Writes every pixel of `frame_buffer`; `tables` null = colours as they are. The two do not
/// overlap.
/// @pre picture.size_px == turned_size_px(frame_buffer.size_px, rotation)
void copy_picture(const ImageView& picture, Rotation rotation, const ColorTables* tables,
                  const ImageView& frame_buffer) noexcept;

}  // namespace tilewall
