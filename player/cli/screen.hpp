// The screen that windows will open on.
#pragma once

#include <optional>

#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// Size of the X screen that DISPLAY names; empty where it cannot be opened.
[[nodiscard]] std::optional<SizePx> screen_px();

}  // namespace tilewall
