#include "render/volume/tile_needs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "render/volume/cell_ranges.hpp"

namespace tilewall::render {
namespace {

constexpr int numbers = 256;
constexpr std::size_t counted_step = 7;  // every so many cells are counted to find where most lie

std::size_t place_in(const std::array<int, 3>& count, int x, int y, int z) noexcept {
  return (static_cast<std::size_t>(z) * static_cast<std::size_t>(count[1]) +
          static_cast<std::size_t>(y)) *
             static_cast<std::size_t>(count[0]) +
         static_cast<std::size_t>(x);
}

std::uint8_t fill_of(int first, int last) noexcept {
  // An end of all numbers stays quiet while a slider moves.
  if (first == 0) return 0;
  if (last == numbers - 1) return numbers - 1;
  return static_cast<std::uint8_t>((first + last) / 2);
}

/// One flag per place, by x, y, z.
struct Flags {
  std::array<int, 3> count = {};
  std::vector<std::uint8_t> set;
};

/// The cells of the region that are not quiet.
Flags loud_cells(const CellPairs& cells, const TileRegion& region, const QuietNumbers& quiet) {
  Flags loud;
  std::array<int, 3> first = {};
  const int sizes[3] = {region.size.x, region.size.y, region.size.z};
  for (std::size_t i = 0; i < 3; ++i) {
    first[i] = region.begin[i] / cells.side;
    loud.count[i] = std::min((sizes[i] + cells.side - 1) / cells.side, cells.count[i] - first[i]);
  }
  loud.set.resize(place_in(loud.count, 0, 0, loud.count[2]));
  for (int z = 0; z < loud.count[2]; ++z)
    for (int y = 0; y < loud.count[1]; ++y) {
      const std::size_t from = place_in(cells.count, first[0], first[1] + y, first[2] + z);
      std::uint8_t* const to = &loud.set[place_in(loud.count, 0, y, z)];
      for (std::size_t x = 0; x < static_cast<std::size_t>(loud.count[0]); ++x)
        to[x] = cells.least[from + x] < quiet.first || cells.greatest[from + x] > quiet.last;
    }
  return loud;
}

/// Cells whose numbers samples in tile `tile` may read, themselves or by their neighbours.
struct CellSpan {
  int first = 0;
  int last = 0;
};
CellSpan cells_of_tile(int tile, std::size_t axis, int side, const SampleReach& reach, int count) {
  const int begin = tile * tile_sides[axis];
  const auto cell = [&](int voxel) { return voxel >= 0 ? voxel / side : -1; };
  // A cell's samples read the first voxels of the next one.
  return {std::clamp(cell(begin - reach.after[axis]), 0, count - 1),
          std::min(cell(begin + tile_sides[axis] - 1 + reach.before[axis]) + 1, count - 1)};
}

/// Combines flags of cells to flags of tiles along x.
Flags by_tile_columns(const Flags& cells, int tiles, int side, const SampleReach& reach) {
  Flags out;
  out.count = {tiles, cells.count[1], cells.count[2]};
  out.set.resize(place_in(out.count, 0, 0, out.count[2]));
  for (int x = 0; x < tiles; ++x) {
    const CellSpan span = cells_of_tile(x, 0, side, reach, cells.count[0]);
    const std::uint8_t* from = cells.set.data();
    std::uint8_t* to = out.set.data() + x;
    for (std::size_t row = 0; row < out.set.size() / static_cast<std::size_t>(tiles); ++row) {
      for (int cell = span.first; cell <= span.last; ++cell) *to |= from[cell];
      from += cells.count[0];
      to += tiles;
    }
  }
  return out;
}

/// Combines flags of cells to flags of tiles along y or z, a row at a time.
Flags by_tile_rows(const Flags& cells, std::size_t axis, int tiles, int side,
                   const SampleReach& reach) {
  Flags out;
  out.count = cells.count;
  out.count[axis] = tiles;
  out.set.resize(place_in(out.count, 0, 0, out.count[2]));
  const auto row = static_cast<std::size_t>(out.count[0]);
  for (int z = 0; z < out.count[2]; ++z)
    for (int y = 0; y < out.count[1]; ++y) {
      std::array<int, 3> at = {0, y, z};
      const CellSpan span = cells_of_tile(at[axis], axis, side, reach, cells.count[axis]);
      std::uint8_t* const to = &out.set[place_in(out.count, 0, y, z)];
      for (at[axis] = span.first; at[axis] <= span.last; ++at[axis]) {
        const std::uint8_t* const from = &cells.set[place_in(cells.count, 0, at[1], at[2])];
        for (std::size_t x = 0; x < row; ++x) to[x] |= from[x];
      }
    }
  return out;
}

/// How tiles lie to all planes: samples on their right side read none of them, or certainly each
/// one, or some.
enum class Side { outside, inside, across };

/// @pre `first` to `last` are tiles along each axis
Side side_of(const std::array<int, 3>& first, const std::array<int, 3>& last,
             const SampleReach& reach, std::span<const ClipPlane> sides) noexcept {
  constexpr double slack = 1;  // voxels
  double low[3];
  double high[3];
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = first[i] * tile_sides[i] - reach.after[i] - slack;
    high[i] = (last[i] + 1) * tile_sides[i] + reach.before[i] + slack;
  }
  Side found = Side::inside;
  for (const ClipPlane& side : sides) {
    const auto normal = axes_of(side.normal);
    double most = side.offset;
    double least = side.offset;
    for (std::size_t i = 0; i < 3; ++i) {
      most += normal[i] * (normal[i] > 0 ? high[i] : low[i]);
      least += normal[i] * (normal[i] > 0 ? low[i] : high[i]);
    }
    if (most < 0) return Side::outside;
    if (least < 0) found = Side::across;
  }
  return found;
}

}  // namespace

