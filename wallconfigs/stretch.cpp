#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "wallconfigs/advice.hpp"
#include "wallconfigs/picture_plane.hpp"

namespace tilewall::wall {
namespace {

/// The box around the lit areas of all the screen's panels, on the unrolled wall.
RectF lit_box(const Wall& wall, const WallScreen& screen) {
  RectF box = wall.panels[screen.panels.front()].lit_mm();
  for (const std::size_t index : screen.panels) {
    const RectF lit = wall.panels[index].lit_mm();
    const double right = std::max(box.right(), lit.right());
    const double bottom = std::max(box.bottom(), lit.bottom());
    box = {std::min(box.x, lit.x), std::min(box.y, lit.y), 0, 0};
    box.width = right - box.x;
    box.height = bottom - box.y;
  }
  return box;
}

/// Width of a canvas pixel on the panel in millimetres, at that place of the unrolled wall.
double mm_per_canvas_px(const Panel& panel, const PanelMap& map, PointMm at) {
  const SizePx viewed = panel.viewed_size_px();
  const RectF lit = panel.lit_mm();
  const PointF own = {
      std::clamp((at.x - lit.x) / lit.width, 0.0, 1.0) * viewed.width,
      std::clamp((at.y - lit.y) / lit.height, 0.0, 1.0) * viewed.height,
  };
  return lit.width / viewed.width / map.pixel_sides(own).across;
}

Stretch stretch_on(const Wall& wall, const Canvas& canvas, const WallScreen& screen) {
  const RectF box = lit_box(wall, screen);
  const PointMm middle = {box.x + box.width / 2, box.y + box.height / 2};
  const double whole = 1 / canvas.px_per_mm();
  Stretch stretch{1e9, 1, 0};
  double nearest_mm = 1e9;
  for (const std::size_t index : screen.panels) {
    const Panel& panel = wall.panels[index];
    const RectF lit = panel.lit_mm();
    for (const double x : {lit.x, std::clamp(middle.x, lit.x, lit.right()), lit.right()}) {
      const double here = mm_per_canvas_px(panel, canvas.panel_map(index), {x, middle.y}) / whole;
      stretch.least = std::min(stretch.least, here);
      stretch.most = std::max(stretch.most, here);
      if (std::abs(x - middle.x) >= nearest_mm) continue;
      nearest_mm = std::abs(x - middle.x);
      stretch.middle = here;
    }
  }
  return stretch;
}

}  // namespace

std::vector<WallScreen> screens_of(const Wall& wall) {
  // Panels are in one plane where all of these agree: the screen's number, yaw, pitch and roll.
  std::map<std::tuple<int, double, double, double>, WallScreen> screens;
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    const Panel& panel = wall.panels[i];
    const Pose& pose = panel.pose;
    const int across = wall.flat() ? wall.columns : wall.arc ? wall.arc->columns_per_screen : 1;
    const int column = panel.column / across;
    screens[std::tuple(column, pose.yaw_deg, pose.pitch_deg, pose.roll_deg)].panels.push_back(i);
  }
  std::vector<WallScreen> list;
  list.reserve(screens.size());
  for (auto& [plane, screen] : screens) list.push_back(std::move(screen));
  return list;
}

std::vector<Stretch> stretch_of(const Wall& wall, ContentMode content) {
  if (content_obstacle(wall, content)) return {};
  const Canvas canvas(wall, wall.default_bezel_mode(), content);
  std::vector<Stretch> stretches;
  for (const WallScreen& screen : screens_of(wall))
    stretches.push_back(stretch_on(wall, canvas, screen));
  return stretches;
}

}  // namespace tilewall::wall
