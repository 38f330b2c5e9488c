// Pixels out of decoded planes, as they are: no scaling, no colour but the one stored.
#pragma once

#include "player/movie/frames/planar_picture.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall {

/// Writes `part` of `planes` into `dst`, which has the part's size. Of the planes of one JPEG image
/// that are the same bytes as TurboJPEG's own when it decodes the image to pixels.
/// @pre the part lies in the picture, whose sides are even with Chroma::yuv420
void planes_to_bgrx(const PlanarPicture& planes, const RectPx& part, const ImageView& dst) noexcept;

}  // namespace tilewall
