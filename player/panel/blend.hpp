// Kernels that blend one picture over another. Both pictures have the same size; their rows are
// B, G, R, X bytes. `below` is overwritten.
#pragma once

#include "wallconfigs/image_view.hpp"

namespace tilewall::panel {

/// below = below + (above - below) * opacity, rounded. @pre 0 <= opacity <= 1
void blend_over(const ImageView& below, const ImageView& above, double opacity) noexcept;

/// below = below + (min(|above - below| * gain, 255) - below) * opacity. @pre 1 <= gain <= 255
void blend_difference(const ImageView& below, const ImageView& above, double opacity,
                      double gain) noexcept;

}  // namespace tilewall::panel
