#include "wallconfigs/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace tilewall::wall {
namespace {

/// One axis of the grid: where each column (or row) begins and how long it is, frames included.
struct GridAxis {
  std::vector<double> sizes_mm;
  std::vector<double> starts_mm;
};

/// Rounds to a nanometre, so that sums of decimals read as they were written.
double tidy(double mm) { return std::round(mm * 1e6) / 1e6; }

GridAxis axis_of(std::vector<double> sizes_mm, double overlap_mm) {
  // A column of holes only is as wide as the widest other column.
  const double widest = *std::max_element(sizes_mm.begin(), sizes_mm.end());
  GridAxis axis;
  double start = 0;
  for (double& size : sizes_mm) {
    if (size == 0) size = widest;
    axis.starts_mm.push_back(start);
    start += size - overlap_mm;
  }
  axis.sizes_mm = std::move(sizes_mm);
  return axis;
}

/// Moves the grid so that the lit areas of the panels in it begin at (0, 0).
void move_to_origin(Wall& wall, std::span<PanelPlace> places) {
  PointMm origin = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  for (const PanelPlace& place : places) {
    if (place.placed) continue;
    origin.x = std::min(origin.x, place.panel.position_mm.x);
    origin.y = std::min(origin.y, place.panel.position_mm.y);
  }
  if (origin.x == std::numeric_limits<double>::max()) return;
  for (PanelPlace& place : places) {
    if (place.placed) continue;
    place.panel.position_mm.x = tidy(place.panel.position_mm.x - origin.x);
    place.panel.position_mm.y = tidy(place.panel.position_mm.y - origin.y);
  }
  for (Hole& hole : wall.holes) {
    hole.cell_mm.x = tidy(hole.cell_mm.x - origin.x);
    hole.cell_mm.y = tidy(hole.cell_mm.y - origin.y);
  }
}

/// A screen of an arc: the panels of its columns, in one plane.
struct Screen {
  double left_mm = std::numeric_limits<double>::max();  ///< left and right edge of the frames
  double right_mm = std::numeric_limits<double>::lowest();
  [[nodiscard]] double centre_mm() const { return (left_mm + right_mm) / 2; }
};

std::vector<Screen> screens_of(const Wall& wall, const Arc& arc) {
  std::vector<Screen> screens(static_cast<std::size_t>(arc.screens(wall.columns)));
  for (const Panel& panel : wall.panels) {
    Screen& screen = screens[static_cast<std::size_t>(panel.column / arc.columns_per_screen)];
    screen.left_mm = std::min(screen.left_mm, panel.frame_mm().x);
    screen.right_mm = std::max(screen.right_mm, panel.frame_mm().right());
  }
  return screens;
}

Pose pose_on_arc(const Arc& arc, int screen, double right_of_centre_mm, double up_mm) {
  const double angle_deg = arc.start_angle_deg + screen * arc.increment_deg;
  const double angle = angle_deg * std::numbers::pi / 180;
  Pose pose;
  pose.centre_mm = {
      tidy(arc.radius_mm * std::sin(angle) + right_of_centre_mm * std::cos(angle)), up_mm,
      tidy(arc.radius_mm * (1 - std::cos(angle)) + right_of_centre_mm * std::sin(angle))};
  pose.yaw_deg = angle_deg == 0 ? 0 : -angle_deg;
  return pose;
}

}  // namespace

std::string place_name(int column, int row) { return fmt::format("c{}r{}", column, row); }

void place_in_grid(Wall& wall, std::span<PanelPlace> places) {
  std::vector<double> widths(static_cast<std::size_t>(wall.columns));
  std::vector<double> heights(static_cast<std::size_t>(wall.rows));
  const bool all_placed = std::all_of(places.begin(), places.end(),
                                      [](const PanelPlace& place) { return place.placed; });
  for (const PanelPlace& place : places) {
    if (place.placed && !all_placed) continue;  // a large panel elsewhere does not widen the grid
    const RectF frame = place.panel.frame_mm();
    double& width = widths[static_cast<std::size_t>(place.panel.column)];
    double& height = heights[static_cast<std::size_t>(place.panel.row)];
    width = std::max(width, frame.width);
    height = std::max(height, frame.height);
  }
  const GridAxis columns = axis_of(std::move(widths), wall.overlap_mm.horizontal);
  const GridAxis rows = axis_of(std::move(heights), wall.overlap_mm.vertical);
  const auto cell = [&](int column, int row) {
    const auto c = static_cast<std::size_t>(column);
    const auto r = static_cast<std::size_t>(row);
    return RectF{columns.starts_mm[c], rows.starts_mm[r], columns.sizes_mm[c], rows.sizes_mm[r]};
  };
  for (PanelPlace& place : places) {
    if (place.placed) continue;
    Panel& panel = place.panel;
    const RectF room = cell(panel.column, panel.row);
    const RectF frame = panel.frame_mm();
    panel.position_mm = {room.x + (room.width - frame.width) / 2 + panel.bezel_mm.left,
                         room.y + (room.height - frame.height) / 2 + panel.bezel_mm.top};
  }
  for (Hole& hole : wall.holes) hole.cell_mm = cell(hole.column, hole.row);
  move_to_origin(wall, places);
}

void stand_panels(Wall& wall) {
  const RectF box = wall.lit_box_mm();
  const std::vector<Screen> screens =
      wall.arc ? screens_of(wall, *wall.arc) : std::vector<Screen>{};
  for (Panel& panel : wall.panels) {
    const double x = panel.position_mm.x + panel.size_mm.width / 2;
    const double up_mm =
        tidy(box.y + box.height / 2 - panel.position_mm.y - panel.size_mm.height / 2);
    if (wall.arc) {
      const int screen = panel.column / wall.arc->columns_per_screen;
      const double centre_mm = screens[static_cast<std::size_t>(screen)].centre_mm();
      panel.pose = pose_on_arc(*wall.arc, screen, x - centre_mm, up_mm);
    } else {
      panel.pose.centre_mm = {tidy(x - box.x - box.width / 2), up_mm, 0};
    }
  }
}

double touching_radius_mm(const Wall& wall, const Arc& arc) {
  double widest_mm = 0;
  for (const Screen& screen : screens_of(wall, arc))
    widest_mm = std::max(widest_mm, screen.right_mm - screen.left_mm);
  return tidy(widest_mm / 2 / std::tan(arc.increment_deg / 2 * std::numbers::pi / 180));
}

}  // namespace tilewall::wall
