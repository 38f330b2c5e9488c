// A wall whose screens do not stand in one plane, as its eye point sees it: where the rays go that
// casters of scenes in space send through panels' pixels.
//
// Content mode arc_length: its canvas says which pixels a region has, the poses where they are. A
// region has a flat picture of its own, on a plane that its middle lies in and that faces the eye,
// and each panel sees through that picture: a pixel's ray is the one from the eye through the
// pixel's place in the room, and where that ray meets the plane is its place in the flat picture.
// So a picture goes on across seams, and straight lines are straight for whoever stands at the eye
// point. The plane has its own pixels, as long at the region's middle as the screen's there are
// high: a flat wall of the same size has the same picture near the middle.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sync/base/vec3d.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::wall {

// Places and directions in the room: millimetres, x right, y up, z towards the viewer (see Pose).

/// A plane's own directions, each of length 1.
struct Facing {
  Vec3d right;
  Vec3d up;
  Vec3d out;  ///< towards who looks at it
};

/// Of a panel: turned by its yaw, then about its own new axes by pitch and roll.
[[nodiscard]] Facing facing_of(const Pose& pose) noexcept;

/// What a panel shows its picture on: the lit area, or with bezels shown all within its frame.
struct PicturePart {
  Vec3d upper_left;
  Vec3d across;  ///< along a pixel as seen
  Vec3d down;

  [[nodiscard]] Vec3d at(double x_px, double y_px) const noexcept {
    return upper_left + x_px * across + y_px * down;
  }
};
[[nodiscard]] PicturePart picture_part_of(const Panel& panel, BezelMode bezels) noexcept;

/// What a panel shows its picture on, in millimetres from the eye point.
struct ScreenFromEye {
  RectF canvas_px;  ///< of content mode arc_length
  Vec3d corner_mm;  ///< its upper left
  Vec3d across_mm;  ///< along a canvas pixel
  Vec3d down_mm;
};

/// One per panel. Empty where the wall is flat, or the eye point not in front of every screen.
[[nodiscard]] std::vector<ScreenFromEye> screens_from_eye(const Wall& wall, BezelMode bezels);

/// The plane of a region's flat picture.
struct RegionPlane {
  Vec3d middle_mm;  ///< the region's, from the eye point; at right angles to the other two
  Vec3d right_mm;   ///< along a pixel of the flat picture
  Vec3d down_mm;
  /// What all panels together see of the flat picture, in its pixels, its origin at the upper left
  /// of a flat picture of the region's size; empty where they see beyond what a plane holds.
  std::optional<RectF> seen_px;
};

/// @pre there are screens
[[nodiscard]] RegionPlane region_plane(std::span<const ScreenFromEye> screens,
                                       const RectF& region_px) noexcept;

/// The angle under which the eye sees a region's height on its plane, in radians: a camera with
/// this field of view shows everything in its true direction.
[[nodiscard]] double true_fov_rad(const RegionPlane& plane, const RectF& region_px) noexcept;

/// From the region's canvas pixels on that screen, counted from the region's upper left, to pixels
/// of its flat picture, counted as seen_px. Its third row is above 0 for what lies ahead.
[[nodiscard]] PanelMap onto_plane(const ScreenFromEye& screen, const RegionPlane& plane,
                                  const RectF& region_px) noexcept;

}  // namespace tilewall::wall
