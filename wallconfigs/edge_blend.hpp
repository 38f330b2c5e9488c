// How bright each pixel of a panel is where panels overlap, so that together they are as bright as
// one.
//
// Each panel fades out towards those of its edges that another panel reaches across, over the width
// of the overlap; towards outer edges and holes it does not. Of a place that several panels light,
// each has its fading's share of the sum of all, in light: where two panels lie side by side that
// is the smoothstep from 0 to 1 and its complement, in the corner of four the products, and it adds
// up to 1 wherever panels of different sizes, holes, or positions given by hand overlap.
#pragma once

#include <cstddef>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

/// A panel's rectangle, and how wide it fades at each side; 0 = not at all. Pixels.
struct FadedRect {
  RectF rect_px;
  double left_px = 0;
  double right_px = 0;
  double top_px = 0;
  double bottom_px = 0;
  bool operator==(const FadedRect&) const = default;
};

/// In the panel's own pixels as seen.
struct PanelBlend {
  double gamma = 2.2;             ///< of the panels' light over their pixel values
  FadedRect own;                  ///< at (0, 0)
  std::vector<FadedRect> others;  ///< that light some of the same; empty = nothing to blend

  [[nodiscard]] bool empty() const noexcept { return others.empty(); }
};

/// Of panel number `panel`; empty where nothing overlaps it or the wall does not blend.
[[nodiscard]] PanelBlend panel_blend(const Wall& wall, std::size_t panel);

}  // namespace tilewall::wall
