#include "player/rendering/flight_frame.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "player/movie/frames/manifest.hpp"
#include "player/scene/volume_style.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::rendering {

namespace {

nlohmann::json moment_json(const FlightMoment& moment) {
  return {{"timestep", moment.timestep},
          {"camera", scene::to_json(moment.shot.camera)},
          {"fov_rad", moment.shot.camera.fov_rad},  // the camera has it in degrees, less exactly
          {"style", scene::to_json(*moment.shot.style)}};
}

FlightMoment moment_from(const nlohmann::json& json) {
  FlightMoment moment;
  moment.timestep = json_field<double>(json, "timestep");
  expect_field(moment.timestep >= 0 && moment.timestep <= std::numeric_limits<std::int32_t>::max(),
               "timestep", "a timestep");
  moment.shot.camera = scene::camera_from_json(json_field<nlohmann::json>(json, "camera"));
  const double fov_rad = json_field<double>(json, "fov_rad");
  expect_field(std::abs(fov_rad - moment.shot.camera.fov_rad) < 1e-9, "fov_rad",
               "the camera's field of view");
  moment.shot.camera.fov_rad = fov_rad;
  moment.shot.style = std::make_shared<const scene::VolumeStyle>(
      scene::volume_style_from_json(json_field<nlohmann::json>(json, "style")));
  return moment;
}

}  // namespace

nlohmann::json to_json(const FlightFrame& frame) {
  nlohmann::json moments = nlohmann::json::array();
  for (const FlightMoment& moment : frame.moments) moments.push_back(moment_json(moment));
  return {{"number", frame.number}, {"moments", std::move(moments)}};
}

FlightFrame flight_frame_from_json(const nlohmann::json& json) {
  FlightFrame frame;
  frame.number = json_number<std::int64_t>(json, "number", 0, movie::max_frames - 1);
  const auto moments = json_field<nlohmann::json>(json, "moments");
  expect_field(moments.is_array() && !moments.empty() && moments.size() <= shutter_moments,
               "moments", "a list of 1 to 8 moments");
  for (const nlohmann::json& moment : moments) frame.moments.push_back(moment_from(moment));
  return frame;
}

}  // namespace tilewall::rendering
