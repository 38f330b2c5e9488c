// How a region shows a volume: its camera as a function of time, and its style. For cameras on
// walls that are no plane see player/volume/README.md.
#pragma once

#include <memory>
#include <optional>

#include "player/scene/scene_paths.hpp"
#include "player/scene/source_spec.hpp"
#include "player/scene/volume_style.hpp"
#include "wallconfigs/panel_map.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::scene {

// The camera and style of a volume at one instant.

/// How a screen that is not in the plane of its region's flat picture sees that picture. In pixels
/// of the canvas, from the region's upper left (wallconfigs/eye_view.hpp).
struct ScreenTilt {
  wall::PanelMap onto_plane;  ///< Map from the region's pixels to the flat picture's
  /// Part of the flat picture that all screens together see; empty where they see more than a plane
  /// holds.
  std::optional<RectF> seen_px;
  bool operator==(const ScreenTilt&) const = default;
};

struct VolumeShot {
  render::VolumeCamera camera;               ///< Camera of the region's whole picture
  std::shared_ptr<const VolumeStyle> style;  ///< Never null
  std::optional<ScreenTilt> tilt = std::nullopt;

  bool operator==(const VolumeShot& other) const {
    return camera == other.camera && tilt == other.tilt &&
           (style == other.style || *style == *other.style);
  }
};

struct VolumeLook {
  CameraPath camera;
  StylePath style;

  /// Camera and style at an instant. The tilt is left empty.
  [[nodiscard]] VolumeShot at(GlobalInstant instant) const {
    return {camera.at(instant), style.at(instant)};
  }
  /// Instant when camera and style have come to rest; empty where nothing glides.
  [[nodiscard]] std::optional<GlobalInstant> glides_until() const;
};

/// A camera that shows the whole volume in a region of this shape, from the front, a little from
/// the right and above. @pre the source is a volume
[[nodiscard]] render::VolumeCamera whole_volume(const SourceSpec& source, const RectF& canvas_px);

/// The camera of whole_volume() and a style that shows most volumes well enough to begin with. @pre
/// the source is a volume
[[nodiscard]] VolumeLook usual_look(const SourceSpec& source, const RectF& canvas_px);

/// The style with the panels on which a region of the canvas lies, for its annotations.
[[nodiscard]] std::shared_ptr<const VolumeStyle> with_screens(const VolumeStyle& style,
                                                              const wall::Canvas& canvas,
                                                              const RectF& region_px);

/// Throws InputError for a camera farther than 4096 radii from the volume, which must be a typing
/// error. @pre the source is a volume
void check_reach(const render::VolumeCamera& camera, const SourceSpec& source);

[[nodiscard]] nlohmann::json to_json(const VolumeLook& look);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] VolumeLook volume_look_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
