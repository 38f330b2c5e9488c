// What an ordinary movie is, asked of a process of its own: a hostile file takes only that down.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall {

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

}  // namespace tilewall
