// The bricks of a volume in a GPU's memory: those of 32^3 voxels that a style needs, side by side
// in an array of 2D textures; a table of their places; and a map of what rays skip.
//
// Bricks are stored with one voxel more below and two above along each axis, which samples on their
// edges and the gradients there read, so that a brick is sampled without its neighbours. The
// texture is an array of 2D textures, not a 3D one, because textureGather then reads a sample's
// corners four at a time, unfiltered.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "render/gl/gl_functions.hpp"
#include "render/gl/skip_map.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

class GlDevice;

inline constexpr int brick_shift = 5;
inline constexpr int brick_side = 1 << brick_shift;  ///< Voxels along a side, without the margin
inline constexpr int stored_brick_side = brick_side + 3;

/// All bricks of a volume, x fastest.
struct BrickGrid {
  explicit BrickGrid(VolumeSize volume) noexcept;
  int size[3];
  [[nodiscard]] std::size_t count() const noexcept {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
};

/// The bricks of a volume that a style needs.
struct NeededBricks {
  std::vector<std::uint8_t> bricks;  ///< One byte per brick: 1 where needed
  std::size_t count = 0;
  SkipMap skip;
};
[[nodiscard]] NeededBricks needed_bricks(const Volume& volume,
                                         const std::vector<std::uint8_t>& cells, int threads);

/// GPU memory for the needed bricks, in bytes.
[[nodiscard]] std::size_t atlas_bytes(const Volume& volume, const NeededBricks& needed) noexcept;

class BrickAtlas {
 public:
  /// Allocates nothing yet.
  explicit BrickAtlas(const Volume& volume);

  /// Loads needed bricks that are not loaded, in place of others where there is no room. Throws
  /// GlLost.
  void fill(const GlDevice& device, const NeededBricks& needed, int threads);
  /// Frees all GPU memory.
  void drop() noexcept;

  [[nodiscard]] bool is_empty() const noexcept { return atlas_.empty(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Binds texture units 0 (atlas), 1 (places of bricks), 2 (map of what rays skip).
  void bind() const;
  /// Width of a layer in texels.
  [[nodiscard]] int width() const noexcept { return slots_[0] * stored_brick_side; }
  [[nodiscard]] int height() const noexcept { return slots_[1] * stored_brick_side; }

 private:
  void make_textures(const GlDevice& device, const NeededBricks& needed);
  [[nodiscard]] std::vector<std::int32_t> place_missing(const NeededBricks& needed);
  void load(const GlDevice& device, const std::vector<std::int32_t>& bricks, int threads);
  void load_maps(const NeededBricks& needed) const;

  const Volume& volume_;
  const BrickGrid grid_;
  UniqueHandle<GlTextureTraits> atlas_;
  UniqueHandle<GlTextureTraits> index_;
  UniqueHandle<GlTextureTraits> skip_;
  int slots_[3] = {};
  std::vector<std::int32_t> slot_of_;  ///< Slot of each brick; -1: not loaded
  std::vector<std::int32_t> free_slots_;
  std::size_t bytes_ = 0;
};

/// The atlases of a device, within its budget. Where they do not fit together, those that were not
/// shown for longest are dropped.
class AtlasCache {
 public:
  explicit AtlasCache(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}
  ~AtlasCache();
  AtlasCache(const AtlasCache&) = delete;
  AtlasCache& operator=(const AtlasCache&) = delete;

  [[nodiscard]] std::size_t budget_bytes() const noexcept { return budget_bytes_; }
  /// Makes room for `atlas`, which is about to be shown and will need `bytes`, within the budget.
  /// Atlases without another owner are dropped, and others as needed.
  void take(const std::shared_ptr<BrickAtlas>& atlas, std::size_t bytes);

 private:
  const std::size_t budget_bytes_;
  std::list<std::shared_ptr<BrickAtlas>> atlases_;  ///< The atlas that was shown last comes first
};

}  // namespace tilewall::render
