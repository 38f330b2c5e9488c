// The reports of `tilewall info` and `tilewall wall` about media, volumes and walls.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "player/movie/convert/transfer_status.hpp"
#include "player/movie/source/tone_curve.hpp"
#include "render/readers/volume_info.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

/// The object that `tilewall info` prints. "kind" is "wall movie", "movie", "SM movie", "image",
/// "image sequence", "playlist", "volume", "wall", "server", "movie on a server" or "live source";
/// other keys have their unit in the name. `part` names the part of a volume file. Several volumes
/// of equal size, type and scale are one series, a timestep each. Throws InputError naming the
/// input.
[[nodiscard]] nlohmann::ordered_json media_report(const std::vector<std::string>& inputs,
                                                  const render::VolumeOptions& part = {});

/// What `tilewall info` adds for a job that writes into the folder: "running" and "workers".
[[nodiscard]] nlohmann::ordered_json status_report(const movie::TransferStatus& status);

/// Adds the HDR tags of a source, and how they are treated, to a report.
void add_hdr(const movie::HdrLight& light, movie::HdrMode mode, nlohmann::ordered_json& report);

/// A report as text, one key per line; without a line feed at the end.
[[nodiscard]] std::string report_text(const nlohmann::ordered_json& report);

/// The part of a volume that reports describe: `part`, of its first dataset where it names none.
[[nodiscard]] render::VolumeOptions reported_part(render::VolumeOptions part);

/// The report of a volume in a file or on a server. Finds the first timestep's range of values,
/// which reads all of it, unless it has more than 2^28 voxels or the file states a range for all
/// timesteps. Throws InputError naming the input.
[[nodiscard]] nlohmann::ordered_json volume_report(const std::string& input,
                                                   const render::VolumeOptions& part);
/// The report of several files as one series. Throws InputError if they are none, like `view`.
[[nodiscard]] nlohmann::ordered_json series_report(const std::vector<std::string>& inputs,
                                                   const render::VolumeOptions& part);

/// A wall in one line: "15 panels 5x3, canvas 1280x480 px".
[[nodiscard]] std::string wall_summary(const wall::Wall& wall, wall::BezelMode mode);

/// A wall's geometry as text, one panel per line; ends with a line feed.
[[nodiscard]] std::string wall_table(const wall::Wall& wall, wall::BezelMode mode);

/// The object of `wall check --json`: counts, canvas, advice.
[[nodiscard]] nlohmann::ordered_json wall_check_json(const wall::Wall& wall);

/// The object of `wall show --json`: the whole geometry, with canvas rectangles in both bezel
/// modes.
[[nodiscard]] nlohmann::ordered_json wall_json(const wall::Wall& wall, wall::BezelMode mode);

}  // namespace tilewall::cli
