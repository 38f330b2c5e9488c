// The wall of shows without --wall: a file where walls are configured, else a small one made up.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

/// Where a wall file is looked for when TILEWALL_WALL is not set, in this order: the user's
/// configuration folder, the system's, the installation's (PREFIX/etc beside the program's bin).
[[nodiscard]] std::vector<std::filesystem::path> default_wall_files();

/// TILEWALL_WALL's file, else the first of default_wall_files() that exists, else small_wall().
/// Throws InputError: TILEWALL_WALL names no file, or what was found is no valid wall file.
[[nodiscard]] wall::Wall default_wall(bool headless);

/// A 5x3 that fits into the desktop's work area, in its middle; headless, one of a usual screen.
[[nodiscard]] wall::Wall small_wall(bool headless);

// The screen that windows will open on.

/// The part of the X screen that DISPLAY names which the desktop's own bars leave free
/// (_NET_WORKAREA of the current desktop), else all of that screen; empty where the display cannot
/// be opened.
[[nodiscard]] std::optional<RectPx> work_area_px();

}  // namespace tilewall::cli
