#include "render/readers/load_volume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "render/readers/slab_reducer.hpp"
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

/// Copies a slice of `from` voxels into one of `to`, whose sides of one voxel are two.
void place_slice(VolumeSize from, VolumeSize to, std::size_t voxel_bytes, const std::byte* slice,
                 std::byte* at) {
  if (from.x == to.x && from.y == to.y) {
    std::memcpy(at, slice,
                static_cast<std::size_t>(from.x) * static_cast<std::size_t>(from.y) * voxel_bytes);
    return;
  }
  for (int y = 0; y < to.y; ++y)
    for (int x = 0; x < to.x; ++x, at += voxel_bytes) {
      const auto index =
          static_cast<std::size_t>(std::min(y, from.y - 1)) * static_cast<std::size_t>(from.x) +
          static_cast<std::size_t>(std::min(x, from.x - 1));
      std::memcpy(at, slice + index * voxel_bytes, voxel_bytes);
    }
}

/// Where a volume lies whose sides of one voxel have become two.
VolumePlace thickened(VolumePlace place, VolumeSize size) noexcept {
  const auto spacing = axes_of(place.spacing);
  const std::array<bool, 3> doubled = {size.x < 2, size.y < 2, size.z < 2};
  for (std::size_t i = 0; i < 3; ++i)
    if (doubled[i]) place.origin = place.origin - (0.5 * spacing[i]) * place.axes[i];
  return place;
}

VolumeSize thickened(VolumeSize size) noexcept {
  return {std::max(size.x, 2), std::max(size.y, 2), std::max(size.z, 2)};
}

/// Reads `slices` slices at a time, a multiple of `side`, and places what becomes of them.
void read_slabs(VolumeFile& file, const LoadOptions& options, VolumeSize small, VoxelArray& into) {
  const VolumeInfo& info = file.info();
  const VolumeSize size = into.size();
  const auto voxel_bytes = static_cast<std::size_t>(bytes_of(info.type));
  const std::size_t slice_bytes =
      static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y) * voxel_bytes;
  const std::size_t file_slice = file.slab_bytes(0, 1);
  const int side = options.side;
  const auto fit = static_cast<int>(std::min<std::size_t>(scan_bytes / file_slice, 1 << 20));
  const int slices = std::max({info.slab_voxels, fit / side * side, side}) / side * side;
  std::vector<std::byte> slab(file.slab_bytes(0, std::min(slices, info.size.z)));
  std::vector<std::byte> reduced(side > 1 ? static_cast<std::size_t>(small.x) *
                                                static_cast<std::size_t>(small.y) * voxel_bytes
                                          : 0);
  for (int z = 0; z < info.size.z && !options.stop.stop_requested(); z += slices) {
    const int end = std::min(z + slices, info.size.z);
    file.read(options.timestep, z, end, std::span(slab).first(file.slab_bytes(z, end)));
    for (int from = z; from < end; from += side) {
      const std::byte* slice = slab.data() + static_cast<std::size_t>(from - z) * file_slice;
      if (side > 1) {
        reduce_slab(info.type, info.size, slice, std::min(side, end - from), side, reduced.data());
        slice = reduced.data();
      }
      place_slice(small, size, voxel_bytes, slice,
                  into.data() + static_cast<std::size_t>(from / side) * slice_bytes);
    }
  }
  if (size.z != small.z) std::memcpy(into.data() + slice_bytes, into.data(), slice_bytes);
}

}  // namespace

Volume load_volume(VolumeFile& file, const LoadOptions& options) {
  const VolumeInfo& info = file.info();
  const VolumeSize small = reduced_size(info.size, options.side);
  const VolumeSize size = thickened(small);
  for (const int side : {size.x, size.y, size.z})
    if (side > max_volume_side)
      throw InputError({file.path()}, "size",
                       fmt::format("at most {} voxels along an axis", max_volume_side),
                       fmt::format("{}", side));
  VoxelArray array(info.type, size);
  read_slabs(file, options, small, array);
  VolumePlace place = thickened(reduced_place(info.place, info.size, options.side), small);
  place.spacing = {place.spacing.x * options.stretch.x, place.spacing.y * options.stretch.y,
                   place.spacing.z * options.stretch.z};
  return Volume(std::move(array), place, info.scale, options.threads);
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
