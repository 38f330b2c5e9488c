#include "player/volume/tile_choice.hpp"

#include <algorithm>

#include "render/readers/load_volume.hpp"
#include "render/readers/slab_reducer.hpp"
#include "render/volume/cell_ranges.hpp"

namespace tilewall::volume {
namespace {

constexpr double range_bytes = 10;      // per cell: two floats, and what pictures need
constexpr std::size_t table_share = 8;  // tables may take 1/8 of the detail's memory
constexpr int region_step = 256;        // voxels; so cameras that are close have the same region
constexpr int margin = 8;               // 1/8 of a part of the level at each side

/// The part of the level whose tiles are considered: all of it if its tables are small, else the
/// visible part with a margin. Empty if even the tables of that are too large.
std::optional<render::GridBox> region_of(const VolumeLevel& level, const render::GridBox& needed,
                                         std::size_t most_bytes) {
  const auto is_small = [&](const render::GridBox& box) {
    const render::VolumeSize size = box.size();
    return std::max({size.x, size.y, size.z}) <= render::max_volume_side &&
           std::min({size.x, size.y, size.z}) >= 2 && tiled_bytes(size, 0) <= most_bytes;
  };
  const render::GridBox all = render::whole_box(level.size);
  if (is_small(all)) return all;
  render::GridBox box = grown(needed, margin, level.size);
  for (std::size_t i = 0; i < 3; ++i) {
    box.begin[i] = box.begin[i] / region_step * region_step;
    box.end[i] = std::min((box.end[i] + region_step - 1) / region_step * region_step, all.end[i]);
  }
  if (is_small(box)) return box;
  return std::nullopt;
}

/// The planes in voxel coordinates of the region.
std::vector<render::ClipPlane> in_voxels(const std::vector<render::ClipPlane>& sides,
                                         const render::VolumePlace& place) {
  std::vector<render::ClipPlane> turned;
  turned.reserve(sides.size());
  for (const render::ClipPlane& side : sides)
    turned.push_back({{place.spacing.x * dot(side.normal, place.axes[0]),
                       place.spacing.y * dot(side.normal, place.axes[1]),
                       place.spacing.z * dot(side.normal, place.axes[2])},
                      side.offset + dot(side.normal, place.origin)});
  return turned;
}

render::ShownTiles tiles_of(const VolumeLevel& level, const render::GridBox& region,
                            const render::CellPairs& cells, render::ValueScale scale,
                            const ShownLook& look) {
  render::CastStyle style = look.style;
  style.step = voxel_length(level) / look.samples_per_voxel;
  const render::TransferTable table(look.function, render::opacity_step(style, look.function));
  return render::shown_tiles(cells, {region.begin, region.size()},
                             render::quiet_numbers(cells, table, style, scale),
                             render::sample_reach(style, level.place));
}

}  // namespace

const render::ShownTiles& ShownTilesCache::get(int level, const render::GridBox& region,
                                               const ShownLook& look,
                                               const std::function<render::ShownTiles()>& find) {
  const auto found = of_level_.find(level);
  if (found != of_level_.end() && found->second.region == region && found->second.look == look)
    return found->second.tiles;
  return of_level_.insert_or_assign(level, Found{region, look, find()}).first->second.tiles;
}

std::size_t cell_pairs_bytes(render::VolumeSize level) noexcept {
  return 2 * render::reduced_size(level, render::cell_side_of(level)).voxels();
}

std::size_t tiled_bytes(render::VolumeSize size, std::size_t tiles) noexcept {
  const auto cells =
      static_cast<double>(render::reduced_size(size, render::cell_side_of(size)).voxels());
  return tiles * render::tile_bytes + render::tile_table_bytes(size) +
         static_cast<std::size_t>(cells * range_bytes);
}

std::optional<DetailChoice> choose_tiles(const std::vector<VolumeLevel>& levels,
                                         const MemoryPlan& plan, render::ValueScale scale,
                                         const SeenPart& seen, const ShownLook& look,
                                         const CellsOfLevel& cells, ShownTilesCache& cache) {
  if (plan.overview == 0) return std::nullopt;
  const VisiblePolyhedron body = visible_polyhedron(levels[0], seen);
  if (body.corners.empty()) return std::nullopt;
  const std::size_t most_tables = plan.detail_bytes / table_share;
  std::size_t pairs_bytes = 0;  // ranges of the levels that were tried, which stay in memory
  for (int number = 0; number < plan.overview; ++number) {
    const VolumeLevel& level = levels[static_cast<std::size_t>(number)];
    // Voxels much smaller than a pixel show no more than those of the next level.
    if (voxel_length(level) < least_voxel_px * body.pixel) continue;
    const render::GridBox needed = touched_box(level, body.corners);
    const std::optional<render::GridBox> region = region_of(level, needed, most_tables);
    const std::size_t with_pairs = pairs_bytes + cell_pairs_bytes(level.size);
    const render::CellPairs* const known =
        region && with_pairs <= most_tables ? cells(number) : nullptr;
    // Without cell ranges no tile can be left out. Then a whole box is chosen, in the memory that
    // the ranges of finer levels have left.
    if (known == nullptr) {
      MemoryPlan rest = plan;
      rest.detail_bytes -= pairs_bytes;
      if (auto box = choose_box(levels, rest, render::VoxelType::u8, number, body)) return box;
      continue;
    }
    pairs_bytes = with_pairs;
    render::TileNeeds needs = render::needed_tiles(
        cache.get(number, *region, look,
                  [&] { return tiles_of(level, *region, *known, scale, look); }),
        in_voxels(body.sides, render::place_of_box(level.place, *region)));
    if (pairs_bytes + tiled_bytes(region->size(), needs.count) <= plan.detail_bytes)
      return DetailChoice{number, needed, *region,
                          std::make_shared<const render::TileNeeds>(std::move(needs)),
                          plan.detail_bytes - pairs_bytes};
  }
  return std::nullopt;
}

}  // namespace tilewall::volume
