// What a volume file holds, as the object that `tilewall info` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "render/readers/volume_info.hpp"

namespace tilewall {

/// What of a volume it is about: `dataset`, or the first there is where that is "".
[[nodiscard]] VolumeOptions reported_part(const std::string& dataset);

/// Of that part of a file, or of a server's volume. Reads the first timestep through, for its
/// range, unless that has more than 2^28 voxels. Throws InputError naming the input.
[[nodiscard]] nlohmann::ordered_json volume_report(const std::string& input,
                                                   const std::string& dataset);
/// Of several files as the one series that `view` makes of them. Throws InputError where it would.
[[nodiscard]] nlohmann::ordered_json series_report(const std::vector<std::string>& inputs,
                                                   const std::string& dataset);

}  // namespace tilewall
