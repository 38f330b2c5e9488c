#include "render/readers/slab_reducer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tilewall {
namespace {

int divided_up(int length, int side) { return (length + side - 1) / side; }

template <typename T>
T mean_of(double sum, int count) {
  if constexpr (std::is_same_v<T, float>)
    return count > 0 ? static_cast<float>(sum / count) : std::numeric_limits<float>::quiet_NaN();
  else
    return static_cast<T>(sum / count + 0.5);
}

template <typename T>
void reduce(VolumeSize size, const T* slab, int slices, int side, T* to) {
  const auto row = static_cast<std::size_t>(size.x);
  const std::size_t slice = row * static_cast<std::size_t>(size.y);
  for (int y = 0; y < size.y; y += side)
    for (int x = 0; x < size.x; x += side) {
      double sum = 0;
      int count = 0;
      for (int k = 0; k < slices; ++k)
        for (int j = y; j < std::min(y + side, size.y); ++j) {
          const T* from =
              slab + static_cast<std::size_t>(k) * slice + static_cast<std::size_t>(j) * row;
          for (int i = x; i < std::min(x + side, size.x); ++i) {
            if constexpr (std::is_same_v<T, float>)
              if (!std::isfinite(from[i])) continue;
            sum += static_cast<double>(from[i]);
            ++count;
          }
        }
      *to++ = mean_of<T>(sum, count);
    }
}

}  // namespace

VolumeSize reduced_size(VolumeSize size, int side) noexcept {
  return {divided_up(size.x, side), divided_up(size.y, side), divided_up(size.z, side)};
}

VolumePlace reduced_place(const VolumePlace& place, int side) noexcept {
  VolumePlace reduced = place;
  const double shift = (side - 1) / 2.0;
  reduced.origin = place.origin + (shift * place.spacing.x) * place.axes[0] +
                   (shift * place.spacing.y) * place.axes[1] +
                   (shift * place.spacing.z) * place.axes[2];
  reduced.spacing = static_cast<double>(side) * place.spacing;
  return reduced;
}

void reduce_slab(VoxelType type, VolumeSize size, const std::byte* slab, int slices, int side,
                 std::byte* to) {
  switch (type) {
    case VoxelType::u8:
      return reduce(size, reinterpret_cast<const std::uint8_t*>(slab), slices, side,
                    reinterpret_cast<std::uint8_t*>(to));
    case VoxelType::u16:
      return reduce(size, reinterpret_cast<const std::uint16_t*>(slab), slices, side,
                    reinterpret_cast<std::uint16_t*>(to));
    case VoxelType::f32:
      return reduce(size, reinterpret_cast<const float*>(slab), slices, side,
                    reinterpret_cast<float*>(to));
  }
}

}  // namespace tilewall
