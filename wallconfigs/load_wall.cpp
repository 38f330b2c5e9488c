#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sync/base/error.hpp"
#include "sync/base/terminal_text.hpp"
#include "wallconfigs/advice.hpp"
#include "wallconfigs/grid_specs.hpp"
#include "wallconfigs/layout.hpp"
#include "wallconfigs/picture_plane.hpp"
#include "wallconfigs/wall_file.hpp"

namespace tilewall::wall {
namespace {

constexpr double mm_per_inch = 25.4;

[[noreturn]] void refuse(const WallFile& file, int line, std::string_view field,
                         std::string_view expected, std::string_view found) {
  throw InputError({file.file, line}, field, expected, found);
}

SizeMm upright_size_mm(const PanelSpec& spec) {
  if (spec.size_mm) return *spec.size_mm;
  const double width_px = spec.size_px->width;
  const double height_px = spec.size_px->height;
  const double mm_per_px =
      spec.diagonal_inches ? *spec.diagonal_inches * mm_per_inch / std::hypot(width_px, height_px)
                           : default_mm_per_px;
  return {width_px * mm_per_px, height_px * mm_per_px};
}

/// The sides as seen from the front once the panel is turned clockwise.
SidesMm turned(SidesMm upright, Rotation rotation) {
  SidesMm sides = upright;
  for (int quarter = 0; quarter < static_cast<int>(rotation); ++quarter)
    sides = {.left = sides.bottom, .right = sides.top, .top = sides.left, .bottom = sides.right};
  return sides;
}

PanelPlace make_place(const WallFile& file, const GridSpec& grid, int column, int row) {
  const PanelSpec& spec = grid.spec;
  if (!spec.size_px)
    refuse(file, grid.line, fmt::format("panel at column {}, row {}", column, row),
           "its size_px (here or in [panels]) or a [[hole]]", "neither");
  if (spec.bezel_mm && spec.bezel_mm->any() && !spec.size_mm && !spec.diagonal_inches)
    refuse(file, spec.line, spec.field + ".bezel_mm", "size_mm or diagonal_inches beside it",
           "neither");
  PanelPlace place;
  place.line = grid.line;
  place.placed = spec.position_mm.has_value();
  Panel& panel = place.panel;
  panel.name = grid.name;
  panel.column = column;
  panel.row = row;
  panel.size_px = *spec.size_px;
  panel.rotation = spec.rotation.value_or(Rotation::deg0);
  const SizeMm upright = upright_size_mm(spec);
  panel.size_mm = panel.turned_sideways() ? SizeMm{upright.height, upright.width} : upright;
  panel.bezel_mm = turned(spec.bezel_mm.value_or(SidesMm{}), panel.rotation);
  panel.position_mm = spec.position_mm.value_or(PointMm{});
  panel.host = spec.host.value_or("");
  panel.display = spec.display.value_or("");
  panel.window_px = spec.window_px;
  panel.critical = spec.critical.value_or(false);
  panel.color = spec.color.value_or(ColorMatch{});
  return place;
}

std::vector<PanelPlace> make_places(const WallFile& file, const std::vector<GridSpec>& grid) {
  std::vector<PanelPlace> places;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (grid[i].hole) continue;
    const int index = static_cast<int>(i);
    places.push_back(make_place(file, grid[i], index % file.columns, index / file.columns));
  }
  if (places.empty()) refuse(file, 0, "hole", "at least one panel on the wall", "holes only");
  return places;
}

/// The wall's hosts; where the file has no [[host]], those that its panels name.
std::vector<Host> make_hosts(const WallFile& file) {
  std::vector<Host> hosts;
  for (const HostSpec& spec : file.hosts) hosts.push_back({spec.name, spec.address});
  for (const PanelSpec& spec : file.panels) {
    if (!spec.host) continue;
    const auto same = [&](const Host& host) { return host.name == *spec.host; };
    if (std::none_of(hosts.begin(), hosts.end(), same)) hosts.push_back({*spec.host, *spec.host});
  }
  return hosts;
}

OverlapMm make_overlap(const WallFile& file, std::span<const PanelPlace> places) {
  if (!file.overlap) return {};
  OverlapMm overlap = file.overlap->mm;
  std::vector<Panel> panels;
  for (const PanelPlace& place : places) panels.push_back(place.panel);
  const Density density = commonest_density(panels);
  if (file.overlap->horizontal_px)
    overlap.horizontal = *file.overlap->horizontal_px / density.x_px_per_mm;
  if (file.overlap->vertical_px)
    overlap.vertical = *file.overlap->vertical_px / density.y_px_per_mm;
  for (const Panel& panel : panels) {
    const SidesMm& bezel = panel.bezel_mm;
    const bool framed = (overlap.horizontal > 0 && (bezel.left > 0 || bezel.right > 0)) ||
                        (overlap.vertical > 0 && (bezel.top > 0 || bezel.bottom > 0));
    if (framed)
      refuse(file, file.overlap->line, "overlap", "panels without bezels where they overlap",
             "bezels on " + escaped_text(panel.name));
    if (overlap.horizontal >= panel.size_mm.width || overlap.vertical >= panel.size_mm.height)
      refuse(file, file.overlap->line, "overlap", "less than a panel's size",
             fmt::format("{:.6g} x {:.6g} mm on {} of {:.6g} x {:.6g} mm", overlap.horizontal,
                         overlap.vertical, escaped_text(panel.name), panel.size_mm.width,
                         panel.size_mm.height));
  }
  return overlap;
}

/// Whether neighbours `a` and `b` may share `shared` of their lit areas.
bool overlap_is_declared(const Wall& wall, const Panel& a, const Panel& b, const RectF& shared) {
  const bool beside = std::abs(a.column - b.column) == 1;
  const bool below = std::abs(a.row - b.row) == 1;
  return (beside && shared.width <= wall.overlap_mm.horizontal + touching_mm) ||
         (below && shared.height <= wall.overlap_mm.vertical + touching_mm);
}

void check_overlaps(const WallFile& file, const Wall& wall, std::span<const PanelPlace> places) {
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    for (std::size_t j = i + 1; j < wall.panels.size(); ++j) {
      const Panel& a = wall.panels[i];
      const Panel& b = wall.panels[j];
      const RectF shared = intersection(a.lit_mm(), b.lit_mm());
      if (shared.width <= touching_mm || shared.height <= touching_mm) continue;
      if (overlap_is_declared(wall, a, b, shared)) continue;
      refuse(file, std::max(places[i].line, places[j].line),
             fmt::format("panels {} and {}", escaped_text(a.name), escaped_text(b.name)),
             file.overlap ? "lit areas that overlap by no more than [overlap] says"
                          : "lit areas that do not overlap (or an [overlap] that says so)",
             fmt::format("an overlap of {:.6g} x {:.6g} mm", shared.width, shared.height));
    }
  }
}

