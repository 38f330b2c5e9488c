#include "render/volume/volume.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "render/volume/cell_ranges.hpp"
#include "render/volume/shared_work.hpp"
#include "render/volume/tiled_voxels.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t voxel_padding_bytes = 64;  // vector loads reach past the last voxel

VolumeSize checked(VolumeSize size) {
  for (const int side : {size.x, size.y, size.z})
    if (side < 2 || side > max_volume_side)
      throw InputError("a volume's sides: expected 2 to " + std::to_string(max_volume_side) +
                       " voxels, found " + std::to_string(size.x) + " x " + std::to_string(size.y) +
                       " x " + std::to_string(size.z));
  return size;
}

void check_place(const VolumePlace& place) {
  for (const double side : axes_of(place.spacing))
    if (!(side > 0) || !std::isfinite(side))
      throw InputError("a volume's spacing: expected a length above 0, found " +
                       std::to_string(side));
  for (const double at : axes_of(place.origin))
    if (!std::isfinite(at)) throw InputError("a volume's origin: expected numbers");
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (!(std::abs(dot(place.axes[i], place.axes[j]) - (i == j ? 1.0 : 0.0)) < 1e-3))
        throw InputError("a volume's axes: expected unit vectors at right angles");
}

/// The voxels without infinities, and the ranges of their cells.
CellGrid prepare(const VoxelArray& voxels, int threads) {
  if (voxels.type() == VoxelType::f32) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    const std::span<float> all = voxels.voxels<float>();
    share_work(static_cast<int>((all.size() + piece - 1) / piece), threads, [&](int i) {
      const std::size_t first = static_cast<std::size_t>(i) * piece;
      drop_infinities(all.subspan(first, std::min(piece, all.size() - first)));
    });
  }
  return find_cell_ranges(voxels, threads);
}

/// Ranges of the voxels of a row of cells in a tile, by x.
struct TileRowRanges {
  std::array<std::uint8_t, tile_sides[0] + 1> min = {};
  std::array<std::uint8_t, tile_sides[0] + 1> max = {};

  [[nodiscard]] ValueRange cell(int x, int side) const noexcept {
    const auto first = static_cast<std::size_t>(x);
    const std::ptrdiff_t count = std::ptrdiff_t{side} + 1;
    return {static_cast<float>(*std::min_element(&min[first], &min[first] + count)),
            static_cast<float>(*std::max_element(&max[first], &max[first] + count))};
  }
};

TileRowRanges row_ranges(const TileVoxels& from, int y, int z, int side) noexcept {
  TileRowRanges row;
  row.min.fill(255);
  for (int k = z; k <= z + side; ++k)
    for (int j = y; j <= y + side; ++j) {
      const std::uint8_t* const voxels = from.first +
                                         static_cast<std::size_t>(k) * from.slice_bytes +
                                         static_cast<std::size_t>(j) * from.row_bytes;
      for (std::size_t x = 0; x < row.min.size(); ++x) {
        row.min[x] = std::min(row.min[x], voxels[x]);
        row.max[x] = std::max(row.max[x], voxels[x]);
      }
    }
  return row;
}

}  // namespace

VolumeSize thickened(VolumeSize size) noexcept {
  return {std::max(size.x, 2), std::max(size.y, 2), std::max(size.z, 2)};
}

VolumePlace thickened(VolumePlace place, VolumeSize size) noexcept {
  const auto spacing = axes_of(place.spacing);
  const std::array<bool, 3> doubled = {size.x < 2, size.y < 2, size.z < 2};
  for (std::size_t i = 0; i < 3; ++i)
    if (doubled[i]) place.origin = place.origin - (0.5 * spacing[i]) * place.axes[i];
  return place;
}

int bytes_of(VoxelType type) noexcept {
  return type == VoxelType::u8 ? 1 : type == VoxelType::u16 ? 2 : 4;
}

const char* name_of(VoxelType type) noexcept {
  return type == VoxelType::u8 ? "u8" : type == VoxelType::u16 ? "u16" : "f32";
}

VoxelArray::VoxelArray(VoxelType type, VolumeSize size)
    : VoxelArray(type, checked(size), std::make_shared<HugeMemory>(memory_bytes(type, size))) {}

VoxelArray::VoxelArray(VoxelType type, VolumeSize size, std::shared_ptr<HugeMemory> memory)
    : type_(type), size_(checked(size)), memory_(std::move(memory)) {}

std::size_t VoxelArray::memory_bytes(VoxelType type, VolumeSize size) noexcept {
  return size.voxels() * static_cast<std::size_t>(bytes_of(type)) + voxel_padding_bytes;
}

