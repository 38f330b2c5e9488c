#include "player/scene/panel_places.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sync/base/json_fields.hpp"
#include "wallconfigs/picture_plane.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;

constexpr wall::BezelMode both_bezel_modes[] = {wall::BezelMode::hide, wall::BezelMode::show};
constexpr std::size_t max_overlapping = 1024;  // a wall has at most 1024 panels

RectF rect_of(const std::array<double, 4>& rect) { return {rect[0], rect[1], rect[2], rect[3]}; }

std::array<double, 4> numbers_of(const RectF& rect) {
  return {rect.x, rect.y, rect.width, rect.height};
}

Json faded_json(const wall::FadedRect& faded) {
  return {{"rect_px", numbers_of(faded.rect_px)},
          {"fade_px", {faded.left_px, faded.right_px, faded.top_px, faded.bottom_px}}};
}

wall::FadedRect faded_from_json(const Json& json) {
  const auto fade = json_field<std::array<double, 4>>(json, "fade_px");
  return {rect_of(json_field<std::array<double, 4>>(json, "rect_px")), fade[0], fade[1], fade[2],
          fade[3]};
}

Json screen_json(const wall::ScreenFromEye& screen) {
  return {{"rect_px", numbers_of(screen.canvas_px)},
          {"corner_mm", axes_of(screen.corner_mm)},
          {"across_mm", axes_of(screen.across_mm)},
          {"down_mm", axes_of(screen.down_mm)}};
}

wall::ScreenFromEye screen_from_json(const Json& json) {
  const auto vector = [&](const char* field) {
    return vec3d(json_field<std::array<double, 3>>(json, field));
  };
  return {rect_of(json_field<std::array<double, 4>>(json, "rect_px")), vector("corner_mm"),
          vector("across_mm"), vector("down_mm")};
}

Json place_json(const CanvasPlace& place) {
  Json json = {{"canvas_px", {place.canvas_px.width, place.canvas_px.height}},
               {"rect_px", numbers_of(place.rect_px)},
               {"map", place.map.matrix()}};
  if (place.from_eye) json["from_eye"] = screen_json(*place.from_eye);
  return json;
}

CanvasPlace place_from_json(const Json& json) {
  const auto canvas = json_field<std::array<int, 2>>(json, "canvas_px");
  CanvasPlace place{{canvas[0], canvas[1]},
                    rect_of(json_field<std::array<double, 4>>(json, "rect_px")),
                    wall::PanelMap(json_field<wall::PanelMap::Matrix>(json, "map"))};
  if (json.contains("from_eye"))
    place.from_eye = screen_from_json(json_field<Json>(json, "from_eye"));
  return place;
}

}  // namespace

PanelPlaces::PanelPlaces(const wall::Wall& wall, std::size_t panel) {
  const auto place_on = [&](const wall::Canvas& canvas) {
    return CanvasPlace{canvas.size_px(), canvas.panel_rect_px(panel), canvas.panel_map(panel)};
  };
  const bool is_flat = wall.flat();
  for (const wall::BezelMode bezels : both_bezel_modes) {
    CanvasPlace unrolled = place_on(wall::Canvas(wall, bezels, wall::ContentMode::arc_length));
    const std::vector<wall::ScreenFromEye> screens = wall::screens_from_eye(wall, bezels);
    if (!screens.empty()) unrolled.from_eye = screens[panel];
    for (const wall::ContentMode content : wall::content_modes) {
      const bool is_other = !is_flat && content != wall::ContentMode::arc_length &&
                            !wall::content_obstacle(wall, content);
      set(bezels, content, is_other ? place_on(wall::Canvas(wall, bezels, content)) : unrolled);
    }
  }
}

Json to_json(const PanelPlaces& places) {
  Json json = Json::array();
  for (const CanvasPlace& place : places.places_) json.push_back(place_json(place));
  return json;
}

PanelPlaces places_from_json(const Json& json) {
  PanelPlaces places;
  if (!json.is_array() || json.size() != places.places_.size())
    throw InputError({"message"}, "places", "one for each mode", "others");
  for (std::size_t i = 0; i < json.size(); ++i) places.places_[i] = place_from_json(json[i]);
  return places;
}

Json to_json(const wall::PanelBlend& blend) {
  Json others = Json::array();
  for (const wall::FadedRect& other : blend.others) others.push_back(faded_json(other));
  return {{"gamma", blend.gamma}, {"own", faded_json(blend.own)}, {"others", others}};
}

wall::PanelBlend blend_from_json(const Json& json) {
  wall::PanelBlend blend;
  blend.gamma = json_field<double>(json, "gamma");
  if (!(blend.gamma > 0)) throw InputError({"message"}, "gamma", "a number over 0", "another");
  blend.own = faded_from_json(json_field<Json>(json, "own"));
  const auto others = json_field<std::vector<Json>>(json, "others");
  if (others.size() > max_overlapping)
    throw InputError({"message"}, "others", "at most 1024 panels", std::to_string(others.size()));
  for (const Json& other : others) blend.others.push_back(faded_from_json(other));
  return blend;
}

}  // namespace tilewall::scene
