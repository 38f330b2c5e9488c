// A volume in a GPU's memory: bricks of 32^3 voxels side by side in an array of 2D textures, those
// that a style needs; which brick lies where; and what rays skip.
//
// Bricks are stored with a voxel more below and two above along each axis, what samples on their
// edges and the gradients there meet, so that no brick is read beside another one's. An array of 2D
// textures, not a 3D one: textureGather takes a sample's corners from it four at a time, as they
// are.
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
inline constexpr int brick_side = 1 << brick_shift;  ///< voxels, without what lies beside them
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

/// What a style needs of a volume.
struct NeededBricks {
  std::vector<std::uint8_t> bricks;  ///< 1 where needed
  std::size_t count = 0;
  SkipMap skip;
};
[[nodiscard]] NeededBricks needed_bricks(const Volume& volume,
                                         const std::vector<std::uint8_t>& cells, int threads);

/// Bytes of a GPU that it takes to show them.
[[nodiscard]] std::size_t atlas_bytes(const Volume& volume, const NeededBricks& needed) noexcept;

class BrickAtlas {
 public:
  /// Takes no memory yet.
  explicit BrickAtlas(const Volume& volume);

  /// Loads what is needed and not there, in place of what is not needed where there is no room.
  /// Throws GlLost.
  void fill(const GlDevice& device, const NeededBricks& needed, int threads);
  /// Gives all memory back.
  void drop() noexcept;

  [[nodiscard]] bool is_empty() const noexcept { return atlas_.empty(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// To the texture units 0 (atlas), 1 (where bricks lie), 2 (what rays skip).
  void bind() const;
  /// Of a layer, in texels.
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
  std::vector<std::int32_t> slot_of_;  ///< of a brick; -1: not loaded
  std::vector<std::int32_t> free_slots_;
  std::size_t bytes_ = 0;
};

/// The atlases of a device, within its budget: of those that do not fit together, the ones that
/// were not shown for longest go.
class AtlasCache {
 public:
  explicit AtlasCache(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}
  ~AtlasCache();
  AtlasCache(const AtlasCache&) = delete;
  AtlasCache& operator=(const AtlasCache&) = delete;

  [[nodiscard]] std::size_t budget_bytes() const noexcept { return budget_bytes_; }
  /// `atlas` is about to be shown and will take `bytes`, within the budget. Those go that nobody
  /// else owns any more, and others as there is need.
  void take(const std::shared_ptr<BrickAtlas>& atlas, std::size_t bytes);

 private:
  const std::size_t budget_bytes_;
  std::list<std::shared_ptr<BrickAtlas>> atlases_;  ///< the one shown last is the first
};

}  // namespace tilewall::render
