#include "player/director/changes/wall_layout.hpp"

#include <nlohmann/json.hpp>

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

Json rect_json(const RectF& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

int degrees(wall::Rotation rotation) { return 90 * static_cast<int>(rotation); }

Json panel_place_json(const wall::Panel& panel, const RectF& canvas_px) {
  const SizePx viewed_px = panel.viewed_size_px();
  return {{"panel", panel.name},
          {"host", panel.host},
          {"column", panel.column},
          {"row", panel.row},
          {"size_px", {viewed_px.width, viewed_px.height}},
          {"rotation_deg", degrees(panel.rotation)},
          {"mm", rect_json(panel.lit_mm())},
          {"frame_mm", rect_json(panel.frame_mm())},
          {"canvas_px", rect_json(canvas_px)}};
}

}  // namespace

Json wall_layout_json(const wall::Wall& wall, const wall::Canvas& canvas) {
  const RectF lit_mm = wall.lit_box_mm();
  Json json = {{"type", "wall"},
               {"name", wall.name},
               {"canvas_px", {canvas.size_px().width, canvas.size_px().height}},
               {"lit_mm", {lit_mm.width, lit_mm.height}},
               {"panels", Json::array()},
               {"holes", Json::array()},
               {"arc", nullptr}};
  for (std::size_t i = 0; i < wall.panels.size(); ++i)
    json["panels"].push_back(panel_place_json(wall.panels[i], canvas.panel_rect_px(i)));
  for (const wall::Hole& hole : wall.holes)
    json["holes"].push_back({{"name", hole.name},
                             {"column", hole.column},
                             {"row", hole.row},
                             {"mm", rect_json(hole.cell_mm)}});
  if (wall.arc) json["arc"] = {{"radius_mm", wall.arc->radius_mm}};
  return json;
}

}  // namespace tilewall::director
