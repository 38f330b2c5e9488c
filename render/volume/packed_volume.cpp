#include <algorithm>
#include <vector>

#include "render/volume/shared_work.hpp"
#include "render/volume/volume_caster.hpp"

namespace tilewall::render {
namespace {

constexpr std::array<int, 3> read_sides = {tile_sides[0] + 1, tile_sides[1] + 1, tile_sides[2]};

/// Voxels of a tile that reaches beyond the volume's end, where the last ones are repeated.
class LastVoxels {
 public:
  LastVoxels(VolumeSize size, const std::uint8_t* from) : size_(size), from_(from) {}

  TileVoxels around(int x, int y, int z) noexcept {
    std::uint8_t* to = voxels_.data();
    for (int k = 0; k < read_sides[2]; ++k)
      for (int j = 0; j < read_sides[1]; ++j) {
        const std::uint8_t* const row =
            from_ + (static_cast<std::size_t>(std::min(z + k, size_.z - 1)) *
                         static_cast<std::size_t>(size_.y) +
                     static_cast<std::size_t>(std::min(y + j, size_.y - 1))) *
                        static_cast<std::size_t>(size_.x);
        for (int i = 0; i < read_sides[0]; ++i) *to++ = row[std::min(x + i, size_.x - 1)];
      }
    return {voxels_.data(), read_sides[0], std::size_t{read_sides[0]} * read_sides[1]};
  }

 private:
  VolumeSize size_;
  const std::uint8_t* from_;
  std::array<std::uint8_t, std::size_t{read_sides[0]} * read_sides[1] * read_sides[2]> voxels_ = {};
};

}  // namespace

std::size_t caster_bytes(VoxelType type, VolumeSize size) noexcept {
  if (type != VoxelType::u8) return 0;
  const std::array<int, 3> tiles = tiles_along(size);
  return VolumeSize{tiles[0], tiles[1], tiles[2]}.voxels() * tile_bytes + tile_table_bytes(size);
}

std::unique_ptr<TiledVoxels> packed_voxels(VolumeSize size) {
  constexpr std::uint8_t no_flip = 128;
  return std::make_unique<TiledVoxels>(size, no_flip, TilePages::huge);
}

void pack_layer(const VoxelArray& voxels, TiledVoxels& packed, int tile_z) {
  const VolumeSize size = voxels.size();
  const std::array<int, 3>& tiles = packed.tiles();
  const auto row = static_cast<std::size_t>(size.x);
  const std::size_t slice = row * static_cast<std::size_t>(size.y);
  const std::uint8_t* const first = voxels.voxels<std::uint8_t>().data();
  LastVoxels last(size, first);
  const int z = tile_z * tile_sides[2];
  for (int tile_y = 0; tile_y < tiles[1]; ++tile_y)
    for (int tile_x = 0; tile_x < tiles[0]; ++tile_x) {
      const int x = tile_x * tile_sides[0];
      const int y = tile_y * tile_sides[1];
      const bool is_inner =
          x + read_sides[0] <= size.x && y + read_sides[1] <= size.y && z + read_sides[2] <= size.z;
      const TileVoxels from =
          is_inner ? TileVoxels{first + static_cast<std::size_t>(z) * slice +
                                    static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x),
                                row, slice}
                   : last.around(x, y, z);
      packed.load(packed.tile_at(tile_x, tile_y, tile_z), from);
    }
}

std::unique_ptr<TiledVoxels> pack_voxels(const VoxelArray& voxels, int threads) {
  auto packed = packed_voxels(voxels.size());
  share_work(packed->tiles()[2], threads, [&](int tile_z) { pack_layer(voxels, *packed, tile_z); });
  return packed;
}

}  // namespace tilewall::render
