// The wall of shows without --wall: a configured wall file, else a small wall for this screen.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

/// The paths at which a wall file is looked for if TILEWALL_WALL is not set, in this order: the
/// user's configuration folder, the system's, the installation's (PREFIX/etc beside PREFIX/bin).
[[nodiscard]] std::vector<std::filesystem::path> default_wall_files();

/// The file of TILEWALL_WALL, else the first of default_wall_files() that exists, else
/// small_wall(). Throws InputError if the file of TILEWALL_WALL does not exist, or the file found
/// is no valid wall file.
[[nodiscard]] wall::Wall default_wall(bool headless);

/// A 5x3 wall in the middle of the desktop's work area. Headless, or without a display, it has the
/// size for a screen of 1280x800 pixels.
[[nodiscard]] wall::Wall small_wall(bool headless);

/// The work area of the current desktop, in pixels: of `areas`, four numbers for each desktop
/// (_NET_WORKAREA), those of the desktop that `desktops` names (_NET_CURRENT_DESKTOP), or the first
/// ones where it names none. Empty where these are missing, or no part of the screen.
[[nodiscard]] std::optional<RectPx> work_area_of(const std::vector<long>& areas,
                                                 const std::vector<long>& desktops, SizePx screen);

/// The part of the X screen of DISPLAY that the desktop's bars leave free (_NET_WORKAREA of the
/// current desktop), else the whole screen. Empty if the display cannot be opened.
[[nodiscard]] std::optional<RectPx> work_area_px();

}  // namespace tilewall::cli
