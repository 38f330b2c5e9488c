// What is to be drawn for one frame of a flight. A frame depends on nothing else, so any process
// can draw any frame.
//
// Threads: values and free functions without state.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "player/scene/volume_look.hpp"

namespace tilewall::rendering {

/// What is seen at one instant.
struct FlightMoment {
  double timestep = 0;  ///< A fraction where values of two timesteps are mixed
  scene::VolumeShot shot;
  bool operator==(const FlightMoment&) const = default;
};

struct FlightFrame {
  std::int64_t number = 0;  ///< Number of the frame's file
  /// The frame is the mean of their pictures: one, or shutter_moments.
  std::vector<FlightMoment> moments;
  bool operator==(const FlightFrame&) const = default;
};

/// Pictures whose mean is a frame with an open shutter.
inline constexpr int shutter_moments = 8;

[[nodiscard]] nlohmann::json to_json(const FlightFrame& frame);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] FlightFrame flight_frame_from_json(const nlohmann::json& json);

}  // namespace tilewall::rendering
