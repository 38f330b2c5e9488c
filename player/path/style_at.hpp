// The style of the volume on a flight, as a function of time: the track beside the camera's.
//
// Pure; any thread.
#pragma once

#include <memory>
#include <vector>

#include "player/scene/volume_style.hpp"
#include "render/path/flight_path.hpp"

namespace tilewall::path {

/// The style at each key of a flight; never null.
using KeyStyles = std::vector<std::shared_ptr<const scene::VolumeStyle>>;

/// The style at an instant: that of a key while the camera stays there, before the first key and
/// after the last one. In between it changes as a style that glides on a wall (scene::blended), in
/// equal parts in equal times; what cannot be mixed changes when the camera comes to the next key.
/// The pointer stays the same while the style does. @pre as many styles as keys
[[nodiscard]] std::shared_ptr<const scene::VolumeStyle> style_at(const KeyStyles& styles,
                                                                 const render::FlightPath& flight,
                                                                 double time_s);

}  // namespace tilewall::path
