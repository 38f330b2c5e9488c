// Builds a volume slice by slice, while its voxels arrive in any order: the ranges of its cells are
// found, and its voxels packed for the processor's kernels, as soon as all slices of a layer are
// there. Nothing is left to do once the last slice has come, but for that slice's layers.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "render/volume/tiled_voxels.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

/// Memory of volumes that come and go. What is not used any more is kept for the next volume of the
/// same size: fresh pages take longer to get than to fill.
///
/// Threads: any. Voxels and packed voxels may outlive this object.
class VolumePool {
 public:
  static constexpr std::size_t most_unused = 2;  ///< Unused ones of each kind

  /// Voxels with any contents. Throws as VoxelArray's constructor.
  [[nodiscard]] VoxelArray voxels(VoxelType type, VolumeSize size);
  /// Packed voxels of a volume of that size, with any contents.
  [[nodiscard]] std::shared_ptr<TiledVoxels> packed(VolumeSize size);

 private:
  struct Unused {
    std::mutex mutex;
    std::deque<std::unique_ptr<HugeMemory>> memory;   // guarded by mutex; the newest at the end
    std::deque<std::unique_ptr<TiledVoxels>> packed;  // guarded by mutex
  };
  const std::shared_ptr<Unused> unused_ = std::make_shared<Unused>();
};

class VolumeBuilder {
 public:
  /// Memory of voxels and ranges in bytes. Packed voxels take caster_bytes() more.
  [[nodiscard]] static std::size_t bytes(VoxelType type, VolumeSize size) noexcept;

  /// Sides of `size` are 1 to max_volume_side voxels; an axis of one voxel is thickened. `packs`:
  /// u8 voxels are packed, too. Throws JobError where the system does not have the memory.
  VolumeBuilder(VoxelType type, VolumeSize size, bool packs, VolumePool& pool);

  /// Where a slice's voxels are to be written: the first one, and the distances of rows.
  struct Slice {
    std::byte* first = nullptr;
    std::size_t row_bytes = 0;
  };
  [[nodiscard]] Slice slice(int z) const noexcept;
  /// All voxels of the slice have been written. @pre not called for this slice before
  void finish_slice(int z);
  [[nodiscard]] bool is_whole() const noexcept { return finished_ == size_.z; }

  // --- of a whole volume

  /// The volume, of which several may be made: they share the voxels. `place` is that of the size
  /// that the constructor was given. Throws InputError where place or scale have no meaning.
  [[nodiscard]] Volume volume(const VolumePlace& place, ValueScale scale) const;
  /// Gives the packed voxels away; null where there are none, or no longer.
  [[nodiscard]] std::shared_ptr<const TiledVoxels> take_packed() noexcept {
    return std::move(packed_);
  }
  /// The voxels as they were written, with those that were doubled.
  [[nodiscard]] const VoxelArray& voxels() const noexcept { return voxels_; }

 private:
  void thicken(int z) noexcept;
  void finish_layers(int z);
  [[nodiscard]] bool has_slices(int begin, int end) const noexcept;

  const VolumeSize size_;  // as it was given
  VoxelArray voxels_;
  CellGrid cells_;
  std::shared_ptr<TiledVoxels> packed_;
  std::vector<bool> has_slice_;
  std::vector<bool> has_cells_;  // by layer
  std::vector<bool> has_tiles_;  // by layer
  int finished_ = 0;
};

}  // namespace tilewall::render
