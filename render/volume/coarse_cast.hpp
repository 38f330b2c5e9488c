// Pictures by fewer rays than pixels: while something moves.
#pragma once

#include "render/volume/cast_style.hpp"
#include "render/volume/picture_caster.hpp"

namespace tilewall::render {

/// As PictureCaster::cast, by a ray for every side x side pixels of the whole picture, the same
/// ones for every part, and what lies between them by straight lines: no seam where parts meet.
/// Rays have samples as far apart as two of them (CastView::rough).
std::uint64_t cast_coarse(PictureCaster& caster, const CastView& view, const RectPx& part, int side,
                          const ImageView& to, int threads);

// Views of the same scene through another grid of pixels.

/// A picture of `size_px` pixels, each as wide as `side` pixels of `view`'s picture, whose upper
/// left corner lies at `first` there. @pre side > 0
[[nodiscard]] CastView sub_view(const CastView& view, PointF first, double side, SizePx size_px);

}  // namespace tilewall::render
