#include "render/bricks/brick_cells.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tilewall::render {
namespace {

constexpr int most_columns = 256;

template <typename T>
struct Pair {
  T least;
  T greatest;
  void take(T other_least, T other_greatest) noexcept {
    least = other_least < least ? other_least : least;  // false for NaN, which is ignored so
    greatest = other_greatest > greatest ? other_greatest : greatest;
  }
};

template <typename T>
constexpr Pair<T> empty_pair() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) return {Limits::infinity(), -Limits::infinity()};
  return {Limits::max(), Limits::lowest()};
}

/// The least and greatest number of each column in a row of cells. Whole rows of voxels are added,
/// which the compiler vectorizes, and cells are combined from columns at the end.
template <typename T>
struct Columns {
  std::array<T, most_columns> least;
  std::array<T, most_columns> greatest;

  void clear() {
    least.fill(empty_pair<T>().least);
    greatest.fill(empty_pair<T>().greatest);
  }
  void add(const T* row, int length) {
    for (int x = 0; x < length; ++x) {
      const auto at = static_cast<std::size_t>(x);
      least[at] = row[x] < least[at] ? row[x] : least[at];
      greatest[at] = row[x] > greatest[at] ? row[x] : greatest[at];
    }
  }
  [[nodiscard]] Pair<T> cell(int begin, int end) const {
    Pair<T> pair = empty_pair<T>();
    for (int x = begin; x < end; ++x)
      pair.take(least[static_cast<std::size_t>(x)], greatest[static_cast<std::size_t>(x)]);
    return pair;
  }
};

template <typename T>
void find_cells(const BrickView& brick, int cells_a_side, int side, std::byte* cells,
                std::byte* whole) {
  const auto* first = reinterpret_cast<const T*>(brick.first);
  auto* to = reinterpret_cast<Pair<T>*>(cells);
  Pair<T> all = empty_pair<T>();
  Columns<T> columns;
  for (int cz = 0; cz < cells_a_side; ++cz)
    for (int cy = 0; cy < cells_a_side; ++cy) {
      columns.clear();
      for (int z = cz * side; z < std::min((cz + 1) * side, brick.inside.z); ++z)
        for (int y = cy * side; y < std::min((cy + 1) * side, brick.inside.y); ++y)
          columns.add(first + static_cast<std::size_t>(z) * brick.slice_voxels +
                          static_cast<std::size_t>(y) * brick.row_voxels,
                      brick.inside.x);
      for (int cx = 0; cx < cells_a_side; ++cx, ++to) {
        *to = columns.cell(std::min(cx * side, brick.inside.x),
                           std::min((cx + 1) * side, brick.inside.x));
        all.take(to->least, to->greatest);
      }
    }
  std::memcpy(whole, &all, sizeof all);
}

template <typename T>
ValueRange as_range(const std::byte* bytes) noexcept {
  Pair<T> pair;
  std::memcpy(&pair, bytes, sizeof pair);
  if (!(pair.least <= pair.greatest))
    return {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  return {static_cast<float>(pair.least), static_cast<float>(pair.greatest)};
}

}  // namespace

std::size_t pair_bytes(VoxelType type) noexcept {
  return 2 * static_cast<std::size_t>(bytes_of(type));
}

void find_brick_cells(VoxelType type, const BrickView& brick, int brick_side, int cell_side,
                      std::span<std::byte> cells, std::span<std::byte> whole) {
  const int cells_a_side = brick_side / cell_side;
  switch (type) {
    case VoxelType::u8:
      return find_cells<std::uint8_t>(brick, cells_a_side, cell_side, cells.data(), whole.data());
    case VoxelType::u16:
      return find_cells<std::uint16_t>(brick, cells_a_side, cell_side, cells.data(), whole.data());
    case VoxelType::f32:
      return find_cells<float>(brick, cells_a_side, cell_side, cells.data(), whole.data());
  }
}

ValueRange range_of_pair(VoxelType type, const std::byte* pair) noexcept {
  switch (type) {
    case VoxelType::u8:
      return as_range<std::uint8_t>(pair);
    case VoxelType::u16:
      return as_range<std::uint16_t>(pair);
    default:
      return as_range<float>(pair);
  }
}

}  // namespace tilewall::render
