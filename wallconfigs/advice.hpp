// Hints on a wall file that is correct, but perhaps not what its operator means.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

/// One hint per line, without file name; empty for an unremarkable wall.
[[nodiscard]] std::vector<std::string> advice_on(const Wall& wall);

/// Share of the canvas that lies on no panel, 0 to 1.
[[nodiscard]] double unlit_share(const Canvas& canvas);

/// Pixels per millimetre, of a panel or of the canvas.
struct Density {
  double x_px_per_mm = 1;
  double y_px_per_mm = 1;
};

/// Density of the panel's pixels as seen, after rotation.
[[nodiscard]] Density density_of(const Panel& panel) noexcept;

/// Whether the panel's pixels are as large as those of `density`, to the half per cent that data
/// sheets round by: such a panel shows canvas pixels one to one.
[[nodiscard]] bool is_native(const Panel& panel, Density density) noexcept;

/// The density that most panels are native to; the first such panel's own. @pre not empty
[[nodiscard]] Density commonest_density(std::span<const Panel> panels);

// Measures how much a content mode stretches the picture across each screen of a wall.

/// Width of the picture on the screen, as a share of its width on the wall's middle screen: 1.25 is
/// a quarter wider than it should be, 0.8 a fifth narrower. Measured along the middle of the
/// screen's height.
struct Stretch {
  double least = 1;
  double middle = 1;
  double most = 1;
};

/// Panels that stand in one plane: those of some columns of an arc that are turned alike or,
/// without an arc, those of one column.
struct WallScreen {
  std::vector<std::size_t> panels;  ///< Indexes into Wall::panels, at least one
};

/// The screens from the left. A wall in one plane is one screen.
[[nodiscard]] std::vector<WallScreen> screens_of(const Wall& wall);

/// The stretch on each of screens_of(wall), in the wall's own bezel mode. Empty where the wall has
/// no picture in that content mode.
[[nodiscard]] std::vector<Stretch> stretch_of(const Wall& wall, ContentMode content);

}  // namespace tilewall::wall
