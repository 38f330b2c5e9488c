#include "wallconfigs/picture_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sync/base/terminal_text.hpp"
#include "wallconfigs/eye_view.hpp"

namespace tilewall::wall {
namespace {

// A flat picture grows with the tangent of the angle: at 85 degrees to a side it is eleven times as
// wide as the distance to it on each side.
constexpr double max_view_angle_deg = 85;
constexpr double max_turn_deg = 89;
constexpr double max_flat_arc_deg = 180;
constexpr double least_eye_distance_mm = 1;

/// The plane that a flat picture is painted on.
struct PicturePlane {
  Vec3d middle;
  Facing facing;
};

PicturePlane plane_of(const Wall& wall) {
  Pose pose;
  if (wall.arc) {
    const Arc& arc = *wall.arc;
    const double middle_deg =
        arc.start_angle_deg + (arc.screens(wall.columns) - 1) * arc.increment_deg / 2;
    const double angle = middle_deg * std::numbers::pi / 180;
    pose.centre_mm = {arc.radius_mm * std::sin(angle), 0, arc.radius_mm * (1 - std::cos(angle))};
    pose.yaw_deg = -middle_deg;
  }
  return {vec3d(pose.centre_mm), facing_of(pose)};
}

double degrees(double radians) { return radians * 180 / std::numbers::pi; }

/// The widest angle between straight ahead and a corner of the panel, seen from the eye point.
double view_angle_deg(const Panel& panel, const PicturePlane& plane, Vec3d eye) {
  const PicturePart part = picture_part_of(panel, BezelMode::show);
  const SizePx viewed = panel.viewed_size_px();
  double widest = 0;
  for (const int x : {0, viewed.width})
    for (const int y : {0, viewed.height}) {
      const Vec3d to_corner = part.at(x, y) - eye;
      const double aside =
          std::hypot(dot(to_corner, plane.facing.right), dot(to_corner, plane.facing.up));
      widest = std::max(widest, std::atan2(aside, -dot(to_corner, plane.facing.out)));
    }
  return degrees(widest);
}

std::optional<ContentObstacle> eye_content_obstacle(const Wall& wall) {
  if (auto obstacle = eye_obstacle(wall)) return obstacle;
  const PicturePlane plane = plane_of(wall);
  const Vec3d eye = vec3d(wall.eye_mm);
  for (const Panel& panel : wall.panels)
    if (const double angle = view_angle_deg(panel, plane, eye); angle > max_view_angle_deg)
      return ContentObstacle{
          fmt::format("screens within {:.0f} degrees of straight ahead, seen from the eye point",
                      max_view_angle_deg),
          fmt::format("{} at {:.4g}", escaped_text(panel.name), angle)};
  if (dot(eye - plane.middle, plane.facing.out) < least_eye_distance_mm)
    return ContentObstacle{"an eye point in front of the wall's middle", "one behind it"};
  return std::nullopt;
}

std::optional<ContentObstacle> flat_content_obstacle(const Wall& wall) {
  if (wall.arc) {
    const double all_deg = wall.arc->screens(wall.columns) * wall.arc->increment_deg;
    if (all_deg > max_flat_arc_deg)
      return ContentObstacle{fmt::format("an arc of at most {:.0f} degrees", max_flat_arc_deg),
                             fmt::format("{:.6g}", all_deg)};
  }
  const Vec3d forward = plane_of(wall).facing.out;
  for (const Panel& panel : wall.panels) {
    const double turn =
        degrees(std::acos(std::clamp(dot(facing_of(panel.pose).out, forward), -1.0, 1.0)));
    if (turn > max_turn_deg)
      return ContentObstacle{fmt::format("screens turned by at most {:.0f} degrees", max_turn_deg),
                             fmt::format("{} turned by {:.4g}", escaped_text(panel.name), turn)};
  }
  return std::nullopt;
}

/// Small pixels on screens far from the plane become many pixels of the canvas.
std::optional<ContentObstacle> canvas_obstacle(const Wall& wall, ContentMode mode) {
  for (const BezelMode bezels : {BezelMode::hide, BezelMode::show}) {
    const SizePx size_px = Canvas(wall, bezels, mode).size_px();
    if (std::max(size_px.width, size_px.height) > max_canvas_side_px)
      return ContentObstacle{fmt::format("a canvas of at most {} px a side", max_canvas_side_px),
                             fmt::format("{} x {} px", size_px.width, size_px.height)};
  }
  return std::nullopt;
}

/// Place on the plane by projection at right angles: x and y of a direction or a place.
PointF on_plane(Vec3d v, const PicturePlane& plane) {
  return {dot(v, plane.facing.right), -dot(v, plane.facing.up)};
}

PanelMap flat_map(const PicturePart& part, const PicturePlane& plane) {
  const PointF across = on_plane(part.across, plane);
  const PointF down = on_plane(part.down, plane);
  const PointF origin = on_plane(part.upper_left - plane.middle, plane);
  return PanelMap({across.x, down.x, origin.x, across.y, down.y, origin.y, 0, 0, 1});
}

/// A place p is seen at eye + (p - eye) * distance / depth(p), where depth is measured along the
/// plane's axis: the map's third row.
PanelMap eye_map(const PicturePart& part, const PicturePlane& plane, Vec3d eye) {
  const double distance = dot(eye - plane.middle, plane.facing.out);
  const PointF across = on_plane(part.across, plane);
  const PointF down = on_plane(part.down, plane);
  const PointF origin = on_plane(part.upper_left - eye, plane);
  const auto depth = [&](Vec3d v) { return -dot(v, plane.facing.out) / distance; };
  return PanelMap({across.x, down.x, origin.x, across.y, down.y, origin.y, depth(part.across),
                   depth(part.down), depth(part.upper_left - eye)});
}

}  // namespace

std::optional<ContentObstacle> content_obstacle(const Wall& wall, ContentMode mode) {
  if (mode == ContentMode::arc_length || wall.flat()) return std::nullopt;
  auto obstacle =
      mode == ContentMode::eye ? eye_content_obstacle(wall) : flat_content_obstacle(wall);
  return obstacle ? obstacle : canvas_obstacle(wall, mode);
}

std::optional<ContentObstacle> eye_obstacle(const Wall& wall) {
  const Vec3d eye = vec3d(wall.eye_mm);
  for (const Panel& panel : wall.panels) {
    const Vec3d to_eye = eye - vec3d(panel.pose.centre_mm);
    if (dot(to_eye, facing_of(panel.pose).out) < least_eye_distance_mm)
      return ContentObstacle{"an eye point in front of every screen",
                             fmt::format("[{:.6g}, {:.6g}, {:.6g}], on or behind {}", eye.x, eye.y,
                                         eye.z, escaped_text(panel.name))};
  }
  return std::nullopt;
}

std::array<double, 3> default_eye_mm(const Wall& wall) {
  return {0, 0, wall.arc ? wall.arc->radius_mm : wall.lit_box_mm().width};
}

std::vector<PanelMap> maps_onto_plane(const Wall& wall, BezelMode bezels, ContentMode mode) {
  const PicturePlane plane = plane_of(wall);
  std::vector<PanelMap> maps;
  for (const Panel& panel : wall.panels) {
    const PicturePart part = picture_part_of(panel, bezels);
    maps.push_back(mode == ContentMode::eye ? eye_map(part, plane, vec3d(wall.eye_mm))
                                            : flat_map(part, plane));
  }
  return maps;
}

}  // namespace tilewall::wall
