// Where movies that were imported to be played, and the demo's own, are kept between runs.
#pragma once

#include <filesystem>

namespace tilewall {

/// $XDG_CACHE_HOME/tilewall, else ~/.cache/tilewall, else one in the temporary folder. Not made
/// here.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace tilewall
