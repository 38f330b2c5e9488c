#include "player/volume/caster/wanted_detail.hpp"

#include "player/volume/caster/tile_detail.hpp"

namespace tilewall {
namespace {

/// Whether `held` asks for all that `wanted` asks for.
bool covers(const TileNeeds& held, const TileNeeds& wanted) {
  if (&held == &wanted) return true;
  for (std::size_t tile = 0; tile < held.needed.size(); ++tile)
    if (wanted.needed[tile] > held.needed[tile]) return false;
  return true;
}

}  // namespace

bool WantedDetail::can_become(std::int64_t of, const DetailChoice& wanted) const {
  return timestep == of && choice.tiles && wanted.tiles && choice.level == wanted.level &&
         choice.box == wanted.box && choice.tiles->fill == wanted.tiles->fill;
}

bool WantedDetail::serves(std::int64_t of, const DetailChoice& wanted) const {
  if (!choice.tiles && !wanted.tiles)
    return timestep == of && choice.level == wanted.level && choice.box.contains(wanted.needed);
  if (!can_become(of, wanted)) return false;
  return covers(*choice.tiles, *wanted.tiles) ||
         (complete && has_tiles(ready->volume, *wanted.tiles));
}

}  // namespace tilewall
