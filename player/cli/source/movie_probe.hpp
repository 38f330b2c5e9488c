// Probes an ordinary movie in a process of its own, which is all that a hostile file can crash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>

#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::cli {

struct MovieProbe {
  SizePx size_px;  ///< Size with rotation and pixel aspect applied
  Rational fps{24, 1};
  std::int64_t frames = 1;          ///< exact if the file could be read through in half a second
  std::uint64_t picture_bytes = 0;  ///< memory of a decoded picture
  bool has_sound = false;
};

/// Probes a movie; blocks for at most 9 s. Throws InputError naming a file that is missing, is no
/// movie, or crashes or stalls its reader.
[[nodiscard]] MovieProbe probe_movie(const std::filesystem::path& file,
                                     const std::stop_token& stop);

/// Parses the decoder's answer to a probe. The decoder has read a file that may be hostile, so the
/// answer is not trusted: throws InputError naming the file if a field is missing or out of range.
/// @pre `answer` is an object.
[[nodiscard]] MovieProbe movie_probe_from(const nlohmann::json& answer,
                                          const std::filesystem::path& file);

}  // namespace tilewall::cli
