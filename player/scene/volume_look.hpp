// How a region shows a volume: from where, as a function of time, and in which style. What the
// camera means on walls that are no plane says player/volume/README.md.
#pragma once

#include <memory>
#include <optional>

#include "player/scene/scene_paths.hpp"
#include "player/scene/source_spec.hpp"
#include "player/scene/volume_style.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall::scene {

// What a region shows of its volume at one instant.

/// How a screen that is not in the plane of its region's flat picture sees that picture; all in
/// pixels of the canvas, from the region's upper left (wallconfigs/eye_view.hpp).
struct ScreenTilt {
  wall::PanelMap onto_plane;     ///< from the region's pixels to the flat picture's
  std::optional<RectF> seen_px;  ///< of the flat picture, by all screens; empty: round about
  bool operator==(const ScreenTilt&) const = default;
};

struct VolumeShot {
  render::VolumeCamera camera;               ///< of the region's whole picture
  std::shared_ptr<const VolumeStyle> style;  ///< never null
  std::optional<ScreenTilt> tilt = std::nullopt;

  bool operator==(const VolumeShot& other) const {
    return camera == other.camera && tilt == other.tilt &&
           (style == other.style || *style == *other.style);
  }
};

struct VolumeLook {
  CameraPath camera;
  StylePath style;

  /// At an instant.
  [[nodiscard]] VolumeShot at(GlobalInstant instant) const {
    return {camera.at(instant), style.at(instant)};
  }
  /// When all of it has come to rest; empty where nothing glides.
  [[nodiscard]] std::optional<GlobalInstant> glides_until() const;
};

/// All of the volume in a region of this shape, from the front, a little from the right and above.
/// @pre a volume
[[nodiscard]] render::VolumeCamera whole_volume(const SourceSpec& source, const RectF& canvas_px);

/// That, in the style that shows most volumes well enough to begin with. @pre a volume
[[nodiscard]] VolumeLook usual_look(const SourceSpec& source, const RectF& canvas_px);

/// Throws InputError for an eye so far from the volume that it must be mistyped: more than 4096 of
/// its radii. @pre a volume
void check_reach(const render::VolumeCamera& camera, const SourceSpec& source);

[[nodiscard]] nlohmann::json to_json(const VolumeLook& look);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] VolumeLook volume_look_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
