// What a volume file holds, as the object that `tilewall info` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilewall {

/// Of `dataset`, or of the first there is where it is "". Reads the first timestep through, for its
/// range, unless that has more than 2^28 voxels. Throws InputError naming the input.
[[nodiscard]] nlohmann::ordered_json volume_report(const std::string& input,
                                                   const std::string& dataset);

}  // namespace tilewall
