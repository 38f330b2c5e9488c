// A volume in memory: a box of voxels, where it stands in the world, and the least and greatest
// value of every small cell of it, by which casters skip what cannot be seen.
//
// Spaces: "voxel" coordinates count voxels from the centre of voxel (0, 0, 0); the box that can be
// sampled is [0, size - 1] along each axis, between the outermost voxels' centres. "World"
// coordinates have the user's unit of length. Index order is (x, y, z), x fastest.
// A voxel that is not a finite number is empty: so is every sample that it is a corner of.
// Threads: a Volume is immutable, but for the tiles of one that has them; any number may read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "render/volume/huge_memory.hpp"
#include "sync/base/vec3d.hpp"

namespace tilewall::render {

class TiledVoxels;
enum class TileUse : std::uint8_t;
struct TileVoxels;

enum class VoxelType : std::uint8_t { u8, u16, f32 };
[[nodiscard]] int bytes_of(VoxelType type) noexcept;
/// "u8", "u16", "f32"
[[nodiscard]] const char* name_of(VoxelType type) noexcept;

inline constexpr int max_volume_side = 8192;

/// Size in voxels; 2 to max_volume_side along each axis.
struct VolumeSize {
  int x = 0;
  int y = 0;
  int z = 0;
  bool operator==(const VolumeSize&) const = default;
  [[nodiscard]] std::size_t voxels() const noexcept {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(y) * static_cast<std::size_t>(z);
  }
};

/// Place in the world: world = origin + sum over i of axes[i] * spacing[i] * voxel[i].
struct VolumePlace {
  Vec3d spacing = {1, 1, 1};  ///< World units from voxel to voxel, above 0
  Vec3d origin;               ///< Centre of voxel (0, 0, 0)
  std::array<Vec3d, 3> axes = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};  ///< Orthonormal
};

/// Converts stored numbers to values: value = offset + scale * stored.
struct ValueScale {
  double scale = 1;  ///< Above 0
  double offset = 0;
};

/// A range of values; empty where min > max.
struct ValueRange {
  float min = 0;
  float max = 0;
  bool operator==(const ValueRange&) const = default;
  [[nodiscard]] bool empty() const noexcept { return !(min <= max); }
};

/// A volume has two voxels along each axis at least, so an axis of one voxel becomes two equal
/// voxels, half a voxel to either side of the original.
[[nodiscard]] VolumeSize thickened(VolumeSize size) noexcept;
/// Returns the place of the thickened volume. `size` is the original's.
[[nodiscard]] VolumePlace thickened(VolumePlace place, VolumeSize size) noexcept;

/// Voxels being filled, before they become a Volume; starts with zeros. Copies share the voxels.
class VoxelArray {
 public:
  /// Throws InputError for a size out of range.
  VoxelArray(VoxelType type, VolumeSize size);
  /// Voxels in memory that was used before, whose contents stay. @pre it has memory_bytes()
  VoxelArray(VoxelType type, VolumeSize size, std::shared_ptr<HugeMemory> memory);
  /// Bytes of the memory for such voxels.
  [[nodiscard]] static std::size_t memory_bytes(VoxelType type, VolumeSize size) noexcept;
  [[nodiscard]] VoxelType type() const noexcept { return type_; }
  [[nodiscard]] VolumeSize size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return size_.voxels() * static_cast<std::size_t>(bytes_of(type_));
  }
  /// Little endian, x fastest, no padding between rows. 64 readable bytes follow the last voxel.
  [[nodiscard]] std::byte* data() const noexcept { return memory_->data(); }
  /// @pre T is the array's type
  template <typename T>
  [[nodiscard]] std::span<T> voxels() const noexcept {
    return {reinterpret_cast<T*>(memory_->data()), size_.voxels()};
  }

 private:
  VoxelType type_;
  VolumeSize size_;
  std::shared_ptr<HugeMemory> memory_;
};

