// How much a content mode stretches the picture across each screen of a wall.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall {

/// How wide the picture is on the screen, against the same on the wall's middle screen: 1.25 is a
/// quarter wider than it should be, 0.8 a fifth narrower. Along the middle of the screen's height.
struct Stretch {
  double least = 1;
  double middle = 1;
  double most = 1;
};

/// What stands in one plane: the panels of some columns of an arc that are turned alike; without an
/// arc, those of one column.
struct WallScreen {
  std::vector<std::size_t> panels;  ///< indexes into Wall::panels, at least one
};

/// From the left; a wall in one plane is one screen.
[[nodiscard]] std::vector<WallScreen> screens_of(const Wall& wall);

/// On each of screens_of(wall), in the wall's own bezel mode. Empty where the wall has no picture
/// in that content mode.
[[nodiscard]] std::vector<Stretch> stretch_of(const Wall& wall, ContentMode content);

}  // namespace tilewall
