// A wall whose screens do not stand in one plane, as its eye point sees it: the rays that casters
// of scenes in space send through panels' pixels.
//
// This concerns content mode arc_length, whose canvas decides which pixels a region has, while the
// poses decide where they are. A region has a flat picture of its own, on a plane through the
// region's middle that faces the eye. Each panel sees through that picture: a pixel's ray goes from
// the eye through the pixel's place in the room, and where the ray meets the plane is the pixel's
// place in the flat picture. So a picture goes on across seams, and straight lines are straight for
// a viewer at the eye point. At the region's middle the plane's pixels are as long as the screen's
// pixels are high, so a flat wall of the same size has the same picture near the middle.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sync/base/vec3d.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

// Places and directions in the room: millimetres, x right, y up, z towards the viewer (see Pose).

/// Directions of a plane, each of length 1.
struct Facing {
  Vec3d right;
  Vec3d up;
  Vec3d out;  ///< Towards the viewer
};

/// Directions of a panel: turned by its yaw, then about its own new axes by pitch and roll.
[[nodiscard]] Facing facing_of(const Pose& pose) noexcept;

/// The part of a panel that its picture fills: the lit area or, with bezels shown, everything
/// within its frame.
struct PicturePart {
  Vec3d upper_left;
  Vec3d across;  ///< Along a pixel as seen
  Vec3d down;

  [[nodiscard]] Vec3d at(double x_px, double y_px) const noexcept {
    return upper_left + x_px * across + y_px * down;
  }
};
[[nodiscard]] PicturePart picture_part_of(const Panel& panel, BezelMode bezels) noexcept;

/// The part of a panel that its picture fills, in millimetres from the eye point.
struct ScreenFromEye {
  RectF canvas_px;  ///< Place on the canvas of content mode arc_length
  Vec3d corner_mm;  ///< Upper left corner
  Vec3d across_mm;  ///< Along a canvas pixel
  Vec3d down_mm;
};

/// One screen per panel. Empty where the wall is flat, or where the eye point is not in front of
/// every screen.
[[nodiscard]] std::vector<ScreenFromEye> screens_from_eye(const Wall& wall, BezelMode bezels);

/// The plane of a region's flat picture.
struct RegionPlane {
  Vec3d middle_mm;  ///< Middle of the region from the eye point; at right angles to the other two
  Vec3d right_mm;   ///< Along a pixel of the flat picture
  Vec3d down_mm;
  /// Part of the flat picture that all panels together see, in its pixels. The origin is the upper
  /// left corner of a flat picture of the region's size. Empty where they see more than a plane
  /// holds.
  std::optional<RectF> seen_px;
};

/// @pre there are screens
[[nodiscard]] RegionPlane region_plane(std::span<const ScreenFromEye> screens,
                                       const RectF& region_px) noexcept;

/// The angle under which the eye sees a region's height on its plane, in radians: a camera with
/// this field of view shows everything in its true direction.
[[nodiscard]] double true_fov_rad(const RegionPlane& plane, const RectF& region_px) noexcept;

/// Map from the region's canvas pixels on that screen, counted from the region's upper left corner,
/// to pixels of its flat picture, counted like seen_px. Its third row is above 0 for places ahead
/// of the eye.
[[nodiscard]] PanelMap onto_plane(const ScreenFromEye& screen, const RegionPlane& plane,
                                  const RectF& region_px) noexcept;

}  // namespace tilewall::wall
