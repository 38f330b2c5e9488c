// The voxels of a u8 volume packed by fours as kernels gather them, of which only parts may be in
// memory: tiles of 16 x 8 x 8, each a page. What rays near each other read is near in memory. The
// processor's page table is the table of tiles: address space is taken for all of the volume,
// memory for the tiles that are loaded. Wherever no tile is loaded, every voxel reads as `fill`.
//
// Threads: one at a time while tiles are loaded or dropped; else any number may read.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "render/volume/cast_plan.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

inline constexpr std::array<int, 3> tile_sides = {16, 8, 8};  ///< Voxels of a tile along x, y, z
inline constexpr std::size_t tile_bytes = 4096;

/// Number of tiles of a volume of `size` along x, y, z. Along z the volume counts one slice more,
/// which samples at the last slice read.
[[nodiscard]] std::array<int, 3> tiles_along(VolumeSize size) noexcept;

/// Memory for a volume of `size` without any tile, in bytes: tables of pages and of tiles.
[[nodiscard]] std::size_t tile_table_bytes(VolumeSize size) noexcept;

/// Voxels of a tile and its neighbours: 17 x 9 x 9 from its first one on; beyond the volume's ends
/// the last voxel is repeated. TiledVoxels::load() reads only eight slices.
struct TileVoxels {
  const std::uint8_t* first = nullptr;
  std::size_t row_bytes = 0;
  std::size_t slice_bytes = 0;
};

/// What a picture has of a tile.
enum class TileUse : std::uint8_t {
  nothing,  ///< The style shows nothing of it
  unseen,   ///< The style shows something of it, outside of the picture
  needed
};
/// One for each tile of a volume, by number.
using TileUses = std::vector<TileUse>;

/// Page size: huge where all tiles will be loaded, since a huge page has 512 of them.
enum class TilePages { small, huge };

class TiledVoxels {
 public:
  /// Throws JobError where the system does not have that much address space.
  TiledVoxels(VolumeSize size, std::uint8_t fill, TilePages pages = TilePages::small);
  TiledVoxels(const TiledVoxels&) = delete;
  TiledVoxels& operator=(const TiledVoxels&) = delete;
  ~TiledVoxels();

  [[nodiscard]] const QuadLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::uint8_t fill() const noexcept { return fill_; }
  [[nodiscard]] const std::array<int, 3>& tiles() const noexcept { return tiles_; }
  /// Number of a tile, x fastest.
  [[nodiscard]] std::size_t tile_at(int x, int y, int z) const noexcept;
  /// One byte per tile, by number: 1 where loaded.
  [[nodiscard]] const std::vector<std::uint8_t>& loaded() const noexcept { return loaded_; }
  [[nodiscard]] std::size_t loaded_tiles() const noexcept {
    return loaded_tiles_.load(std::memory_order_relaxed);
  }
  /// @pre within the volume
  [[nodiscard]] std::uint8_t voxel(int x, int y, int z) const noexcept;

  /// The next pictures take only the tiles that `uses` needs for such that show something. So a
  /// picture does not depend on which others are loaded: where samples are skipped decides how
  /// places are rounded. Null: they take all that are loaded.
  void show_only(std::shared_ptr<const TileUses> uses) noexcept { shown_ = std::move(uses); }
  /// The last argument of show_only().
  [[nodiscard]] const std::shared_ptr<const TileUses>& shown() const noexcept { return shown_; }

  /// Loads a tile. Several threads may do so at once with different tiles.
  void load(std::size_t tile, const TileVoxels& from) noexcept;
  /// Frees the memory of a tile.
  void drop(std::size_t tile) noexcept;

 private:
  QuadLayout layout_;
  std::uint32_t* quads_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::array<int, 3> tiles_ = {};
  std::uint8_t fill_ = 0;
  std::vector<std::uint8_t> loaded_;
  std::shared_ptr<const TileUses> shown_;
  std::atomic<std::size_t> loaded_tiles_{0};
};

}  // namespace tilewall::render
