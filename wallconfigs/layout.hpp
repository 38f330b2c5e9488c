// Where panels hang on the wall and stand in the room, computed from a validated file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

/// Pixel pitch of panels whose file gives no millimetres: about 100 dpi.
inline constexpr double default_mm_per_px = 0.25;

/// Lit areas that meet within this are abutting; tape measures do no better.
inline constexpr double touching_mm = 0.1;

/// A panel on its way into the wall.
struct PanelPlace {
  Panel panel;
  bool placed = false;  ///< position_mm is the file's own
  int line = 0;         ///< where the file speaks of it; 0 = nowhere
};

/// "c<column>r<row>", a panel's name where the file gives none.
[[nodiscard]] std::string place_name(int column, int row);

/// Gives every panel that is not `placed` its position_mm, and every hole of `wall` its cell:
/// columns as wide and rows as high as the largest frame hung in them, each frame in the middle of
/// its cell, cells overlapping as wall.overlap_mm says.
void place_in_grid(Wall& wall, std::span<PanelPlace> places);

/// Gives every panel of the wall its pose in the wall's plane or on its arc. Expects positions.
void stand_panels(Wall& wall);

/// The radius at which the frames of neighbouring screens of `arc` touch. Expects positions.
[[nodiscard]] double touching_radius_mm(const Wall& wall, const Arc& arc);

}  // namespace tilewall::wall
