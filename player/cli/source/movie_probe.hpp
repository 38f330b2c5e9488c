// What an ordinary movie is, asked of a process of its own: a hostile file takes only that down.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>

#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::cli {

struct MovieProbe {
  SizePx size_px;  ///< as displayed
  Rational fps{24, 1};
  std::int64_t frames = 1;          ///< exact where the file could be read through in half a second
  std::uint64_t picture_bytes = 0;  ///< of a decoded picture in memory
  bool has_sound = false;
};

/// Takes at most 9 s. Throws InputError naming the file: missing, no movie, or one that crashes or
/// stalls its reader.
[[nodiscard]] MovieProbe probe_movie(const std::filesystem::path& file,
                                     const std::stop_token& stop);

/// What the decoder answers when it is asked what a movie is. Throws InputError naming the file
/// where a field is missing or beyond all reason: the decoder has read a file that may be hostile,
/// so its answer is not believed. @pre `answer` is an object
[[nodiscard]] MovieProbe movie_probe_from(const nlohmann::json& answer,
                                          const std::filesystem::path& file);

}  // namespace tilewall::cli
