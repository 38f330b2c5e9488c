#include "render/readers/slab_reducer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tilewall::render {
namespace {

int divided_up(int length, int side) { return (length + side - 1) / side; }

template <typename T>
T mean_of(double sum, int count) {
  if constexpr (std::is_same_v<T, float>)
    return count > 0 ? static_cast<float>(sum / count) : std::numeric_limits<float>::quiet_NaN();
  else
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): lround would be a call for each voxel.
    return static_cast<T>(sum / count + 0.5);
}

/// A slab and the part of each slice that is reduced.
template <typename T>
struct SlabPart {
  const T* voxels;
  std::size_t width;   // width of a whole slice, in voxels
  std::size_t height;  // height of a whole slice, in voxels
  int slices;
  SlicePart part;
  [[nodiscard]] const T* row(int z, int y) const noexcept {
    return voxels + (static_cast<std::size_t>(z) * height + static_cast<std::size_t>(y)) * width;
  }
};

template <typename T>
void reduce(const SlabPart<T>& slab, int side, T* to, std::size_t to_row) {
  for (int y = slab.part.y_begin; y < slab.part.y_end; y += side, to += to_row) {
    T* out = to;
    for (int x = slab.part.x_begin; x < slab.part.x_end; x += side) {
      double sum = 0;
      int count = 0;
      for (int k = 0; k < slab.slices; ++k)
        for (int j = y; j < std::min(y + side, slab.part.y_end); ++j) {
          const T* from = slab.row(k, j);
          for (int i = x; i < std::min(x + side, slab.part.x_end); ++i) {
            if constexpr (std::is_same_v<T, float>)
              if (!std::isfinite(from[i])) continue;
            sum += static_cast<double>(from[i]);
            ++count;
          }
        }
      *out++ = mean_of<T>(sum, count);
    }
  }
}

/// Sum of at most 8 voxels. For whole numbers it is exact, and mean() rounds as mean_of() does.
template <typename T>
struct FewSum {
  std::conditional_t<sizeof(T) == 1, std::uint16_t, std::uint32_t> sum = 0;
  void add(T voxel) noexcept { sum = static_cast<decltype(sum)>(sum + voxel); }
  /// @pre `count` voxels were added, and it is a power of two
  [[nodiscard]] T mean(int count) const noexcept {
    return static_cast<T>((sum + static_cast<unsigned>(count) / 2) / static_cast<unsigned>(count));
  }
};

template <>
struct FewSum<float> {
  double sum = 0;
  double finite = 0;
  void add(float voxel) noexcept {
    const bool counts = std::abs(voxel) <= std::numeric_limits<float>::max();  // false for NaN
    sum += counts ? static_cast<double>(voxel) : 0.0;
    finite += counts ? 1.0 : 0.0;
  }
  [[nodiscard]] float mean(int) const noexcept {
    return finite > 0 ? static_cast<float>(sum / finite) : std::numeric_limits<float>::quiet_NaN();
  }
};

/// Reduces 1, 2 or 4 rows to one of half the length. It is written so that compilers vectorise it.
template <int rows, typename T>
void halve_rows(const std::array<const T*, 4>& row, int length, T* to) {
  for (int x = 0; x < length / 2; ++x) {
    FewSum<T> few;
    for (std::size_t r = 0; r < rows; ++r) {
      few.add(row[r][2 * x]);
      few.add(row[r][2 * x + 1]);
    }
    to[x] = few.mean(2 * rows);
  }
  if (length % 2 == 0) return;
  FewSum<T> few;
  for (std::size_t r = 0; r < rows; ++r) few.add(row[r][length - 1]);
  to[length / 2] = few.mean(rows);
}

/// Computes the same as reduce() with a side of 2, to the bit, but ten times as fast.
template <typename T>
void halve(const SlabPart<T>& slab, T* to, std::size_t to_row) {
  const int length = slab.part.x_end - slab.part.x_begin;
  for (int y = slab.part.y_begin; y < slab.part.y_end; y += 2, to += to_row) {
    std::array<const T*, 4> row = {};
    std::size_t rows = 0;
    for (int k = 0; k < slab.slices; ++k)
      for (int j = y; j < std::min(y + 2, slab.part.y_end); ++j)
        row[rows++] = slab.row(k, j) + slab.part.x_begin;
    if (rows == 4) halve_rows<4>(row, length, to);
    if (rows == 2) halve_rows<2>(row, length, to);
    if (rows == 1) halve_rows<1>(row, length, to);
  }
}

template <typename T>
void reduce_any(VolumeSize size, const std::byte* slab, int slices, int side, const SlicePart& part,
                std::byte* to) {
  const SlabPart<T> from = {reinterpret_cast<const T*>(slab), static_cast<std::size_t>(size.x),
                            static_cast<std::size_t>(size.y), slices, part};
  const auto to_row = static_cast<std::size_t>(divided_up(size.x, side));
  T* const out = reinterpret_cast<T*>(to) + static_cast<std::size_t>(part.y_begin / side) * to_row +
                 static_cast<std::size_t>(part.x_begin / side);
  if (side == 2)
    halve(from, out, to_row);
  else
    reduce(from, side, out, to_row);
}

}  // namespace

VolumeSize reduced_size(VolumeSize size, int side) noexcept {
  return {divided_up(size.x, side), divided_up(size.y, side), divided_up(size.z, side)};
}

VolumePlace reduced_place(const VolumePlace& place, VolumeSize size, int side) noexcept {
  VolumePlace reduced = place;
  const auto widen = [&](double& spacing, int voxels, Vec3d axis) {
    if (voxels == 1) return;
    reduced.origin = reduced.origin + ((side - 1) / 2.0 * spacing) * axis;
    spacing *= side;
  };
  widen(reduced.spacing.x, size.x, place.axes[0]);
  widen(reduced.spacing.y, size.y, place.axes[1]);
  widen(reduced.spacing.z, size.z, place.axes[2]);
  return reduced;
}

void reduce_slab(VoxelType type, VolumeSize size, const std::byte* slab, int slices, int side,
                 const SlicePart& part, std::byte* to) {
  switch (type) {
    case VoxelType::u8:
      return reduce_any<std::uint8_t>(size, slab, slices, side, part, to);
    case VoxelType::u16:
      return reduce_any<std::uint16_t>(size, slab, slices, side, part, to);
    case VoxelType::f32:
      return reduce_any<float>(size, slab, slices, side, part, to);
  }
}

void reduce_slab(VoxelType type, VolumeSize size, const std::byte* slab, int slices, int side,
                 std::byte* to) {
  reduce_slab(type, size, slab, slices, side, {0, size.x, 0, size.y}, to);
}

}  // namespace tilewall::render
