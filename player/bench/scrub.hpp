// The scrub of `bench control`: how many pictures a second someone sees who drags through a paused
// movie, whether all panels show the same ones, and how soon the last one is there in full.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "player/bench/control_show.hpp"

namespace tilewall {

/// A scrub as it was asked for and answered. Instants are global.
struct Scrub {
  struct Stop {
    std::int64_t at_ns = 0;  ///< when all panels show it first
    std::int64_t frame = 0;
  };
  std::vector<Stop> stops;
  std::int64_t released_ns = 0;  ///< when the last one was answered
  std::int64_t end_ns = 0;       ///< when the wall had come to rest
};

/// Pauses, then seeks `times` times, each as soon as the one before is answered, through a movie of
/// so many frames.
[[nodiscard]] Scrub scrub(ControlledShow& show, int times, std::int64_t movie_frames);

/// {`seeks`, `pictures_per_s`, `wrong_frames`, `full_after_ms`}: the slowest panel's; pictures of
/// another frame than the one due. `report`: the show's.
[[nodiscard]] nlohmann::json scrub_figures(const nlohmann::json& report, const Scrub& scrub);

}  // namespace tilewall
