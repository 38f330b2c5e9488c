// The edge blend of a panel: how bright each pixel is where panels overlap, so that together they
// are as bright as one.
//
// Each panel fades out towards those of its edges that another panel reaches across, over the width
// of the overlap. Towards outer edges and holes it does not fade. Where several panels light the
// same place, each gives its fading's share of the sum of all, in linear light. Two panels side by
// side get the smoothstep from 0 to 1 and its complement, four in a corner the products. The shares
// add up to 1 wherever panels overlap, also with different sizes, beside holes, and at positions
// given by hand.
#pragma once

#include <cstddef>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

/// A panel's rectangle, and the width of its fading at each side; 0 = none. Pixels.
struct FadedRect {
  RectF rect_px;
  double left_px = 0;
  double right_px = 0;
  double top_px = 0;
  double bottom_px = 0;
  bool operator==(const FadedRect&) const = default;
};

/// A panel's edge blend, in the panel's own pixels as seen.
struct PanelBlend {
  double gamma = 2.2;             ///< Exponent of the panels' light over their pixel values
  FadedRect own;                  ///< The panel itself, at (0, 0)
  std::vector<FadedRect> others;  ///< Panels that overlap this one; empty = nothing to blend

  [[nodiscard]] bool empty() const noexcept { return others.empty(); }
};

/// Edge blend of panel number `panel`; empty where nothing overlaps it or the wall does not blend.
[[nodiscard]] PanelBlend panel_blend(const Wall& wall, std::size_t panel);

}  // namespace tilewall::wall
