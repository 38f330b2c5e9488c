#include "render/volume/cell_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "render/volume/shared_work.hpp"

namespace tilewall::render {

namespace {

constexpr ValueRange no_range = {std::numeric_limits<float>::infinity(),
                                 -std::numeric_limits<float>::infinity()};

/// Ranges of a row of cells while rows of voxels are added to it, in the voxels' own type. NaN
/// compares false, and so leaves both ends unchanged.
template <typename T>
struct RowRanges {
  std::vector<T> min;
  std::vector<T> max;

  void clear(int cells) {
    using Limits = std::numeric_limits<T>;
    const bool real = std::is_floating_point_v<T>;
    min.assign(static_cast<std::size_t>(cells), real ? Limits::infinity() : Limits::max());
    max.assign(static_cast<std::size_t>(cells), real ? -Limits::infinity() : Limits::min());
  }

  template <int side>
  void add(const T* row, int length) {
    const int cells = static_cast<int>(min.size());
    for (int cell = 0; cell < cells; ++cell) {
      const T* from = row + static_cast<std::ptrdiff_t>(cell) * side;
      const int count = std::min(side, length - 1 - cell * side);
      T least = min[static_cast<std::size_t>(cell)];
      T greatest = max[static_cast<std::size_t>(cell)];
      const auto take = [&](T value) {
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
      };
      if (count == side) {
        for (int i = 0; i <= side; ++i) take(from[i]);
      } else {
        for (int i = 0; i <= count; ++i) take(from[i]);
      }
      min[static_cast<std::size_t>(cell)] = least;
      max[static_cast<std::size_t>(cell)] = greatest;
    }
  }
};

template <typename T, int side>
void find_layer(const VoxelArray& voxels, CellGrid& grid, int cz) {
  const VolumeSize size = voxels.size();
  const T* from = voxels.voxels<T>().data();
  RowRanges<T> ranges;
  for (int cy = 0; cy < grid.y; ++cy) {
    ranges.clear(grid.x);
    for (int z = cz * side; z <= std::min((cz + 1) * side, size.z - 1); ++z)
      for (int y = cy * side; y <= std::min((cy + 1) * side, size.y - 1); ++y)
        ranges.template add<side>(
            from + (static_cast<std::size_t>(z) * static_cast<std::size_t>(size.y) +
                    static_cast<std::size_t>(y)) *
                       static_cast<std::size_t>(size.x),
            size.x);
    ValueRange* to = grid.stored.data() + grid.index(0, cy, cz);
    for (std::size_t cell = 0; cell < ranges.min.size(); ++cell)
      to[cell] = ranges.min[cell] > ranges.max[cell]
                     ? no_range
                     : ValueRange{static_cast<float>(ranges.min[cell]),
                                  static_cast<float>(ranges.max[cell])};
  }
}

template <typename T>
void find_layer(const VoxelArray& voxels, CellGrid& grid, int cz) {
  grid.side == 4 ? find_layer<T, 4>(voxels, grid, cz) : find_layer<T, 8>(voxels, grid, cz);
}

}  // namespace

int cell_side_of(VolumeSize size) noexcept {
  return std::max({size.x, size.y, size.z}) > 768 ? 8 : 4;
}

CellGrid cell_grid(VolumeSize size) {
  CellGrid grid;
  grid.side = cell_side_of(size);
  const auto cells = [&](int side) { return (side - 1 + grid.side - 1) / grid.side; };
  grid.x = cells(size.x);
  grid.y = cells(size.y);
  grid.z = cells(size.z);
  grid.stored.resize(grid.index(0, 0, grid.z));
  return grid;
}

void drop_infinities(std::span<float> voxels) noexcept {
  for (float& voxel : voxels)
    if (!std::isfinite(voxel)) voxel = std::numeric_limits<float>::quiet_NaN();
}

void find_cell_layer(const VoxelArray& voxels, CellGrid& grid, int cz) {
  switch (voxels.type()) {
    case VoxelType::u8:
      return find_layer<std::uint8_t>(voxels, grid, cz);
    case VoxelType::u16:
      return find_layer<std::uint16_t>(voxels, grid, cz);
    case VoxelType::f32:
      return find_layer<float>(voxels, grid, cz);
  }
}

CellGrid find_cell_ranges(const VoxelArray& voxels, int threads) {
  CellGrid grid = cell_grid(voxels.size());
  share_work(grid.z, threads, [&](int cz) { find_cell_layer(voxels, grid, cz); });
  return grid;
}

bool is_needed(ValueRange values, const TransferTable& table, const CastStyle& style) noexcept {
  switch (style.mode) {
    case CastMode::composite:
      return table.any_opacity(values.min, values.max);
    case CastMode::isosurface: {
      const auto iso = static_cast<float>(style.iso_value);
      // Rounding may take a sample just past its cell's range.
      const float slack = 1e-5F * (std::abs(values.min) + std::abs(values.max));
      return values.min - slack <= iso && iso <= values.max + slack;
    }
    case CastMode::maximum:
    case CastMode::average:
      break;
  }
  return true;
}

Occupancy needed_cells(const Volume& volume, const TransferTable& table, const CastStyle& style,
                       int threads) {
  return {volume, threads,
          [&](const ValueRange& values) { return is_needed(values, table, style); }};
}

}  // namespace tilewall::render
