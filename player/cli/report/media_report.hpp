// What an input holds, as the object that `tilewall info` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "player/movie/source/tone_curve.hpp"

namespace tilewall {

/// "kind" is "wall movie", "movie", "SM movie", "image", "image sequence", "playlist", "volume" or
/// "wall"; the other keys carry their unit. Of a volume file with several, `dataset` names one;
/// several volumes that are alike are one, a timestep each. Throws InputError naming the input.
[[nodiscard]] nlohmann::ordered_json media_report(const std::vector<std::string>& inputs,
                                                  const std::string& dataset = "");

/// Adds what an HDR source is tagged with and what becomes of it.
void add_hdr(const HdrLight& light, HdrMode mode, nlohmann::ordered_json& report);

/// The same for people: a line a key, without the last line's end.
[[nodiscard]] std::string report_text(const nlohmann::ordered_json& report);

}  // namespace tilewall
