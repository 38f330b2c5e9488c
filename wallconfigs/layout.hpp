// Computes where panels hang on the wall and stand in the room, from a validated file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

/// Pixel pitch of panels whose file gives no millimetres: about 100 dpi.
inline constexpr double default_mm_per_px = 0.25;

/// Lit areas count as abutting within this distance; tape measures are no more exact.
inline constexpr double touching_mm = 0.1;

/// A panel whose position is still to be computed.
struct PanelPlace {
  Panel panel;
  bool placed = false;  ///< position_mm comes from the file
  int line = 0;         ///< Line about the panel in the file; 0 = none
};

/// "c<column>r<row>", the name of a panel that has none in the file.
[[nodiscard]] std::string place_name(int column, int row);

/// Gives every panel that is not `placed` its position_mm, and every hole of `wall` its cell.
/// Columns are as wide and rows as high as the largest frame in them, each frame is in the middle
/// of its cell, and cells overlap by wall.overlap_mm.
void place_in_grid(Wall& wall, std::span<PanelPlace> places);

/// Gives every panel of the wall its pose in the wall's plane or on its arc. @pre panels have
/// positions
void stand_panels(Wall& wall);

/// The radius at which the frames of neighbouring screens of `arc` touch. @pre panels have
/// positions
[[nodiscard]] double touching_radius_mm(const Wall& wall, const Arc& arc);

}  // namespace tilewall::wall
