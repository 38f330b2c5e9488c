#include "render/bricks/brick_layout.hpp"

#include <algorithm>

#include "render/readers/slab_reducer.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

VolumeSize bricks_of(VolumeSize size, int side) { return reduced_size(size, side); }

}  // namespace

std::size_t BrickLayout::brick_voxels() const noexcept {
  return VolumeSize{side, side, side}.voxels();
}

std::size_t BrickLayout::brick_bytes() const noexcept {
  return brick_voxels() * static_cast<std::size_t>(bytes_of(type));
}

int BrickLayout::slices(std::size_t level, int slab) const noexcept {
  return std::min(side, levels[level].size.z - slab * side);
}

std::size_t BrickLayout::slab_bytes(std::size_t level) const noexcept {
  const VolumeSize size = levels[level].size;
  return VolumeSize{size.x, size.y, std::min(side, size.z)}.voxels() *
         static_cast<std::size_t>(bytes_of(type));
}

BrickLayout brick_layout(const VolumeInfo& volume, int side) {
  TW_CHECK(side > 0 && side % brick_side_step == 0, "{}", side);
  BrickLayout layout;
  layout.type = volume.type;
  layout.side = side;
  layout.levels.push_back({volume.size, volume.place, bricks_of(volume.size, side)});
  for (;;) {
    const BrickLevel& last = layout.levels.back();
    if (std::max({last.size.x, last.size.y, last.size.z}) <= coarsest_side) return layout;
    const VolumeSize size = reduced_size(last.size, 2);
    layout.levels.push_back({size, reduced_place(last.place, last.size, 2), bricks_of(size, side)});
  }
}

}  // namespace tilewall::render
