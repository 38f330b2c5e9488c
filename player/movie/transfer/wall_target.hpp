// What an import needs to know of a wall.
#pragma once

#include "player/movie/transfer/movie_size.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

[[nodiscard]] WallTarget wall_target_of(const Wall& wall);

}  // namespace tilewall
