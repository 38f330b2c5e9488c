// Lays panels out so that they abut in the picture (BezelMode::show), one axis at a time.
//
// A "seam" is a line along which panels abut once their frames are left out. Seams are found in two
// steps: strips of the wall that no panel lights are left out; then edges that come to lie within
// five per cent of the smallest panel's side of each other become one seam. Every panel reaches
// from seam to seam. Seams are as far apart as the native panels between them are long, so that
// those panels keep their own pixels; a panel of another size is stretched to the seams, by those
// few per cent at most. Panels whose edges differ by more (portrait beside landscape) keep seams of
// their own, and the picture has places that no panel shows, as the wall has. What overlaps on the
// wall overlaps here.
#pragma once

#include <span>
#include <vector>

namespace tilewall::wall {

/// A panel's lit extent along one axis.
struct ExtentMm {
  double start = 0;
  double end = 0;     ///< > start
  int native_px = 0;  ///< Pixels along the axis where they are canvas pixels, else 0
};

/// A panel's extent in canvas pixels, half open; never empty.
struct ExtentPx {
  int start = 0;
  int end = 0;
};

/// One extent per panel, in the same order; the smallest start is 0. @pre panels not empty
[[nodiscard]] std::vector<ExtentPx> abut(std::span<const ExtentMm> panels, double px_per_mm);

}  // namespace tilewall::wall
