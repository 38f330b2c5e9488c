// Where the panels of a wall lie on a flat picture plane, for walls whose screens do not stand in
// one plane.
//
// The picture plane touches an arc in its middle; without an arc it is the plane z = 0 of the
// poses. Content mode eye projects every screen onto it through the eye point, flat at right
// angles. With bezels shown, a panel's picture reaches to its frame's outer edge, so that panels
// abut.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wallconfigs/panel_map.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

/// The largest side of a wall's canvas.
inline constexpr int max_canvas_side_px = 1'000'000;

/// Why a wall has no picture in a content mode, in the words of an InputError.
struct ContentObstacle {
  std::string expected;
  std::string found;
};

/// The reason why the wall has no picture in `mode`; empty where it has one, as always in
/// arc_length and on walls in one plane.
[[nodiscard]] std::optional<ContentObstacle> content_obstacle(const Wall& wall, ContentMode mode);

/// The reason why the eye point is not in front of every screen; empty where it is.
[[nodiscard]] std::optional<ContentObstacle> eye_obstacle(const Wall& wall);

/// Eye point of a wall file that has none: the arc's centre or, without an arc, as far in front of
/// the wall's middle as the wall is wide.
[[nodiscard]] std::array<double, 3> default_eye_mm(const Wall& wall);

/// One map per panel onto the plane, in millimetres, x right, y down, with any origin. @pre mode is
/// eye or flat, and has no content_obstacle()
[[nodiscard]] std::vector<PanelMap> maps_onto_plane(const Wall& wall, BezelMode bezels,
                                                    ContentMode mode);

}  // namespace tilewall::wall
