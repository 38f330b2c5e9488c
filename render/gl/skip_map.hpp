// How far a ray may go at a time: for every cell of a volume, the largest cube around it that is
// all needed or all not.
#pragma once

#include <cstdint>
#include <vector>

#include "render/volume/volume.hpp"

namespace tilewall::render {

/// Cells as in CellGrid, x fastest. A cell's cube is 2^level cells a side, at a multiple of that.
struct SkipMap {
  static constexpr std::uint8_t needed = 0x80;  ///< the cube's samples are taken
  static constexpr std::uint8_t level_bits = 0x7F;
  int size[3] = {};
  std::vector<std::uint8_t> cells;  ///< level, and `needed`
};

/// `cells`: 1 where needed. Cubes of needed ones reach `most_needed_level` at most: a brick.
[[nodiscard]] SkipMap make_skip_map(const CellGrid& grid, const std::vector<std::uint8_t>& cells,
                                    int most_needed_level, int threads);

/// Needed too are the cells up to `reach` away from a needed one, for each axis.
void widen(const CellGrid& grid, std::vector<std::uint8_t>& cells, const int (&reach)[3]);

}  // namespace tilewall::render
