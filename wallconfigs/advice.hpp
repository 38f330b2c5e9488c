// What the operator of a wall would like to know about its file although nothing in it is wrong.
#pragma once

#include <string>
#include <vector>

#include "wallconfigs/wall.hpp"

namespace tilewall {

/// One line each, without file name; none for an unremarkable wall.
[[nodiscard]] std::vector<std::string> advice_on(const Wall& wall);

/// The share of the canvas, 0 to 1, that lies on no panel.
[[nodiscard]] double unlit_share(const Canvas& canvas);

}  // namespace tilewall
