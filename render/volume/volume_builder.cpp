#include "render/volume/volume_builder.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "render/volume/cell_ranges.hpp"
#include "render/volume/volume_caster.hpp"

namespace tilewall::render {

namespace {

/// Takes the newest of `unused` that fits; all that do not fit are freed.
template <typename Thing, typename Fits>
std::unique_ptr<Thing> take_unused(std::deque<std::unique_ptr<Thing>>& unused, const Fits& fits) {
  std::erase_if(unused, [&](const auto& one) { return !fits(*one); });
  if (unused.empty()) return nullptr;
  std::unique_ptr<Thing> taken = std::move(unused.back());
  unused.pop_back();
  return taken;
}

template <typename Thing>
void keep_unused(std::deque<std::unique_ptr<Thing>>& unused, std::unique_ptr<Thing> thing) {
  unused.push_back(std::move(thing));
  if (unused.size() > VolumePool::most_unused) unused.pop_front();
}

}  // namespace

VoxelArray VolumePool::voxels(VoxelType type, VolumeSize size) {
  const std::size_t bytes = VoxelArray::memory_bytes(type, size);
  std::unique_ptr<HugeMemory> memory;
  {
    const std::scoped_lock lock(unused_->mutex);
    memory = take_unused(unused_->memory,
                         [&](const HugeMemory& one) { return one.size_bytes() == bytes; });
  }
  if (!memory) memory = std::make_unique<HugeMemory>(bytes);
  const auto give_back = [unused = unused_](HugeMemory* done) {
    const std::scoped_lock lock(unused->mutex);
    keep_unused(unused->memory, std::unique_ptr<HugeMemory>(done));
  };
  return {type, size, std::shared_ptr<HugeMemory>(memory.release(), give_back)};
}

std::shared_ptr<TiledVoxels> VolumePool::packed(VolumeSize size) {
  std::unique_ptr<TiledVoxels> packed;
  {
    const std::scoped_lock lock(unused_->mutex);
    packed = take_unused(unused_->packed,
                         [&](const TiledVoxels& one) { return one.tiles() == tiles_along(size); });
  }
  if (!packed) packed = packed_voxels(size);
  const auto give_back = [unused = unused_](TiledVoxels* done) {
    const std::scoped_lock lock(unused->mutex);
    keep_unused(unused->packed, std::unique_ptr<TiledVoxels>(done));
  };
  return {packed.release(), give_back};
}

std::size_t VolumeBuilder::bytes(VoxelType type, VolumeSize thin) noexcept {
  const VolumeSize size = thickened(thin);
  const int side = cell_side_of(size);
  std::size_t cells = sizeof(ValueRange);
  for (const int length : {size.x, size.y, size.z})
    cells *= static_cast<std::size_t>((length - 1 + side - 1) / side);
  return HugeMemory::held_bytes(VoxelArray::memory_bytes(type, size)) + cells;
}

VolumeBuilder::VolumeBuilder(VoxelType type, VolumeSize size, bool packs, VolumePool& pool)
    : size_(size),
      voxels_(pool.voxels(type, thickened(size))),
      cells_(cell_grid(voxels_.size())),
      packed_(packs && type == VoxelType::u8 && best_family() != CastFamily::scalar
                  ? pool.packed(voxels_.size())
                  : nullptr),
      has_slice_(static_cast<std::size_t>(voxels_.size().z)),
      has_cells_(static_cast<std::size_t>(cells_.z)),
      has_tiles_(packed_ ? static_cast<std::size_t>(packed_->tiles()[2]) : 0) {}

VolumeBuilder::Slice VolumeBuilder::slice(int z) const noexcept {
  const auto row = static_cast<std::size_t>(voxels_.size().x) *
                   static_cast<std::size_t>(bytes_of(voxels_.type()));
  const std::size_t slice = row * static_cast<std::size_t>(voxels_.size().y);
  return {voxels_.data() + static_cast<std::size_t>(z) * slice, row};
}

void VolumeBuilder::finish_slice(int z) {
  thicken(z);
  const Slice at = slice(z);
  if (voxels_.type() == VoxelType::f32)
    drop_infinities(std::span(
        reinterpret_cast<float*>(at.first),
        static_cast<std::size_t>(voxels_.size().x) * static_cast<std::size_t>(voxels_.size().y)));
  has_slice_[static_cast<std::size_t>(z)] = true;
  ++finished_;
  if (size_.z == 1) {
    std::memcpy(slice(1).first, at.first,
                at.row_bytes * static_cast<std::size_t>(voxels_.size().y));
    has_slice_[1] = true;
  }
  finish_layers(z);
}

/// Doubles the voxels of an axis of one voxel in a slice.
void VolumeBuilder::thicken(int z) noexcept {
  const Slice at = slice(z);
  const auto voxel = static_cast<std::size_t>(bytes_of(voxels_.type()));
  for (int y = 0; y < size_.y && size_.x == 1; ++y) {
    std::byte* const row = at.first + static_cast<std::size_t>(y) * at.row_bytes;
    std::memcpy(row + voxel, row, voxel);
  }
  if (size_.y == 1) std::memcpy(at.first + at.row_bytes, at.first, at.row_bytes);
}

bool VolumeBuilder::has_slices(int begin, int end) const noexcept {
  const auto first = has_slice_.begin();
  return std::all_of(first + begin, first + std::min(end, voxels_.size().z),
                     [](bool has) { return has; });
}

/// Finishes the layers of cells and tiles for which the slice was the last one.
void VolumeBuilder::finish_layers(int z) {
  // A slice at a border belongs to the cells on both sides.
  for (int cz = std::max((z - 1) / cells_.side, 0);
       cz <= std::min(z / cells_.side + 1, cells_.z - 1); ++cz) {
    const auto layer = static_cast<std::size_t>(cz);
    if (has_cells_[layer] || !has_slices(cz * cells_.side, (cz + 1) * cells_.side + 1)) continue;
    find_cell_layer(voxels_, cells_, cz);
    has_cells_[layer] = true;
  }
  const int layers = static_cast<int>(has_tiles_.size());
  for (int tz = z / tile_sides[2]; tz < std::min(z / tile_sides[2] + 2, layers); ++tz) {
    const auto layer = static_cast<std::size_t>(tz);
    // The layer beyond the last slice repeats that one.
    const int begin = std::min(tz * tile_sides[2], voxels_.size().z - 1);
    if (has_tiles_[layer] || !has_slices(begin, begin + tile_sides[2])) continue;
    pack_layer(voxels_, *packed_, tz);
    has_tiles_[layer] = true;
  }
}

Volume VolumeBuilder::volume(const VolumePlace& place, ValueScale scale) const {
  return Volume(voxels_, cells_, thickened(place, size_), scale);
}

}  // namespace tilewall::render
