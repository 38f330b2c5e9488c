// Looks for the test card's marks in a panel's picture, each where the wall's geometry puts it.
#pragma once

#include <string>

#include "wallconfigs/image_view.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall {

struct MarksFound {
  int marks = 0;        ///< read, with the right coordinates
  double worst_px = 0;  ///< how far a mark's centre lies from its place, in pixels of the picture
  std::string wrong;    ///< the first one that is not there, or another than should be; "" = none
};

/// All marks that lie in the picture with all of their cells. `map`: from the picture's pixels to
/// a canvas of that size.
[[nodiscard]] MarksFound find_marks(const ImageView& picture, const wall::PanelMap& map,
                                    SizePx canvas_px);

}  // namespace tilewall
