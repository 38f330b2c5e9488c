// Casts pictures by fewer rays than pixels, while something moves.
#pragma once

#include "render/volume/cast_style.hpp"
#include "render/volume/picture_caster.hpp"

namespace tilewall::render {

/// Casts a picture like PictureCaster::cast, but with one ray per side x side pixels of the whole
/// picture, and interpolates between them. All parts use the same rays, so parts meet without a
/// seam. Samples are as far apart as two rays (CastView::rough).
std::uint64_t cast_coarse(PictureCaster& caster, const CastView& view, const RectPx& part, int side,
                          const ImageView& to, int threads);

// Views of the same scene through another grid of pixels.

/// A picture of `size_px` pixels, each as wide as `side` pixels of `view`'s picture, whose upper
/// left corner lies at `first` there. @pre side > 0
[[nodiscard]] CastView sub_view(const CastView& view, PointF first, double side, SizePx size_px);

}  // namespace tilewall::render