Volume::Volume(VoxelArray voxels, VolumePlace place, ValueScale scale, int threads)
    : Volume(voxels, prepare(voxels, threads), place, scale) {}

Volume::Volume(VoxelArray voxels, CellGrid cells, VolumePlace place, ValueScale scale)
    : type_(voxels.type()),
      size_(voxels.size()),
      voxels_(std::move(voxels)),
      place_(place),
      scale_(scale),
      cells_(std::move(cells)) {
  check();
  ValueRange stored = {std::numeric_limits<float>::infinity(),
                       -std::numeric_limits<float>::infinity()};
  for (const ValueRange& cell : cells_.stored) {
    stored.min = std::min(stored.min, cell.min);
    stored.max = std::max(stored.max, cell.max);
  }
  set_range(stored);
}

Volume::Volume(std::unique_ptr<TiledVoxels> tiles, VolumeSize size, VolumePlace place,
               ValueScale scale, ValueRange stored)
    : type_(VoxelType::u8),
      size_(checked(size)),
      tiles_(std::move(tiles)),
      place_(place),
      scale_(scale) {
  check();
  cells_ = cell_grid(size);
  const float fill = tiles_->fill();
  cells_.stored.assign(cells_.stored.size(), {fill, fill});
  set_range(stored);
}

Volume::Volume(Volume&&) noexcept = default;
Volume::~Volume() = default;

void Volume::check() const {
  check_place(place_);
  if (!(scale_.scale > 0) || !std::isfinite(scale_.scale) || !std::isfinite(scale_.offset))
    throw InputError("a volume's value scale: expected a factor above 0");
}

void Volume::set_range(ValueRange stored) noexcept {
  const auto value = [&](float number) {
    return static_cast<float>(scale_.offset + scale_.scale * static_cast<double>(number));
  };
  stored_range_ = stored;
  value_range_ = {value(stored.min), value(stored.max)};
}

void Volume::show_only_tiles(std::shared_ptr<const TileUses> uses) noexcept {
  tiles_->show_only(std::move(uses));
}

void Volume::load_tile(std::size_t tile, const TileVoxels& from) {
  tiles_->load(tile, from);
  set_tile_cells(tile, &from);
}

void Volume::drop_tile(std::size_t tile) {
  tiles_->drop(tile);
  set_tile_cells(tile, nullptr);
}

void Volume::set_tile_cells(std::size_t tile, const TileVoxels* from) {
  const std::array<int, 3>& tiles = tiles_->tiles();
  const auto number = static_cast<int>(tile % static_cast<std::size_t>(tiles[0] * tiles[1]));
  const int tile_z = static_cast<int>(tile / static_cast<std::size_t>(tiles[0] * tiles[1]));
  const int side = cells_.side;
  const int x = number % tiles[0] * (tile_sides[0] / side);
  const int y = number / tiles[0] * (tile_sides[1] / side);
  const int z = tile_z * (tile_sides[2] / side);
  const int end_x = std::min(x + tile_sides[0] / side, cells_.x);
  const float fill = tiles_->fill();
  for (int cz = z; cz < std::min(z + tile_sides[2] / side, cells_.z); ++cz)
    for (int cy = y; cy < std::min(y + tile_sides[1] / side, cells_.y); ++cy) {
      const TileRowRanges row = from == nullptr
                                    ? TileRowRanges{}
                                    : row_ranges(*from, (cy - y) * side, (cz - z) * side, side);
      for (int cx = x; cx < end_x; ++cx)
        cells_.stored[cells_.index(cx, cy, cz)] =
            from == nullptr ? ValueRange{fill, fill} : row.cell((cx - x) * side, side);
    }
}

Vec3d Volume::voxel_direction(Vec3d world) const noexcept {
  return {dot(place_.axes[0], world) / place_.spacing.x,
          dot(place_.axes[1], world) / place_.spacing.y,
          dot(place_.axes[2], world) / place_.spacing.z};
}

Vec3d Volume::voxel_of_world(Vec3d world) const noexcept {
  return voxel_direction(world - place_.origin);
}

Vec3d Volume::world_of_voxel(Vec3d voxel) const noexcept {
  return place_.origin + (voxel.x * place_.spacing.x) * place_.axes[0] +
         (voxel.y * place_.spacing.y) * place_.axes[1] +
         (voxel.z * place_.spacing.z) * place_.axes[2];
}

Vec3d Volume::centre_world() const noexcept {
  const VolumeSize s = size();
  return world_of_voxel({(s.x - 1) / 2.0, (s.y - 1) / 2.0, (s.z - 1) / 2.0});
}

}  // namespace tilewall::render
