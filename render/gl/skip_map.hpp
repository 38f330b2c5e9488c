// How far a ray may go at a time: for every cell of a volume, the largest cube around it whose
// cells are all needed or all not.
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
  std::vector<std::uint8_t> cells;  ///< Level, and the bit `needed`
};

/// Makes the map. `cells`: 1 where needed. Cubes of needed cells reach at most `most_needed_level`,
/// the size of a brick.
[[nodiscard]] SkipMap make_skip_map(const CellGrid& grid, const std::vector<std::uint8_t>& cells,
                                    int most_needed_level, int threads);

/// Marks also the cells up to `reach` away from a needed one along each axis.
void widen(const CellGrid& grid, std::vector<std::uint8_t>& cells, const int (&reach)[3]);

}  // namespace tilewall::render
