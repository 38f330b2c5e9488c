// What an import needs to know of a wall.
#pragma once

#include <optional>

#include "player/movie/transfer/movie_size.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

/// `bezels`: the mode that the movie is made for; empty: the wall's default.
[[nodiscard]] WallTarget wall_target_of(const Wall& wall, std::optional<BezelMode> bezels = {});

}  // namespace tilewall
