// The screen that windows will open on.
#pragma once

#include <optional>

#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// The part of the X screen that DISPLAY names which the desktop's own bars leave free
/// (_NET_WORKAREA of the current desktop), else all of that screen; empty where the display cannot
/// be opened.
[[nodiscard]] std::optional<RectPx> work_area_px();

}  // namespace tilewall
