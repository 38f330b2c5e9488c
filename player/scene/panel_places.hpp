// The part of a panel's configuration that comes from the wall's geometry: where the panel lies on
// the canvas in each mode, and how it fades into its neighbours.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>

#include "wallconfigs/edge_blend.hpp"
#include "wallconfigs/eye_view.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::scene {

/// A panel's place in one bezel mode and one content mode.
struct CanvasPlace {
  SizePx canvas_px;
  RectF rect_px;       ///< Rectangle of the panel, or around it where the panel is no rectangle
  wall::PanelMap map;  ///< Map from the panel's pixels as seen to the canvas
  /// The panel as seen from the eye point, in content mode arc_length on a wall that is no plane;
  /// empty too where the eye point is not in front of every screen.
  std::optional<wall::ScreenFromEye> from_eye = std::nullopt;
};

class PanelPlaces {
 public:
  PanelPlaces() = default;

  /// Computes the places of one panel. A content mode in which the wall has no picture gets the
  /// places of arc_length.
  PanelPlaces(const wall::Wall& wall, std::size_t panel);

  [[nodiscard]] const CanvasPlace& in(wall::BezelMode bezels,
                                      wall::ContentMode content) const noexcept {
    return places_[index(bezels, content)];
  }

  void set(wall::BezelMode bezels, wall::ContentMode content, const CanvasPlace& place) noexcept {
    places_[index(bezels, content)] = place;
  }

 private:
  friend nlohmann::json to_json(const PanelPlaces& places);
  friend PanelPlaces places_from_json(const nlohmann::json& json);
  [[nodiscard]] static std::size_t index(wall::BezelMode bezels,
                                         wall::ContentMode content) noexcept {
    return static_cast<std::size_t>(bezels) * std::size(wall::content_modes) +
           static_cast<std::size_t>(content);
  }

  std::array<CanvasPlace, 2 * std::size(wall::content_modes)> places_;
};

[[nodiscard]] nlohmann::json to_json(const PanelPlaces& places);
[[nodiscard]] nlohmann::json to_json(const wall::PanelBlend& blend);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] PanelPlaces places_from_json(const nlohmann::json& json);
[[nodiscard]] wall::PanelBlend blend_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
