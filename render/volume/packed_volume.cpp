#include <algorithm>

#include "render/volume/shared_work.hpp"
#include "render/volume/volume_caster.hpp"

namespace tilewall {
namespace {

constexpr int line_quads = 16;  // of a cache line

/// Rows, and slices, that do not all start at the same place of a cache: their distance is an odd
/// number of cache lines.
int odd_lines(int quads) noexcept {
  const int lines = (quads + line_quads - 1) / line_quads;
  return (lines | 1) * line_quads;
}

void pack_row(const std::uint8_t* upper, const std::uint8_t* lower, int length,
              std::uint32_t* to) noexcept {
  constexpr std::uint32_t less_128 = 0x80808080;
  const auto quad = [&](int x, int next) {
    return (std::uint32_t{upper[x]} | std::uint32_t{upper[next]} << 8 |
            std::uint32_t{lower[x]} << 16 | std::uint32_t{lower[next]} << 24) ^
           less_128;
  };
  for (int x = 0; x + 1 < length; ++x) to[x] = quad(x, x + 1);
  to[length - 1] = quad(length - 1, length - 1);
}

QuadLayout layout_of(VolumeSize size) noexcept {
  QuadLayout layout;
  layout.row = odd_lines(size.x);
  layout.slice = odd_lines(layout.row * size.y);
  return layout;
}

std::size_t packed_bytes(VolumeSize size) noexcept {
  return (static_cast<std::size_t>(size.z) + 1) * static_cast<std::size_t>(layout_of(size).slice) *
         sizeof(std::uint32_t);
}

}  // namespace

std::size_t caster_bytes(VoxelType type, VolumeSize size) noexcept {
  return type == VoxelType::u8 ? packed_bytes(size) : 0;
}

PackedVolume::PackedVolume(const Volume& volume, int threads) {
  const VolumeSize size = volume.size();
  layout_ = layout_of(size);
  memory_ = HugeMemory(packed_bytes(size));
  auto* quads = reinterpret_cast<std::uint32_t*>(memory_.data());
  const std::uint8_t* voxels = volume.voxels<std::uint8_t>().data();
  share_work(size.z + 1, threads, [&](int z) {
    const std::size_t from = static_cast<std::size_t>(std::min(z, size.z - 1));
    for (int y = 0; y < size.y; ++y) {
      const auto row = [&](int at) {
        return voxels + (from * static_cast<std::size_t>(size.y) + static_cast<std::size_t>(at)) *
                            static_cast<std::size_t>(size.x);
      };
      pack_row(row(y), row(std::min(y + 1, size.y - 1)), size.x,
               quads + static_cast<std::size_t>(z) * static_cast<std::size_t>(layout_.slice) +
                   static_cast<std::ptrdiff_t>(y) * layout_.row);
    }
  });
  layout_.quads = quads;
}

}  // namespace tilewall
