// Where a region's view lies on one panel: from movie pixels over the canvas to panel pixels.
#pragma once

#include "player/picture/draw_parameters.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::picture {

/// Where one panel's picture lies on the canvas.
struct PanelOnCanvas {
  RectF canvas_px;  ///< Where the panel's picture lies on the canvas, in the scene's bezel mode
  SizePx viewed_size_px;  ///< the panel's own pixels as seen
};

/// The canvas rectangle that `view_px` of a movie covers when fitted into `region_px`. Whole pixels
/// where the picture is shown 1:1 or larger than the region's pixels allow otherwise: the origin is
/// rounded, so that pixels of a movie that fits exactly stay pixels.
[[nodiscard]] RectF fitted_rect_px(const RectF& region_px, const RectF& view_px,
                                   scene::FitMode fit);

/// Where a movie of `movie_px` that `region` shows at `at` lies on the panel, and the part of the
/// panel's picture it may draw on. A movie without a size has the region's.
struct PanelPlacement {
  Placement placement;  ///< Placement in pixels of the whole panel picture
  RectPx drawn_px;      ///< the region's part of the panel picture; empty when it lies elsewhere
  bool operator==(const PanelPlacement&) const = default;
};
[[nodiscard]] PanelPlacement place_on_panel(const scene::Region& region, SizePx movie_px,
                                            GlobalInstant at, const PanelOnCanvas& panel);

}  // namespace tilewall::picture