void check_canvas(const WallFile& file, const Wall& wall) {
  const Density density = commonest_density(wall.panels);
  const RectF box = wall.lit_box_mm();
  const double width_px = box.width * density.x_px_per_mm;
  const double height_px = box.height * density.y_px_per_mm;
  if (std::max(width_px, height_px) > max_canvas_side_px)
    refuse(file, 0, "canvas", fmt::format("at most {} px a side", max_canvas_side_px),
           fmt::format("{:.6g} x {:.6g} px", width_px, height_px));
}

std::optional<Arc> make_arc(const WallFile& file, const Wall& wall) {
  if (!file.arc) return {};
  Arc arc;
  arc.increment_deg = file.arc->increment_deg;
  arc.columns_per_screen = file.arc->columns_per_screen;
  const int steps = arc.screens(wall.columns) - 1;
  arc.start_angle_deg = file.arc->start_angle_deg.value_or(-steps * arc.increment_deg / 2);
  arc.radius_mm = file.arc->radius_mm ? *file.arc->radius_mm : touching_radius_mm(wall, arc);
  return arc;
}

void apply_pose(const PoseSpec& spec, Pose& pose) {
  if (spec.centre_mm) pose.centre_mm = *spec.centre_mm;
  if (spec.yaw_deg) pose.yaw_deg = *spec.yaw_deg;
  if (spec.pitch_deg) pose.pitch_deg = *spec.pitch_deg;
  if (spec.roll_deg) pose.roll_deg = *spec.roll_deg;
}

void apply_own_poses(const WallFile& file, Wall& wall) {
  for (const PanelSpec& spec : file.panels) {
    if (!spec.pose) continue;
    for (Panel& panel : wall.panels)
      if (panel.column == spec.column && panel.row == spec.row) apply_pose(*spec.pose, panel.pose);
  }
}

/// Chooses content mode and eye point. @pre panels have poses
void choose_content(const WallFile& file, Wall& wall) {
  wall.eye_mm = file.eye_mm.value_or(default_eye_mm(wall));
  if (const auto obstacle = eye_obstacle(wall); obstacle && file.eye_mm)
    refuse(file, file.eye_line, file.eye_field, obstacle->expected, obstacle->found);
  if (!file.arc) return;
  wall.content = file.arc->content;
  if (const auto obstacle = content_obstacle(wall, wall.content))
    refuse(file, file.arc->content_line, "arc.content", obstacle->expected, obstacle->found);
}

Wall make_wall(const WallFile& file) {
  Wall wall;
  wall.name = file.name;
  wall.file = file.file;
  wall.columns = file.columns;
  wall.rows = file.rows;
  const std::vector<GridSpec> grid = make_grid_specs(file);
  std::vector<PanelPlace> places = make_places(file, grid);
  for (const HoleSpec& hole : file.holes)
    wall.holes.push_back({hole.name, hole.column, hole.row, {}});
  wall.hosts = make_hosts(file);
  wall.overlap_mm = make_overlap(file, places);
  if (file.overlap) wall.edge_blend = file.overlap->blend;
  place_in_grid(wall, places);
  for (const PanelPlace& place : places) {
    wall.panels.push_back(place.panel);
    wall.has_bezels = wall.has_bezels || place.panel.bezel_mm.any();
  }
  check_overlaps(file, wall, places);
  check_canvas(file, wall);
  wall.arc = make_arc(file, wall);
  stand_panels(wall);
  apply_own_poses(file, wall);
  choose_content(file, wall);
  if (!file.clock_addresses.empty()) wall.clock_address = file.clock_addresses[0];
  if (file.clock_addresses.size() > 1) wall.standby_clock_address = file.clock_addresses[1];
  wall.control_address = file.control_address;
  return wall;
}

}  // namespace

Wall load_wall(const std::filesystem::path& file) { return make_wall(read_wall_file(file)); }

}  // namespace tilewall::wall
