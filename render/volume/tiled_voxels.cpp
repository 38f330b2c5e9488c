#include "render/volume/tiled_voxels.hpp"

#include <sys/mman.h>

#include <cerrno>

#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

constexpr int tile_quads = tile_sides[0] * tile_sides[1] * tile_sides[2];
static_assert(tile_quads * sizeof(std::uint32_t) == tile_bytes);

constexpr std::uint32_t four_times(std::uint32_t byte) noexcept { return byte * 0x01010101U; }

}  // namespace

std::array<int, 3> tiles_along(VolumeSize size) noexcept {
  const auto tiles = [](int voxels, int side) { return (voxels + side - 1) / side; };
  return {tiles(size.x, tile_sides[0]), tiles(size.y, tile_sides[1]),
          tiles(size.z + 1, tile_sides[2])};
}

std::size_t tile_table_bytes(VolumeSize size) noexcept {
  const std::array<int, 3> tiles = tiles_along(size);
  constexpr std::size_t page_entry = 8;
  return VolumeSize{tiles[0], tiles[1], tiles[2]}.voxels() * (page_entry + 1);
}

TiledVoxels::TiledVoxels(VolumeSize size, std::uint8_t fill, TilePages pages)
    : tiles_(tiles_along(size)),
      fill_(fill),
      loaded_(VolumeSize{tiles_[0], tiles_[1], tiles_[2]}.voxels()) {
  mapped_bytes_ = loaded_.size() * tile_bytes;
  // Pages that were never written are all one page of zeros, which is not counted as our memory.
  void* const at = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw_errno("mmap of a volume", errno);
  // In a volume that is loaded in part, a huge page would take the memory of 512 tiles for one.
  // This is best effort.
  static_cast<void>(
      ::madvise(at, mapped_bytes_, pages == TilePages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
  quads_ = static_cast<std::uint32_t*>(at);
  layout_ = {quads_, tile_quads * tiles_[0], tile_quads * tiles_[0] * tiles_[1],
             four_times(fill) ^ four_times(128)};
}

TiledVoxels::~TiledVoxels() { ::munmap(quads_, mapped_bytes_); }

std::size_t TiledVoxels::tile_at(int x, int y, int z) const noexcept {
  return (static_cast<std::size_t>(z) * static_cast<std::size_t>(tiles_[1]) +
          static_cast<std::size_t>(y)) *
             static_cast<std::size_t>(tiles_[0]) +
         static_cast<std::size_t>(x);
}

std::uint8_t TiledVoxels::voxel(int x, int y, int z) const noexcept {
  const std::size_t tile = tile_at(x / tile_sides[0], y / tile_sides[1], z / tile_sides[2]);
  const int inside =
      ((z % tile_sides[2]) * tile_sides[1] + y % tile_sides[1]) * tile_sides[0] + x % tile_sides[0];
  return static_cast<std::uint8_t>(quads_[tile * tile_quads + static_cast<std::size_t>(inside)] ^
                                   fill_);
}

void TiledVoxels::load(std::size_t tile, const TileVoxels& from) noexcept {
  std::uint32_t* to = quads_ + tile * tile_quads;
  const std::uint32_t flip = four_times(fill_);
  for (int z = 0; z < tile_sides[2]; ++z)
    for (int y = 0; y < tile_sides[1]; ++y, to += tile_sides[0]) {
      const std::uint8_t* const upper = from.first +
                                        static_cast<std::size_t>(z) * from.slice_bytes +
                                        static_cast<std::size_t>(y) * from.row_bytes;
      const std::uint8_t* const lower = upper + from.row_bytes;
      for (int x = 0; x < tile_sides[0]; ++x)
        to[x] = (std::uint32_t{upper[x]} | std::uint32_t{upper[x + 1]} << 8 |
                 std::uint32_t{lower[x]} << 16 | std::uint32_t{lower[x + 1]} << 24) ^
                flip;
    }
  if (loaded_[tile] == 0) loaded_tiles_.fetch_add(1, std::memory_order_relaxed);
  loaded_[tile] = 1;
}

void TiledVoxels::drop(std::size_t tile) noexcept {
  if (loaded_[tile] == 0) return;
  static_cast<void>(::madvise(quads_ + tile * tile_quads, tile_bytes, MADV_DONTNEED));
  loaded_[tile] = 0;
  loaded_tiles_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace tilewall::render
