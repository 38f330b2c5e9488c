#include "player/rendering/flight_frame.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "player/movie/frames/manifest.hpp"
#include "player/scene/volume_style.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::rendering {

nlohmann::json to_json(const FlightFrame& frame) {
  return {{"number", frame.number},
          {"timestep", frame.timestep},
          {"camera", scene::to_json(frame.shot.camera)},
          {"style", scene::to_json(*frame.shot.style)}};
}

FlightFrame flight_frame_from_json(const nlohmann::json& json) {
  FlightFrame frame;
  frame.number = json_number<std::int64_t>(json, "number", 0, movie::max_frames - 1);
  frame.timestep =
      json_number<std::int64_t>(json, "timestep", 0, std::numeric_limits<std::int32_t>::max());
  frame.shot.camera = scene::camera_from_json(json_field<nlohmann::json>(json, "camera"));
  frame.shot.style = std::make_shared<const scene::VolumeStyle>(
      scene::volume_style_from_json(json_field<nlohmann::json>(json, "style")));
  return frame;
}

}  // namespace tilewall::rendering
