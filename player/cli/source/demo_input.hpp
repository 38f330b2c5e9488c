// Inputs that the program makes by itself, as ordinary files in the user's cache: demo:movie and
// demo:volume.
#pragma once

#include <stop_token>
#include <string>

#include "player/movie/cache/cache_uses.hpp"

namespace tilewall::cli {

inline constexpr std::string_view demo_scheme = "demo:";

/// The file of an input demo:movie or demo:volume, which is made unless it is there, with a
/// progress bar; other inputs as they are. The file stays in use until the end of `uses`. Throws
/// InputError for an unknown name, JobError if the file cannot be written or `stop` is requested.
[[nodiscard]] std::string demo_input(const std::string& input, movie::CacheUses& uses,
                                     const std::stop_token& stop);

}  // namespace tilewall::cli
