// Finds the test card's marks in a panel's picture, at the places that the wall's geometry gives.
#pragma once

#include <string>

#include "wallconfigs/image_view.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall {

struct MarksFound {
  int marks = 0;  ///< Number of marks with the right coordinates
  /// Greatest distance of a mark's centre from its place, in pixels of the picture.
  double worst_px = 0;
  std::string wrong;  ///< First mark that is missing or has other coordinates; "" = none
};

/// All marks that lie in the picture with all of their cells. `map`: from the picture's pixels to
/// a canvas of that size.
[[nodiscard]] MarksFound find_marks(const ImageView& picture, const wall::PanelMap& map,
                                    SizePx canvas_px);

}  // namespace tilewall
