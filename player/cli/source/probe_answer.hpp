// What the decoder answers when it is asked what a movie is.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "player/cli/source/movie_probe.hpp"

namespace tilewall {

/// Throws InputError naming the file where a field is missing or beyond all reason: the decoder has
/// read a file that may be hostile, so its answer is not believed. @pre `answer` is an object
[[nodiscard]] MovieProbe movie_probe_from(const nlohmann::json& answer,
                                          const std::filesystem::path& file);

}  // namespace tilewall
