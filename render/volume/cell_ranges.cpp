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

/// Ranges of the voxels at each x of several rows, in the voxels' own type. NaN compares false, and
/// so leaves both ends unchanged. Rows are joined voxel by voxel, which compiles to vector
/// instructions, and cells are found in the result.
template <typename T>
struct RowRanges {
  std::vector<T> min;
  std::vector<T> max;

  void clear(int length) {
    using Limits = std::numeric_limits<T>;
    const bool real = std::is_floating_point_v<T>;
    min.assign(static_cast<std::size_t>(length), real ? Limits::infinity() : Limits::max());
    max.assign(static_cast<std::size_t>(length), real ? -Limits::infinity() : Limits::min());
  }

  void add(const T* row) {
    T* const least = min.data();
    T* const greatest = max.data();
    const std::size_t length = min.size();
    for (std::size_t x = 0; x < length; ++x) {
      least[x] = row[x] < least[x] ? row[x] : least[x];
      greatest[x] = row[x] > greatest[x] ? row[x] : greatest[x];
    }
  }

  /// The range from voxel `begin` to `last`.
  [[nodiscard]] ValueRange range(int begin, int last) const {
    T least = min[static_cast<std::size_t>(begin)];
    T greatest = max[static_cast<std::size_t>(begin)];
    for (auto x = static_cast<std::size_t>(begin) + 1; x <= static_cast<std::size_t>(last); ++x) {
      least = std::min(least, min[x]);
      greatest = std::max(greatest, max[x]);
    }
    return least > greatest ? no_range
                            : ValueRange{static_cast<float>(least), static_cast<float>(greatest)};
  }
};

template <typename T>
void find_layer(const VoxelArray& voxels, CellGrid& grid, int cz) {
  const VolumeSize size = voxels.size();
  const int side = grid.side;
  const T* from = voxels.voxels<T>().data();
  RowRanges<T> ranges;
  for (int cy = 0; cy < grid.y; ++cy) {
    ranges.clear(size.x);
    for (int z = cz * side; z <= std::min((cz + 1) * side, size.z - 1); ++z)
      for (int y = cy * side; y <= std::min((cy + 1) * side, size.y - 1); ++y)
        ranges.add(from + (static_cast<std::size_t>(z) * static_cast<std::size_t>(size.y) +
                           static_cast<std::size_t>(y)) *
                              static_cast<std::size_t>(size.x));
    for (int cx = 0; cx < grid.x; ++cx)
      grid.stored[grid.index(cx, cy, cz)] =
          ranges.range(cx * side, std::min((cx + 1) * side, size.x - 1));
  }
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
