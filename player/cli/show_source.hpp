// From the INPUT of `play` to the source of a scene: what can be shown as it is, and what is
// imported into the cache first.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "player/scene/scene.hpp"
#include "sync/base/rational.hpp"

namespace tilewall {

struct ShowSource {
  SourceSpec spec;
  std::int64_t frames = 0;
  Rational fps{24, 1};  ///< the movie's own rate; images: 24
};

/// How ordinary movies are played: decoded on the way, or from the cache.
enum class MovieWay { direct, imported };

/// Wall movies, image sequences, "pattern:NAME" and ordinary movies are shown as they are. EXR
/// images, movies whose pictures are too large to be shared in memory, and movies that are asked
/// for `imported` are imported for `wall` into the user's cache, with a progress bar, and come from
/// there the next time. Throws InputError (input) or JobError (cache).
[[nodiscard]] ShowSource open_show_source(const std::vector<std::string>& inputs, const Wall& wall,
                                          MovieWay way, const std::stop_token& stop);

}  // namespace tilewall
