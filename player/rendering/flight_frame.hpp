// What is to be drawn for one frame of a flight. A frame depends on nothing else, so any process
// can draw any frame.
//
// Threads: values and free functions without state.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "player/scene/volume_look.hpp"

namespace tilewall::rendering {

struct FlightFrame {
  std::int64_t number = 0;  ///< of the frame's file
  std::int64_t timestep = 0;
  scene::VolumeShot shot;
  bool operator==(const FlightFrame&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const FlightFrame& frame);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] FlightFrame flight_frame_from_json(const nlohmann::json& json);

}  // namespace tilewall::rendering
