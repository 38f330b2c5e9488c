// How many pixels a millimetre has: on each panel, and on the canvas.
#pragma once

#include <span>

#include "wallconfigs/wall.hpp"

namespace tilewall {

struct Density {
  double x_px_per_mm = 1;
  double y_px_per_mm = 1;
};

/// Of the panel's pixels as seen, after rotation.
[[nodiscard]] Density density_of(const Panel& panel) noexcept;

/// Whether the panel's pixels are as large as those of `density`, to the half per cent that data
/// sheets round by: such a panel shows canvas pixels one to one.
[[nodiscard]] bool is_native(const Panel& panel, Density density) noexcept;

/// The density that most panels are native to; the first such panel's own. @pre not empty
[[nodiscard]] Density commonest_density(std::span<const Panel> panels);

}  // namespace tilewall
