// A small picture that is laid over a larger one on its way to the panel.
#pragma once

#include "player/present/correction/color_tables.hpp"
#include "wallconfigs/image_view.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

struct Inset {
  ImageView image;  ///< as the viewer sees it; without pixels: nothing is laid over
  PointPx at_px;    ///< of its upper left corner in the picture
  [[nodiscard]] bool empty() const noexcept { return image.pixels == nullptr; }
};

/// The part of the inset that lies in a picture of that size.
[[nodiscard]] Inset clipped(const Inset& inset, SizePx picture_px) noexcept;

/// Lays the inset over a frame buffer that holds a picture, turned and matched alike.
void copy_inset(const Inset& inset, Rotation rotation, const ColorTables* tables,
                const ImageView& frame_buffer) noexcept;

}  // namespace tilewall
