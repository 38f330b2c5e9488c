#include "wallconfigs/eye_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "wallconfigs/picture_plane.hpp"

namespace tilewall::wall {

namespace {

// Least cosine of an angle from straight ahead: 85 degrees.
constexpr double least_ahead = 0.087;
// Least sine between straight ahead and straight up; below it the up direction is too uncertain.
constexpr double least_across = 0.01;

Vec3d place_of(const ScreenFromEye& screen, PointF canvas_px) noexcept {
  return screen.corner_mm + (canvas_px.x - screen.canvas_px.x) * screen.across_mm +
         (canvas_px.y - screen.canvas_px.y) * screen.down_mm;
}

double distance_px(const RectF& rect, PointF at) noexcept {
  return std::hypot(std::max({rect.x - at.x, at.x - rect.right(), 0.0}),
                    std::max({rect.y - at.y, at.y - rect.bottom(), 0.0}));
}

/// Place on the plane in its pixels from its middle, in homogeneous coordinates.
std::array<double, 3> on_plane(Vec3d place, const RegionPlane& plane) noexcept {
  const auto share = [&](Vec3d of) { return dot(place, of) / dot(of, of); };
  return {share(plane.right_mm), share(plane.down_mm), share(plane.middle_mm)};
}

std::optional<RectF> seen_px(std::span<const ScreenFromEye> screens, const RegionPlane& plane,
                             const RectF& region_px) noexcept {
  constexpr double none = std::numeric_limits<double>::max();
  PointF low{none, none};
  PointF high{-none, -none};
  for (const ScreenFromEye& screen : screens) {
    const RectF part = intersection(screen.canvas_px, region_px);
    if (part.empty()) continue;
    for (const double x : {part.x, part.right()})
      for (const double y : {part.y, part.bottom()}) {
        const Vec3d corner = place_of(screen, {x, y});
        if (dot(normalized(corner), normalized(plane.middle_mm)) < least_ahead) return std::nullopt;
        const auto [across, down, ahead] = on_plane(corner, plane);
        low = {std::min(low.x, across / ahead), std::min(low.y, down / ahead)};
        high = {std::max(high.x, across / ahead), std::max(high.y, down / ahead)};
      }
  }
  if (low.x > high.x) return RectF{0, 0, region_px.width, region_px.height};
  return RectF{low.x + region_px.width / 2, low.y + region_px.height / 2, high.x - low.x,
               high.y - low.y};
}

}  // namespace

std::vector<ScreenFromEye> screens_from_eye(const Wall& wall, BezelMode bezels) {
  if (wall.flat() || eye_obstacle(wall)) return {};
  const Canvas canvas(wall, bezels, ContentMode::arc_length);
  std::vector<ScreenFromEye> screens;
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    const PicturePart part = picture_part_of(wall.panels[i], bezels);
    const SizePx viewed = wall.panels[i].viewed_size_px();
    const RectF& rect = canvas.panel_rect_px(i);
    screens.push_back({rect, part.upper_left - vec3d(wall.eye_mm),
                       viewed.width / rect.width * part.across,
                       viewed.height / rect.height * part.down});
  }
  return screens;
}

RegionPlane region_plane(std::span<const ScreenFromEye> screens, const RectF& region_px) noexcept {
  const PointF middle{region_px.x + region_px.width / 2, region_px.y + region_px.height / 2};
  const ScreenFromEye& nearest = *std::min_element(
      screens.begin(), screens.end(), [&](const ScreenFromEye& a, const ScreenFromEye& b) {
        return distance_px(a.canvas_px, middle) < distance_px(b.canvas_px, middle);
      });
  RegionPlane plane;
  plane.middle_mm = place_of(nearest, middle);
  const Vec3d ahead = normalized(plane.middle_mm);
  Vec3d right = cross(ahead, {0, 1, 0});
  if (length(right) < least_across)
    right = nearest.across_mm - dot(nearest.across_mm, ahead) * ahead;
  right = normalized(right);
  const double pixel_mm = length(nearest.down_mm);
  plane.right_mm = pixel_mm * right;
  plane.down_mm = pixel_mm * cross(ahead, right);
  plane.seen_px = seen_px(screens, plane, region_px);
  return plane;
}

double true_fov_rad(const RegionPlane& plane, const RectF& region_px) noexcept {
  return 2 * std::atan(region_px.height / 2 * length(plane.down_mm) / length(plane.middle_mm));
}

PanelMap onto_plane(const ScreenFromEye& screen, const RegionPlane& plane,
                    const RectF& region_px) noexcept {
  const std::array<double, 3> across = on_plane(screen.across_mm, plane);
  const std::array<double, 3> down = on_plane(screen.down_mm, plane);
  const std::array<double, 3> first = on_plane(place_of(screen, {region_px.x, region_px.y}), plane);
  return PanelMap({across[0], down[0], first[0], across[1], down[1], first[1], across[2], down[2],
                   first[2]})
      .moved({region_px.width / 2, region_px.height / 2});
}

namespace {

struct Turn {
  double sine;
  double cosine;
  explicit Turn(double angle_deg)
      : sine(std::sin(angle_deg * std::numbers::pi / 180)),
        cosine(std::cos(angle_deg * std::numbers::pi / 180)) {}
};

}  // namespace

Facing facing_of(const Pose& pose) noexcept {
  const Turn yaw(pose.yaw_deg);
  const Turn pitch(pose.pitch_deg);
  const Turn roll(pose.roll_deg);
  const Vec3d right = {yaw.cosine, 0, -yaw.sine};
  const Vec3d out_level = {yaw.sine, 0, yaw.cosine};
  const Vec3d up = pitch.cosine * Vec3d{0, 1, 0} + pitch.sine * out_level;
  const Vec3d out = pitch.cosine * out_level - pitch.sine * Vec3d{0, 1, 0};
  return {roll.cosine * right + roll.sine * up, roll.cosine * up - roll.sine * right, out};
}

PicturePart picture_part_of(const Panel& panel, BezelMode bezels) noexcept {
  const Facing facing = facing_of(panel.pose);
  const SidesMm frame = bezels == BezelMode::show ? panel.bezel_mm : SidesMm{};
  const SizePx viewed = panel.viewed_size_px();
  const double width_mm = frame.left + panel.size_mm.width + frame.right;
  const double height_mm = frame.top + panel.size_mm.height + frame.bottom;
  const Vec3d upper_left = vec3d(panel.pose.centre_mm) -
                           (panel.size_mm.width / 2 + frame.left) * facing.right +
                           (panel.size_mm.height / 2 + frame.top) * facing.up;
  return {upper_left, width_mm / viewed.width * facing.right,
          -height_mm / viewed.height * facing.up};
}

}  // namespace tilewall::wall
