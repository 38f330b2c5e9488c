#include "player/volume/caster/tile_detail.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "render/readers/load_volume.hpp"
#include "render/volume/tiled_voxels.hpp"

namespace tilewall::volume {

render::Volume empty_tiled_volume(const VolumeLevel& level, const DetailChoice& choice,
                                  render::ValueScale scale) {
  const render::VolumeSize size = choice.box.size();
  return render::Volume(std::make_unique<render::TiledVoxels>(size, choice.tiles->fill), size,
                        render::place_of_box(level.place, choice.box), scale, choice.tiles->stored);
}

void show_tiles(ReadyTimestep& timestep, const DetailChoice& choice) {
  const render::TiledVoxels* const tiles = timestep.volume.tiles();
  if (tiles == nullptr || !choice.tiles) return;
  std::shared_ptr<const render::TileUses> uses(choice.tiles, &choice.tiles->uses);
  const std::shared_ptr<const render::TileUses>& before = tiles->shown();
  const bool is_same = before && (before == uses || *before == *uses);
  timestep.volume.show_only_tiles(std::move(uses));
  if (!is_same) timestep.style.clear();
}

bool has_tiles(const render::Volume& volume, const render::TileNeeds& needs) noexcept {
  const std::vector<std::uint8_t>& loaded = volume.tiles()->loaded();
  for (std::size_t tile = 0; tile < loaded.size(); ++tile)
    if (needs.uses[tile] == render::TileUse::needed && loaded[tile] == 0) return false;
  return true;
}

namespace {

/// Whether `held` needs every tile that `wanted` needs.
bool covers(const render::TileNeeds& held, const render::TileNeeds& wanted) {
  if (&held == &wanted) return true;
  constexpr render::TileUse needed = render::TileUse::needed;
  for (std::size_t tile = 0; tile < held.uses.size(); ++tile)
    if (wanted.uses[tile] == needed && held.uses[tile] != needed) return false;
  return true;
}

}  // namespace

bool WantedDetail::can_become(std::int64_t of, const DetailChoice& wanted) const {
  return timestep == of && choice.tiles && wanted.tiles && choice.level == wanted.level &&
         choice.box == wanted.box && choice.tiles->fill == wanted.tiles->fill;
}

bool WantedDetail::serves(std::int64_t of, const DetailChoice& wanted, BoxReuse reuse) const {
  if (!choice.tiles && !wanted.tiles)
    return timestep == of && choice.level == wanted.level &&
           (reuse == BoxReuse::larger ? choice.box.contains(wanted.needed)
                                      : choice.box == wanted.box);
  if (!can_become(of, wanted)) return false;
  return covers(*choice.tiles, *wanted.tiles) ||
         (complete && has_tiles(ready->volume, *wanted.tiles));
}

}  // namespace tilewall::volume
