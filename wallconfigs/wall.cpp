#include "wallconfigs/wall.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "wallconfigs/layout.hpp"

namespace tilewall::wall {

SizePx Panel::viewed_size_px() const noexcept {
  return turned_sideways() ? SizePx{size_px.height, size_px.width} : size_px;
}

RectF Panel::lit_mm() const noexcept {
  return {position_mm.x, position_mm.y, size_mm.width, size_mm.height};
}

RectF Panel::frame_mm() const noexcept {
  return {position_mm.x - bezel_mm.left, position_mm.y - bezel_mm.top,
          bezel_mm.left + size_mm.width + bezel_mm.right,
          bezel_mm.top + size_mm.height + bezel_mm.bottom};
}

RectF Wall::lit_box_mm() const noexcept {
  RectF box = panels.front().lit_mm();
  for (const Panel& panel : panels) {
    const RectF lit = panel.lit_mm();
    const double right = std::max(box.right(), lit.right());
    const double bottom = std::max(box.bottom(), lit.bottom());
    box.x = std::min(box.x, lit.x);
    box.y = std::min(box.y, lit.y);
    box.width = right - box.x;
    box.height = bottom - box.y;
  }
  return box;
}

bool Wall::flat() const noexcept {
  return std::all_of(panels.begin(), panels.end(), [](const Panel& panel) {
    const Pose& pose = panel.pose;
    return pose.yaw_deg == 0 && pose.pitch_deg == 0 && pose.roll_deg == 0 && pose.centre_mm[2] == 0;
  });
}

const Host* Wall::find_host(std::string_view host_name) const noexcept {
  const auto found = std::find_if(hosts.begin(), hosts.end(),
                                  [&](const Host& host) { return host.name == host_name; });
  return found == hosts.end() ? nullptr : &*found;
}

Wall one_panel_wall(SizePx size_px) {
  Wall wall;
  wall.name = "one panel";
  wall.columns = wall.rows = 1;
  Panel& panel = wall.panels.emplace_back();
  panel.name = "c0r0";
  panel.size_px = size_px;
  panel.size_mm = {size_px.width * default_mm_per_px, size_px.height * default_mm_per_px};
  return wall;
}

Wall scaled_wall_5x3(SizePx screen_px) {
  Wall wall;
  wall.name = "5x3 on one screen";
  wall.columns = 5;
  wall.rows = 3;
  // The size is 16:10, in whole steps of 16x10 pixels.
  const int steps = std::max(1, std::min(screen_px.width / 5 / 16, screen_px.height / 3 / 10));
  std::vector<PanelPlace> places(15);
  for (std::size_t i = 0; i < places.size(); ++i) {
    Panel& panel = places[i].panel;
    panel.column = static_cast<int>(i) % 5;
    panel.row = static_cast<int>(i) / 5;
    panel.name = place_name(panel.column, panel.row);
    panel.size_px = {16 * steps, 10 * steps};
    panel.size_mm = {panel.size_px.width * default_mm_per_px,
                     panel.size_px.height * default_mm_per_px};
  }
  place_in_grid(wall, places);
  for (PanelPlace& place : places) wall.panels.push_back(std::move(place.panel));
  stand_panels(wall);
  return wall;
}

Wall scaled_wall_5x3(const RectPx& area_px) {
  Wall wall = scaled_wall_5x3(SizePx{area_px.width, area_px.height});
  const SizePx panel_px = wall.panels.front().size_px;
  const PointPx corner = {
      area_px.x + std::max(0, area_px.width - wall.columns * panel_px.width) / 2,
      area_px.y + std::max(0, area_px.height - wall.rows * panel_px.height) / 2};
  for (Panel& panel : wall.panels)
    panel.window_px = {corner.x + panel.column * panel_px.width,
                       corner.y + panel.row * panel_px.height};
  return wall;
}

}  // namespace tilewall::wall
