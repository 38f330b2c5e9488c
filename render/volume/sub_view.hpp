// Views of the same scene through another grid of pixels.
#pragma once

#include "render/volume/cast_style.hpp"

namespace tilewall {

/// A picture of `size_px` pixels, each as wide as `side` pixels of `view`'s picture, whose upper
/// left corner lies at `first` there. @pre side > 0
[[nodiscard]] CastView sub_view(const CastView& view, PointF first, double side, SizePx size_px);

}  // namespace tilewall