/// Cubes of cells, side by side. Cell c along an axis holds the voxels [c side, (c + 1) side], both
/// ends included: all that a sample with floor(voxel coordinate) in [c side, (c + 1) side) meets.
struct CellGrid {
  int side = 4;  ///< Voxels along a side
  int x = 0;
  int y = 0;
  int z = 0;
  /// Ranges of stored numbers, x fastest; empty where no voxel is finite.
  std::vector<ValueRange> stored;
  [[nodiscard]] std::size_t index(int cx, int cy, int cz) const noexcept {
    return (static_cast<std::size_t>(cz) * static_cast<std::size_t>(y) +
            static_cast<std::size_t>(cy)) *
               static_cast<std::size_t>(x) +
           static_cast<std::size_t>(cx);
  }
};

class Volume {
 public:
  /// Finds the ranges on `threads` threads; infinite voxels become NaN. Throws InputError where the
  /// place or the scale has no meaning.
  explicit Volume(VoxelArray voxels, VolumePlace place = {}, ValueScale scale = {},
                  int threads = 1);
  /// A volume whose ranges are known. Throws InputError as above. @pre `cells` are from
  /// find_cell_ranges(), and no voxel is infinite
  Volume(VoxelArray voxels, CellGrid cells, VolumePlace place, ValueScale scale);
  /// A u8 volume without any tile yet. `stored`: range of all voxels, whether they will be loaded
  /// or not. Cells without a tile hold only the tiles' fill. Throws like the other constructor.
  Volume(std::unique_ptr<TiledVoxels> tiles, VolumeSize size, VolumePlace place, ValueScale scale,
         ValueRange stored);
  Volume(Volume&&) noexcept;
  ~Volume();

  [[nodiscard]] VoxelType type() const noexcept { return type_; }
  [[nodiscard]] VolumeSize size() const noexcept { return size_; }
  [[nodiscard]] const VolumePlace& place() const noexcept { return place_; }
  [[nodiscard]] ValueScale scale() const noexcept { return scale_; }
  /// @pre voxels do not lie in tiles
  template <typename T>
  [[nodiscard]] std::span<const T> voxels() const noexcept {
    return voxels_->voxels<T>();
  }
  /// @pre voxels do not lie in tiles
  [[nodiscard]] const VoxelArray& array() const noexcept { return *voxels_; }
  /// Null where all voxels lie in rows and slices.
  [[nodiscard]] const TiledVoxels* tiles() const noexcept { return tiles_.get(); }
  /// TiledVoxels::show_only(), while no picture is drawn. @pre tiles() is not null
  void show_only_tiles(std::shared_ptr<const std::vector<TileUse>> uses) noexcept;
  /// Loads a tile, and finds its cells' ranges. Several threads may do so at once with different
  /// tiles, while no thread reads. @pre tiles() is not null
  void load_tile(std::size_t tile, const TileVoxels& from);
  void drop_tile(std::size_t tile);

  [[nodiscard]] const CellGrid& cells() const noexcept { return cells_; }
  /// Range of values (not of stored numbers).
  [[nodiscard]] ValueRange value_range() const noexcept { return value_range_; }
  /// Range of stored numbers; of tiles, that of the whole volume, whichever are loaded.
  [[nodiscard]] ValueRange stored_range() const noexcept { return stored_range_; }

  [[nodiscard]] Vec3d voxel_of_world(Vec3d world) const noexcept;
  [[nodiscard]] Vec3d world_of_voxel(Vec3d voxel) const noexcept;
  /// Converts a difference of two places.
  [[nodiscard]] Vec3d voxel_direction(Vec3d world) const noexcept;
  /// Middle of the box.
  [[nodiscard]] Vec3d centre_world() const noexcept;

 private:
  void check() const;
  void set_range(ValueRange stored) noexcept;
  /// Null `from`: the tile was dropped.
  void set_tile_cells(std::size_t tile, const TileVoxels* from);

  VoxelType type_;
  VolumeSize size_;
  std::optional<VoxelArray> voxels_;
  std::unique_ptr<TiledVoxels> tiles_;
  VolumePlace place_;
  ValueScale scale_;
  CellGrid cells_;
  ValueRange value_range_;
  ValueRange stored_range_;
};

}  // namespace tilewall::render