QuietNumbers quiet_numbers(const CellPairs& cells, const TransferTable& table,
                           const CastStyle& style, ValueScale scale) {
  const auto shows = [&](int first, int last) {
    const auto value = [&](int stored) {
      return static_cast<float>(scale.offset + scale.scale * stored);
    };
    return is_needed({value(first), value(last)}, table, style);
  };
  QuietNumbers best;
  std::size_t most = 0;
  int before = -1;  // last number of the interval before
  for (int first = 0; first < numbers; ++first) {
    if (shows(first, first)) continue;
    int last = first;
    while (last + 1 < numbers && !shows(first, last + 1)) ++last;
    if (last <= before) continue;  // a part of the interval before
    before = last;
    std::size_t inside = 0;
    for (std::size_t i = 0; i < cells.least.size(); i += counted_step)
      if (cells.least[i] >= first && cells.greatest[i] <= last) ++inside;
    if (inside > most || best.first > best.last) best = {first, last, fill_of(first, last)};
    most = std::max(most, inside);
  }
  return best;
}

SampleReach sample_reach(const CastStyle& style, const VolumePlace& place) noexcept {
  const auto spacing = axes_of(place.spacing);
  const bool surface = style.mode == CastMode::isosurface;
  const int gradient = surface || style.shading == Shading::headlight ? 1 : 0;
  SampleReach reach;
  for (std::size_t i = 0; i < 3; ++i) {
    // The place of a surface depends on the samples on both sides of it, and so do samples that are
    // refined.
    const int beside =
        surface || style.refine ? static_cast<int>(std::ceil(style.step / spacing[i])) : 0;
    reach.before[i] = gradient + beside;
    // Quads hold the next voxel along x and y, but not along z: samples read the next slice, which
    // may be in the next tile.
    reach.after[i] = gradient + beside + (i == 2 ? 1 : 0);
  }
  return reach;
}

ShownTiles shown_tiles(const CellPairs& cells, const TileRegion& region, const QuietNumbers& quiet,
                       const SampleReach& reach) {
  const std::array<int, 3> tiles = tiles_along(region.size);
  Flags flags = loud_cells(cells, region, quiet);
  flags = by_tile_columns(flags, tiles[0], cells.side, reach);
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}})
    flags = by_tile_rows(flags, axis, tiles[axis], cells.side, reach);
  return {quiet.fill, tiles, std::move(flags.set), reach, cells.stored};
}

TileNeeds needed_tiles(const ShownTiles& tiles, std::span<const ClipPlane> sides) {
  constexpr std::array<int, 3> block = {4, 8, 8};  // tiles that are looked at together
  TileNeeds needs;
  needs.fill = tiles.fill;
  needs.stored = tiles.stored;
  needs.uses.resize(tiles.shown.size());
  std::array<int, 3> last = {};
  const auto add_block = [&](const std::array<int, 3>& first) {
    for (std::size_t i = 0; i < 3; ++i) last[i] = std::min(first[i] + block[i], tiles.count[i]) - 1;
    const Side side = side_of(first, last, tiles.reach, sides);
    for (int z = first[2]; z <= last[2]; ++z)
      for (int y = first[1]; y <= last[1]; ++y)
        for (int x = first[0]; x <= last[0]; ++x) {
          const std::size_t tile = place_in(tiles.count, x, y, z);
          if (tiles.shown[tile] == 0) continue;
          const std::array<int, 3> at = {x, y, z};
          const bool is_seen = side == Side::across
                                   ? side_of(at, at, tiles.reach, sides) != Side::outside
                                   : side == Side::inside;
          needs.uses[tile] = is_seen ? TileUse::needed : TileUse::unseen;
          needs.count += is_seen ? 1U : 0U;
        }
  };
  for (int z = 0; z < tiles.count[2]; z += block[2])
    for (int y = 0; y < tiles.count[1]; y += block[1])
      for (int x = 0; x < tiles.count[0]; x += block[0]) add_block({x, y, z});
  return needs;
}

}  // namespace tilewall::render
