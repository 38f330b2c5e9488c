#include "player/movie/transfer/frame_supply.hpp"

#include "player/movie/frames/manifest.hpp"
#include "player/movie/source/sm_movie.hpp"
#include "sync/base/error.hpp"

namespace tilewall {

std::unique_ptr<FrameSupply> open_supply(const std::vector<std::string>& inputs,
                                         std::optional<Rational> fps, DamageSearch search) {
  if (auto images = resolve_images(inputs))
    return open_listed_supply(list_images(std::move(*images), fps.value_or(Rational{24, 1})),
                              search);
  if (is_wall_movie(inputs.front()))
    throw InputError({inputs.front()}, "", "a movie or images to import", "a wall movie");
  if (is_sm_movie(inputs.front()))
    return open_listed_supply(list_sm_movie(inputs.front(), fps), search);
  return open_movie_supply(inputs.front(), fps);
}

}  // namespace tilewall
