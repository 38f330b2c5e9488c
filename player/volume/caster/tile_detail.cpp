#include "player/volume/caster/tile_detail.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "player/volume/tile_choice.hpp"
#include "render/readers/load_volume.hpp"
#include "render/volume/shared_work.hpp"

namespace tilewall::volume {

namespace {

using Triple = std::array<int, 3>;
// Sides of blocks that are read at a time, in voxels: multiples of a tile's sides.
constexpr std::array<int, 6> block_sides = {256, 128, 64, 48, 32, 16};

int block_side(std::size_t window_bytes) noexcept {
  for (const int side : block_sides)
    if (render::VolumeSize{side + 1, side + 1, side + 1}.voxels() <= window_bytes) return side;
  return block_sides.back();
}

/// The tiles of a block that are missing. The box around them is read at once.
struct TileBlock {
  std::vector<Triple> tiles;
  Triple first = {};  ///< first tile of the box
  Triple end = {};    ///< one past its last tile
};

TileBlock missing_tiles(const render::TiledVoxels& voxels, const render::TileNeeds& needs,
                        const Triple& from, const Triple& to) {
  TileBlock block;
  block.first = to;
  block.end = from;
  for (int z = from[2]; z < to[2]; ++z)
    for (int y = from[1]; y < to[1]; ++y)
      for (int x = from[0]; x < to[0]; ++x) {
        const std::size_t tile = voxels.tile_at(x, y, z);
        if (needs.needed[tile] == 0 || voxels.loaded()[tile] != 0) continue;
        const Triple at = {x, y, z};
        block.tiles.push_back(at);
        for (std::size_t i = 0; i < 3; ++i) {
          block.first[i] = std::min(block.first[i], at[i]);
          block.end[i] = std::max(block.end[i], at[i] + 1);
        }
      }
  return block;
}

/// The voxels of a block, and one beyond its ends for interpolation. At the end of the volume its
/// last voxel stands in for that.
class BlockVoxels {
 public:
  BlockVoxels(const TileBlock& block, render::VolumeSize volume) {
    const Triple most = {volume.x, volume.y, volume.z};
    for (std::size_t i = 0; i < 3; ++i) {
      first_[i] = block.first[i] * render::tile_sides[i];
      count_[i] = (block.end[i] - block.first[i]) * render::tile_sides[i] + 1;
      // The last tiles along z may have only the slice that stands again.
      read_from_[i] = std::min(first_[i], most[i] - 1);
      read_[i] = std::min(count_[i], most[i] - read_from_[i]);
    }
    row_ = static_cast<std::size_t>(count_[0]);
    slice_ = row_ * static_cast<std::size_t>(count_[1]);
    voxels_.resize(slice_ * static_cast<std::size_t>(count_[2]));
  }

  void read(render::VoxelReader& file, const render::GridBox& region, const TileLoading& how,
            const std::stop_token& stop) {
    render::GridBox box;
    for (std::size_t i = 0; i < 3; ++i) {
      box.begin[i] = region.begin[i] + read_from_[i];
      box.end[i] = box.begin[i] + read_[i];
    }
    file.read_box(how.grid, how.timestep, box,
                  {reinterpret_cast<std::byte*>(voxels_.data()), row_, slice_}, stop);
    repeat_ends();
  }

  [[nodiscard]] render::TileVoxels around(const Triple& tile) const noexcept {
    std::size_t at[3];
    for (std::size_t i = 0; i < 3; ++i)
      at[i] = static_cast<std::size_t>(tile[i] * render::tile_sides[i] - first_[i]);
    return {voxels_.data() + at[2] * slice_ + at[1] * row_ + at[0], row_, slice_};
  }

 private:
  void repeat_ends() {
    const auto read = [&](std::size_t i) { return static_cast<std::size_t>(read_[i]); };
    for (std::size_t z = 0; z < read(2); ++z) {
      for (std::size_t y = 0; y < read(1); ++y) {
        std::uint8_t* const row = &voxels_[z * slice_ + y * row_];
        std::memset(row + read(0), row[read(0) - 1], row_ - read(0));
      }
      std::uint8_t* const slice = &voxels_[z * slice_];
      for (std::size_t y = read(1); y < static_cast<std::size_t>(count_[1]); ++y)
        std::memcpy(slice + y * row_, slice + (read(1) - 1) * row_, row_);
    }
    for (std::size_t z = read(2); z < static_cast<std::size_t>(count_[2]); ++z)
      std::memcpy(&voxels_[z * slice_], &voxels_[(read(2) - 1) * slice_], slice_);
  }

