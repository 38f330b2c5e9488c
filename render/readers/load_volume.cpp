#include "render/readers/load_volume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr std::size_t scan_bytes = std::size_t{32} << 20;

template <typename Voxel>
void widen(const std::byte* voxels, std::size_t bytes, ValueRange& range) {
  const auto* voxel = reinterpret_cast<const Voxel*>(voxels);
  Voxel least = std::numeric_limits<Voxel>::max();
  Voxel most = std::numeric_limits<Voxel>::lowest();
  for (std::size_t i = 0; i < bytes / sizeof(Voxel); ++i) {
    least = voxel[i] < least ? voxel[i] : least;  // not so of NaN
    most = voxel[i] > most ? voxel[i] : most;
  }
  if (least > most) return;  // all are NaN
  range.min = std::min(range.min, static_cast<float>(least));
  range.max = std::max(range.max, static_cast<float>(most));
}

/// Doubles every voxel along the axes that have but one.
VoxelArray thickened(VolumeFile& file, int timestep, VolumeSize to) {
  const VolumeSize from = file.info().size;
  const VoxelType type = file.info().type;
  const auto bytes = static_cast<std::size_t>(bytes_of(type));
  VoxelArray array(type, to);
  std::vector<std::byte> slice(file.slab_bytes(0, 1));
  std::byte* out = array.data();
  for (int z = 0; z < to.z; ++z) {
    if (z < from.z) file.read(timestep, z, z + 1, slice);
    for (int y = 0; y < to.y; ++y)
      for (int x = 0; x < to.x; ++x, out += bytes) {
        const int at = std::min(y, from.y - 1) * from.x + std::min(x, from.x - 1);
        std::memcpy(out, slice.data() + static_cast<std::size_t>(at) * bytes, bytes);
      }
  }
  return array;
}

}  // namespace

Volume load_volume(VolumeFile& file, int timestep, int threads) {
  const VolumeInfo& info = file.info();
  const VolumeSize size = {std::max(info.size.x, 2), std::max(info.size.y, 2),
                           std::max(info.size.z, 2)};
  for (const int side : {size.x, size.y, size.z})
    if (side > max_volume_side)
      throw InputError({file.path()}, "size",
                       fmt::format("at most {} voxels along an axis", max_volume_side),
                       fmt::format("{}", side));
  if (size == info.size) {
    VoxelArray array(info.type, size);
    file.read(timestep, 0, size.z, {array.data(), array.size_bytes()});
    return Volume(std::move(array), info.place, info.scale, threads);
  }
  VolumePlace place = info.place;
  const auto spacing = axes_of(place.spacing);
  const std::array<bool, 3> doubled = {info.size.x < 2, info.size.y < 2, info.size.z < 2};
  for (std::size_t i = 0; i < 3; ++i)
    if (doubled[i]) place.origin = place.origin - (0.5 * spacing[i]) * place.axes[i];
  return Volume(thickened(file, timestep, size), place, info.scale, threads);
}

ValueRange find_value_range(VolumeFile& file, int timestep) {
  const VolumeInfo& info = file.info();
  ValueRange stored = {std::numeric_limits<float>::infinity(),
                       -std::numeric_limits<float>::infinity()};
  const auto slices = static_cast<int>(std::clamp<std::size_t>(
      scan_bytes / file.slab_bytes(0, 1), 1, static_cast<std::size_t>(info.size.z)));
  std::vector<std::byte> slab(file.slab_bytes(0, slices));
  for (int z = 0; z < info.size.z; z += slices) {
    const int end = std::min(z + slices, info.size.z);
    const std::span<std::byte> part = std::span(slab).first(file.slab_bytes(z, end));
    file.read(timestep, z, end, part);
    if (info.type == VoxelType::u8) widen<std::uint8_t>(part.data(), part.size(), stored);
    if (info.type == VoxelType::u16) widen<std::uint16_t>(part.data(), part.size(), stored);
    if (info.type == VoxelType::f32) widen<float>(part.data(), part.size(), stored);
  }
  const auto value = [&](float number) {
    return static_cast<float>(info.scale.offset + info.scale.scale * static_cast<double>(number));
  };
  return {value(stored.min), value(stored.max)};
}

}  // namespace tilewall
