// Reports that `tilewall info` and `tilewall wall` print about media, volumes and walls.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "player/movie/source/tone_curve.hpp"
#include "render/readers/volume_info.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

// What an input holds, as the object that `tilewall info` prints.

/// "kind" is "wall movie", "movie", "SM movie", "image", "image sequence", "playlist", "volume" or
/// "wall"; the other keys carry their unit. Of a volume file with several, `dataset` names one;
/// several volumes that are alike are one, a timestep each. Throws InputError naming the input.
[[nodiscard]] nlohmann::ordered_json media_report(const std::vector<std::string>& inputs,
                                                  const std::string& dataset = "");

/// Adds what an HDR source is tagged with and what becomes of it.
void add_hdr(const movie::HdrLight& light, movie::HdrMode mode, nlohmann::ordered_json& report);

/// The same for people: a line a key, without the last line's end.
[[nodiscard]] std::string report_text(const nlohmann::ordered_json& report);

// What a volume file holds, as the object that `tilewall info` prints.

/// What of a volume it is about: `dataset`, or the first there is where that is "".
[[nodiscard]] render::VolumeOptions reported_part(const std::string& dataset);

/// Of that part of a file, or of a server's volume. Reads the first timestep through, for its
/// range, unless that has more than 2^28 voxels. Throws InputError naming the input.
[[nodiscard]] nlohmann::ordered_json volume_report(const std::string& input,
                                                   const std::string& dataset);
/// Of several files as the one series that `view` makes of them. Throws InputError where it would.
[[nodiscard]] nlohmann::ordered_json series_report(const std::vector<std::string>& inputs,
                                                   const std::string& dataset);

// A wall's geometry in words and as JSON.

/// "15 panels 5x3, canvas 1280x480 px".
[[nodiscard]] std::string wall_summary(const wall::Wall& wall, wall::BezelMode mode);

/// A table for people, one panel a line; ends with a line feed.
[[nodiscard]] std::string wall_table(const wall::Wall& wall, wall::BezelMode mode);

/// What `wall check --json` prints: counts, canvas, advice.
[[nodiscard]] nlohmann::ordered_json wall_check_json(const wall::Wall& wall);

/// What `wall show --json` prints: everything; canvas rectangles in both bezel modes.
[[nodiscard]] nlohmann::ordered_json wall_json(const wall::Wall& wall, wall::BezelMode mode);

}  // namespace tilewall::cli