  Triple first_ = {};
  Triple count_ = {};
  Triple read_from_ = {};
  Triple read_ = {};
  std::size_t row_ = 0;
  std::size_t slice_ = 0;
  std::vector<std::uint8_t> voxels_;
};

void make_room(render::Volume& volume, const render::TileNeeds& needs, std::size_t most_bytes) {
  const std::vector<std::uint8_t>& loaded = volume.tiles()->loaded();
  std::size_t together = needs.count;
  for (std::size_t tile = 0; tile < loaded.size(); ++tile)
    together += loaded[tile] != 0 && needs.needed[tile] == 0 ? 1U : 0U;
  for (std::size_t tile = 0; tile < loaded.size(); ++tile) {
    if (tiled_bytes(volume.size(), together) <= most_bytes) return;
    if (loaded[tile] == 0 || needs.needed[tile] != 0) continue;
    volume.drop_tile(tile);
    --together;
  }
}

}  // namespace

render::Volume empty_tiled_volume(const VolumeLevel& level, const DetailChoice& choice,
                                  render::ValueScale scale) {
  const render::VolumeSize size = choice.box.size();
  return render::Volume(std::make_unique<render::TiledVoxels>(size, choice.tiles->fill), size,
                        render::place_of_box(level.place, choice.box), scale, choice.tiles->stored);
}

void load_tiles(render::VoxelReader& file, const DetailChoice& choice, const TileLoading& how,
                render::Volume& volume, const std::stop_token& stop) {
  const render::TileNeeds& needs = *choice.tiles;
  make_room(volume, needs, choice.tiles_bytes);
  const Triple& tiles = volume.tiles()->tiles();
  const int side = block_side(how.window_bytes);
  const Triple step = {side / render::tile_sides[0], side / render::tile_sides[1],
                       side / render::tile_sides[2]};
  for (int z = 0; z < tiles[2]; z += step[2])
    for (int y = 0; y < tiles[1]; y += step[1])
      for (int x = 0; x < tiles[0]; x += step[0]) {
        const TileBlock block =
            missing_tiles(*volume.tiles(), needs, {x, y, z},
                          {std::min(x + step[0], tiles[0]), std::min(y + step[1], tiles[1]),
                           std::min(z + step[2], tiles[2])});
        if (block.tiles.empty()) continue;
        BlockVoxels voxels(block, volume.size());
        voxels.read(file, choice.box, how, stop);
        if (stop.stop_requested()) return;  // voxels of this block may be missing
        constexpr int piece = 256;          // tiles
        const int count = static_cast<int>(block.tiles.size());
        render::share_work((count + piece - 1) / piece, how.threads, [&](int i) {
          for (int k = i * piece; k < std::min((i + 1) * piece, count); ++k) {
            const Triple& tile = block.tiles[static_cast<std::size_t>(k)];
            volume.load_tile(volume.tiles()->tile_at(tile[0], tile[1], tile[2]),
                             voxels.around(tile));
          }
        });
      }
}

bool has_tiles(const render::Volume& volume, const render::TileNeeds& needs) noexcept {
  const std::vector<std::uint8_t>& loaded = volume.tiles()->loaded();
  for (std::size_t tile = 0; tile < loaded.size(); ++tile)
    if (needs.needed[tile] > loaded[tile]) return false;
  return true;
}

namespace {

/// Whether `held` needs every tile that `wanted` needs.
bool covers(const render::TileNeeds& held, const render::TileNeeds& wanted) {
  if (&held == &wanted) return true;
  for (std::size_t tile = 0; tile < held.needed.size(); ++tile)
    if (wanted.needed[tile] > held.needed[tile]) return false;
  return true;
}

}  // namespace

bool WantedDetail::can_become(std::int64_t of, const DetailChoice& wanted) const {
  return timestep == of && choice.tiles && wanted.tiles && choice.level == wanted.level &&
         choice.box == wanted.box && choice.tiles->fill == wanted.tiles->fill;
}

bool WantedDetail::serves(std::int64_t of, const DetailChoice& wanted, BoxReuse reuse) const {
  if (!choice.tiles && !wanted.tiles)
    return timestep == of && choice.level == wanted.level &&
           (reuse == BoxReuse::larger ? choice.box.contains(wanted.needed)
                                      : choice.box == wanted.box);
  if (!can_become(of, wanted)) return false;
  return covers(*choice.tiles, *wanted.tiles) ||
         (complete && has_tiles(ready->volume, *wanted.tiles));
}

}  // namespace tilewall::volume
