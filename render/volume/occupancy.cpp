#include "render/volume/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "render/volume/tiled_voxels.hpp"

namespace tilewall::render {
namespace {

constexpr int widest_test_cells = 4;  // along an axis; wider boxes are tested one level coarser

std::size_t cell_index(const int* size, int x, int y, int z) noexcept {
  return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size[1]) +
          static_cast<std::size_t>(y)) *
             static_cast<std::size_t>(size[0]) +
         static_cast<std::size_t>(x);
}

}  // namespace

Occupancy::Occupancy(const CellGrid& cells) {
  Level level = {1.0F / static_cast<float>(cells.side), {cells.x, cells.y, cells.z}, {}};
  for (;;) {
    level.needed.assign(cell_index(level.size, 0, 0, level.size[2]) + read_beyond, 0);
    levels_.push_back(level);
    if (std::max({level.size[0], level.size[1], level.size[2]}) == 1) return;
    level.per_voxel /= 4;
    for (int& side : level.size) side = (side + 3) / 4;
  }
}

/// Cells of tiles that the picture does not take (TiledVoxels::show_only()) are not needed.
void Occupancy::leave_out_tiles(const Volume& volume, int threads) {
  if (volume.tiles() == nullptr || !volume.tiles()->shown()) return;
  const TiledVoxels& tiles = *volume.tiles();
  const TileUses& uses = *tiles.shown();
  const CellGrid& cells = volume.cells();
  const int along = tile_sides[0] / cells.side;  // cells of a tile along x
  std::vector<std::uint8_t>& needed = levels_.front().needed;
  share_work(cells.z, threads, [&](int z) {
    for (int y = 0; y < cells.y; ++y)
      for (int x = 0; x < cells.x; x += along) {
        const std::size_t tile = tiles.tile_at(x / along, y * cells.side / tile_sides[1],
                                               z * cells.side / tile_sides[2]);
        if (uses[tile] == TileUse::needed) continue;
        const std::size_t first = cells.index(x, y, z);
        std::fill_n(needed.begin() + static_cast<std::ptrdiff_t>(first),
                    std::min(along, cells.x - x), std::uint8_t{0});
      }
  });
}

void Occupancy::fill_above() {
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    const Level& fine = levels_[i - 1];
    Level& coarse = levels_[i];
    for (int z = 0; z < fine.size[2]; ++z)
      for (int y = 0; y < fine.size[1]; ++y) {
        const std::uint8_t* from = &fine.needed[cell_index(fine.size, 0, y, z)];
        std::uint8_t* to = &coarse.needed[cell_index(coarse.size, 0, y / 4, z / 4)];
        for (int x = 0; x < fine.size[0]; ++x) to[x / 4] = std::max(to[x / 4], from[x]);
      }
  }
}

/// Calls visit(first cell of a row, one past its last), until that returns false, for the rows of
/// cells that the box touches.
template <typename Visit>
void Occupancy::visit_rows(const VoxelBox& box, Visit&& visit) const noexcept {
  float widest = 0;
  for (int axis = 0; axis < 3; ++axis) widest = std::max(widest, box.max[axis] - box.min[axis]);
  std::size_t i = 0;
  while (i + 1 < levels_.size() && widest * levels_[i].per_voxel > widest_test_cells) ++i;
  const Level& level = levels_[i];
  int first[3];
  int last[3];
  for (int axis = 0; axis < 3; ++axis) {
    const auto end = static_cast<float>(level.size[axis]);
    const float low = std::floor(box.min[axis] * level.per_voxel);
    const float high = std::floor(box.max[axis] * level.per_voxel);
    // The last voxel of an axis may begin a cell that does not exist; its samples belong to the
    // last cell.
    if (low > end || high < 0) return;
    first[axis] = static_cast<int>(std::clamp(low, 0.0F, end - 1));
    last[axis] = static_cast<int>(std::clamp(high, 0.0F, end - 1));
  }
  for (int z = first[2]; z <= last[2]; ++z)
    for (int y = first[1]; y <= last[1]; ++y) {
      const std::uint8_t* row = &level.needed[cell_index(level.size, 0, y, z)];
      if (!visit(row + first[0], row + last[0] + 1)) return;
    }
}

bool Occupancy::any_in(const VoxelBox& box) const noexcept {
  bool any = false;
  visit_rows(box, [&](const std::uint8_t* cell, const std::uint8_t* end) {
    while (cell != end && *cell == 0) ++cell;
    any = cell != end;
    return !any;
  });
  return any;
}

std::uint8_t Occupancy::greatest_in(const VoxelBox& box) const noexcept {
  std::uint8_t greatest = 0;
  visit_rows(box, [&](const std::uint8_t* cell, const std::uint8_t* end) {
    for (; cell != end; ++cell) greatest = std::max(greatest, *cell);
    return true;
  });
  return greatest;
}

double Occupancy::share() const noexcept {
  const auto base = cells();
  return 1 - static_cast<double>(std::count(base.begin(), base.end(), 0)) /
                 static_cast<double>(base.size());
}

NeededCells Occupancy::base() const noexcept {
  const Level& level = levels_.front();
  return {level.needed.data(), {level.size[0], level.size[1], level.size[2]}, level.per_voxel, {}};
}

}  // namespace tilewall::render
