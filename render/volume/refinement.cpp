#include "render/volume/refinement.hpp"

#include <algorithm>
#include <cstddef>

namespace tilewall::render {
namespace {

// Of the cells that are needed, four fifths of a chest's bones change so much, and at most a tenth
// of scans and simulations with functions over all of their range.
constexpr float sharp_change = 0.3F;
constexpr std::size_t sharp_share = 4;  // one in so many of the needed cells
constexpr std::size_t most_cells = 1 << 14;

}  // namespace

std::vector<ValueRange> some_cells(const Volume& volume) {
  const auto& cells = volume.cells().stored;
  const ValueScale scale = volume.scale();
  const auto value = [&](float stored) {
    return static_cast<float>(scale.offset + scale.scale * static_cast<double>(stored));
  };
  // An odd stride, so that it is not a row's length of a volume of 2^n voxels.
  const std::size_t stride = ((cells.size() + most_cells - 1) / most_cells) | 1;
  std::vector<ValueRange> some;
  some.reserve(cells.size() / stride + 1);
  for (std::size_t i = 0; i < cells.size(); i += stride)
    if (!cells[i].empty()) some.push_back({value(cells[i].min), value(cells[i].max)});
  return some;
}

bool changes_sharply(std::span<const ValueRange> cells, const TransferTable& table) {
  std::size_t needed = 0;
  std::size_t sharp = 0;
  for (const ValueRange& cell : cells) {
    if (!table.any_opacity(cell.min, cell.max)) continue;
    ++needed;
    if (table.change(cell.min, cell.max) > sharp_change) ++sharp;
  }
  return sharp * sharp_share > needed;
}

}  // namespace tilewall::render
