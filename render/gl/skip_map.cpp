#include "render/gl/skip_map.hpp"

#include <algorithm>

#include "render/volume/shared_work.hpp"

namespace tilewall::render {
namespace {

/// What the cells of one level hold.
enum Holds : std::uint8_t { holds_other = 1, holds_needed = 2 };

struct SkipLevel {
  int size[3];
  std::vector<std::uint8_t> holds;  ///< One value of Holds per cell, x fastest
  [[nodiscard]] std::size_t index(int x, int y, int z) const noexcept {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size[1]) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(size[0]) +
           static_cast<std::size_t>(x);
  }
};

SkipLevel half_of(const SkipLevel& fine) {
  SkipLevel coarse{{(fine.size[0] + 1) / 2, (fine.size[1] + 1) / 2, (fine.size[2] + 1) / 2}, {}};
  coarse.holds.resize(coarse.index(0, 0, coarse.size[2]));
  for (int z = 0; z < fine.size[2]; ++z)
    for (int y = 0; y < fine.size[1]; ++y) {
      const std::uint8_t* const from = &fine.holds[fine.index(0, y, z)];
      std::uint8_t* const to = &coarse.holds[coarse.index(0, y / 2, z / 2)];
      for (int x = 0; x < fine.size[0]; ++x) to[x / 2] |= from[x];
    }
  return coarse;
}

/// Along one axis, lines of `length` cells `stride` apart.
void widen_line(std::uint8_t* first, int length, std::size_t stride, int reach,
                std::vector<std::uint8_t>& line) {
  line.assign(static_cast<std::size_t>(length), 0);
  const auto is_needed = [&](int i) { return first[static_cast<std::size_t>(i) * stride] != 0; };
  int before = -reach - 1;  // the last needed one
  int behind = length + reach;
  for (int i = 0, j = length - 1; i < length; ++i, --j) {
    if (is_needed(i)) before = i;
    if (is_needed(j)) behind = j;
    if (i - before <= reach) line[static_cast<std::size_t>(i)] = 1;
    if (behind - j <= reach) line[static_cast<std::size_t>(j)] = 1;
  }
  for (int i = 0; i < length; ++i)
    first[static_cast<std::size_t>(i) * stride] = line[static_cast<std::size_t>(i)];
}

}  // namespace

SkipMap make_skip_map(const CellGrid& grid, const std::vector<std::uint8_t>& cells,
                      int most_needed_level, int threads) {
  std::vector<SkipLevel> levels(1);
  levels[0] = {{grid.x, grid.y, grid.z}, cells};
  for (std::uint8_t& cell : levels[0].holds) cell = cell != 0 ? holds_needed : holds_other;
  while (std::max({levels.back().size[0], levels.back().size[1], levels.back().size[2]}) > 1)
    levels.push_back(half_of(levels.back()));

  SkipMap map{{grid.x, grid.y, grid.z}, {}};
  map.cells.resize(cells.size());
  share_work(grid.z, threads, [&](int z) {
    for (int y = 0; y < grid.y; ++y)
      for (int x = 0; x < grid.x; ++x) {
        const std::size_t i = grid.index(x, y, z);
        const std::uint8_t own = levels[0].holds[i];
        const int most = own == holds_needed ? most_needed_level : SkipMap::level_bits;
        int level = 0;
        while (level < most && level + 1 < static_cast<int>(levels.size())) {
          const SkipLevel& next = levels[static_cast<std::size_t>(level) + 1];
          // A coarser cell has the bits of all its cells, so it equals `own` only where they are
          // all alike.
          if (next.holds[next.index(x >> (level + 1), y >> (level + 1), z >> (level + 1))] != own)
            break;
          ++level;
        }
        map.cells[i] =
            static_cast<std::uint8_t>(level | (own == holds_needed ? SkipMap::needed : 0));
      }
  });
  return map;
}

void widen(const CellGrid& grid, std::vector<std::uint8_t>& cells, const int (&reach)[3]) {
  const auto row = static_cast<std::size_t>(grid.x);
  const std::size_t slice = row * static_cast<std::size_t>(grid.y);
  std::vector<std::uint8_t> line;
  for (int z = 0; z < grid.z; ++z)
    for (int y = 0; y < grid.y; ++y)
      widen_line(&cells[grid.index(0, y, z)], grid.x, 1, reach[0], line);
  for (int z = 0; z < grid.z; ++z)
    for (int x = 0; x < grid.x; ++x)
      widen_line(&cells[grid.index(x, 0, z)], grid.y, row, reach[1], line);
  for (int y = 0; y < grid.y; ++y)
    for (int x = 0; x < grid.x; ++x)
      widen_line(&cells[grid.index(x, y, 0)], grid.z, slice, reach[2], line);
}

}  // namespace tilewall::render
