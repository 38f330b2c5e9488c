// What a playlist holds, as `tilewall info` prints it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewall {

/// "kind" is "playlist"; "items" has an object an entry. Frames count over the whole list at its
/// own rate, the greatest of its items. Opens every path once; nothing is imported. Throws
/// InputError naming list and line.
[[nodiscard]] nlohmann::ordered_json playlist_report(const std::vector<std::string>& inputs);

}  // namespace tilewall
