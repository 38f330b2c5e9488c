// The views of regions in shapes that one can glide between. Pure.
#pragma once

#include "player/scene/scene.hpp"

namespace tilewall::director {

/// The whole of a picture of this size; the region's own pixels where it fills any size.
[[nodiscard]] RectF movie_px(SizePx size, const scene::Region& region);

/// The part of the movie's plane that the whole region covers when it shows `view_px` by its fit;
/// beyond the movie it is black.
[[nodiscard]] RectF region_shaped(const scene::Region& region, const RectF& view_px);

}  // namespace tilewall::director
