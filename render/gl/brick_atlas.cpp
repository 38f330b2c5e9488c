#include "render/gl/brick_atlas.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "render/gl/gl_device.hpp"
#include "render/volume/shared_work.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

constexpr int bricks_at_a_time = 64;  // 11 MB of f32
constexpr int least_layers = 2048;    // every OpenGL 4.3 has as many, and sides of 16384
constexpr int least_texture_side = 16384;

struct TexelKind {
  GLenum stored;
  GLenum type;
};

TexelKind texel_kind(VoxelType type) noexcept {
  switch (type) {
    case VoxelType::u16:
      return {GL_R16, GL_UNSIGNED_SHORT};
    case VoxelType::f32:
      return {GL_R32F, GL_FLOAT};
    case VoxelType::u8:
      break;
  }
  return {GL_R8, GL_UNSIGNED_BYTE};
}

std::size_t stored_brick_bytes(VoxelType type) noexcept {
  return std::size_t{stored_brick_side} * stored_brick_side * stored_brick_side *
         static_cast<std::size_t>(bytes_of(type));
}

struct Slots {
  int size[3];
  [[nodiscard]] std::size_t count() const noexcept {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
};

/// Chooses slots about in a cube, with an eighth more for the next style; too few where no texture
/// is that large.
Slots slots_for(const NeededBricks& needed) noexcept {
  const std::size_t bricks = std::min(needed.count + needed.count / 8, needed.bricks.size());
  const auto side = static_cast<int>(std::ceil(std::cbrt(static_cast<double>(bricks))));
  constexpr int most_deep = least_layers / stored_brick_side;
  constexpr int most_wide = least_texture_side / stored_brick_side;
  Slots slots{{1, 1, std::clamp(side, 1, most_deep)}};
  const auto over = [&](std::size_t by) { return static_cast<int>((bricks + by - 1) / by); };
  const auto depth = static_cast<std::size_t>(slots.size[2]);
  slots.size[0] = std::clamp(
      static_cast<int>(std::ceil(std::sqrt(static_cast<double>(bricks) / slots.size[2]))), 1,
      most_wide);
  slots.size[1] = std::clamp(over(depth * static_cast<std::size_t>(slots.size[0])), 1, most_wide);
  return slots;
}

/// Copies voxels first to first + stored_brick_side of a row; beyond its ends the last voxel is
/// repeated.
template <typename T>
void copy_row(const T* row, int length, int first, T* to) noexcept {
  if (first >= 0 && first + stored_brick_side <= length) {
    std::memcpy(to, row + first, stored_brick_side * sizeof(T));
    return;
  }
  for (int i = 0; i < stored_brick_side; ++i) to[i] = row[std::clamp(first + i, 0, length - 1)];
}

template <typename T>
void copy_brick(const Volume& volume, const int (&brick)[3], std::byte* bytes) noexcept {
  const VolumeSize size = volume.size();
  T* to = reinterpret_cast<T*>(bytes);
  const int first[3] = {brick[0] * brick_side - 1, brick[1] * brick_side - 1,
                        brick[2] * brick_side - 1};
  for (int dz = 0; dz < stored_brick_side; ++dz) {
    const auto z = static_cast<std::size_t>(std::clamp(first[2] + dz, 0, size.z - 1));
    for (int dy = 0; dy < stored_brick_side; ++dy, to += stored_brick_side) {
      const auto y = static_cast<std::size_t>(std::clamp(first[1] + dy, 0, size.y - 1));
      const T* const row = volume.voxels<T>().data() + (z * static_cast<std::size_t>(size.y) + y) *
                                                           static_cast<std::size_t>(size.x);
      copy_row(row, size.x, first[0], to);
    }
  }
}

void copy_brick_of(const Volume& volume, const int (&brick)[3], std::byte* to) noexcept {
  switch (volume.type()) {
    case VoxelType::u8:
      return copy_brick<std::uint8_t>(volume, brick, to);
    case VoxelType::u16:
      return copy_brick<std::uint16_t>(volume, brick, to);
    case VoxelType::f32:
      return copy_brick<float>(volume, brick, to);
  }
}

UniqueHandle<GlTextureTraits> make_texture(GLenum target, GLenum format, const int (&size)[3],
                                           std::string_view label) {
  GLuint name = 0;
  gl.GenTextures(1, &name);
  UniqueHandle<GlTextureTraits> texture(name);
  gl.BindTexture(target, name);
  gl.TexStorage3D(target, 1, format, size[0], size[1], size[2]);
  gl.TexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl.TexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl.TexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl.TexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  gl.TexParameteri(target, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
  gl.ObjectLabel(GL_TEXTURE, name, static_cast<GLsizei>(label.size()), label.data());
  return texture;
}

}  // namespace

BrickGrid::BrickGrid(VolumeSize volume) noexcept {
  const auto bricks = [](int side) { return (side - 1 + brick_side - 1) / brick_side; };
  size[0] = bricks(volume.x);
  size[1] = bricks(volume.y);
  size[2] = bricks(volume.z);
}

NeededBricks needed_bricks(const Volume& volume, const std::vector<std::uint8_t>& cells,
                           int threads) {
  const CellGrid& grid = volume.cells();
  const BrickGrid bricks(volume.size());
  int level = 0;
  while ((grid.side << level) < brick_side) ++level;
  NeededBricks needed;
  needed.bricks.resize(bricks.count());
  for (int z = 0; z < grid.z; ++z)
    for (int y = 0; y < grid.y; ++y) {
      const std::size_t row =
          (static_cast<std::size_t>(z >> level) * static_cast<std::size_t>(bricks.size[1]) +
           static_cast<std::size_t>(y >> level)) *
          static_cast<std::size_t>(bricks.size[0]);
      for (int x = 0; x < grid.x; ++x)
        needed.bricks[row + static_cast<std::size_t>(x >> level)] |= cells[grid.index(x, y, z)];
    }
  needed.count =
      static_cast<std::size_t>(std::count(needed.bricks.begin(), needed.bricks.end(), 1));
  needed.skip = make_skip_map(grid, cells, level, threads);
  return needed;
}

std::size_t atlas_bytes(const Volume& volume, const NeededBricks& needed) noexcept {
  return slots_for(needed).count() * stored_brick_bytes(volume.type()) +
         needed.bricks.size() * sizeof(std::uint32_t) + needed.skip.cells.size();
}

BrickAtlas::BrickAtlas(const Volume& volume) : volume_(volume), grid_(volume.size()) {}

void BrickAtlas::drop() noexcept {
  atlas_.reset();
  index_.reset();
  skip_.reset();
  bytes_ = 0;
}

void BrickAtlas::make_textures(const GlDevice& device, const NeededBricks& needed) {
  drop();
  const Slots slots = slots_for(needed);
  if (slots.count() < needed.count)
    throw GlLost(device.renderer() + ": no texture is as large as this volume");
  std::copy(std::begin(slots.size), std::end(slots.size), slots_);
  const int texels[3] = {width(), height(), slots.size[2] * stored_brick_side};
  atlas_ = make_texture(GL_TEXTURE_2D_ARRAY, texel_kind(volume_.type()).stored, texels, "bricks");
  index_ = make_texture(GL_TEXTURE_3D, GL_R32UI, grid_.size, "where bricks lie");
  skip_ = make_texture(GL_TEXTURE_3D, GL_R8UI, needed.skip.size, "what rays skip");
  slot_of_.assign(grid_.count(), -1);
  free_slots_.clear();
  for (auto slot = static_cast<std::int32_t>(slots.count()) - 1; slot >= 0; --slot)
    free_slots_.push_back(slot);
  bytes_ = atlas_bytes(volume_, needed);
  device.check("it was given room for a volume");
}

std::vector<std::int32_t> BrickAtlas::place_missing(const NeededBricks& needed) {
  std::vector<std::int32_t> missing;
  std::vector<std::int32_t> spare;  // loaded, and not needed now
  for (std::size_t brick = 0; brick < slot_of_.size(); ++brick) {
    const bool is_loaded = slot_of_[brick] >= 0;
    if (needed.bricks[brick] != 0 && !is_loaded)
      missing.push_back(static_cast<std::int32_t>(brick));
    else if (needed.bricks[brick] == 0 && is_loaded)
      spare.push_back(static_cast<std::int32_t>(brick));
  }
  for (const std::int32_t brick : missing) {
    if (free_slots_.empty()) {
      free_slots_.push_back(std::exchange(slot_of_[static_cast<std::size_t>(spare.back())], -1));
      spare.pop_back();
    }
    slot_of_[static_cast<std::size_t>(brick)] = free_slots_.back();
    free_slots_.pop_back();
  }
  return missing;
}

void BrickAtlas::fill(const GlDevice& device, const NeededBricks& needed, int threads) {
  const auto slots = static_cast<std::size_t>(slots_[0]) * static_cast<std::size_t>(slots_[1]) *
                     static_cast<std::size_t>(slots_[2]);
  if (is_empty() || slots < needed.count) make_textures(device, needed);
  load(device, place_missing(needed), threads);
  load_maps(needed);
  device.check("it was given a volume");
}

void BrickAtlas::load(const GlDevice& device, const std::vector<std::int32_t>& bricks,
                      int threads) {
  if (bricks.empty()) return;
  const std::size_t brick_bytes = stored_brick_bytes(volume_.type());
  const TexelKind kind = texel_kind(volume_.type());
  std::vector<std::byte> staged(std::min<std::size_t>(bricks.size(), bricks_at_a_time) *
                                brick_bytes);
  gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
  gl.BindTexture(GL_TEXTURE_2D_ARRAY, atlas_.get());
  for (std::size_t first = 0; first < bricks.size(); first += bricks_at_a_time) {
    const int count =
        static_cast<int>(std::min<std::size_t>(bricks.size() - first, bricks_at_a_time));
    share_work(count, threads, [&](int i) {
      const std::int32_t brick = bricks[first + static_cast<std::size_t>(i)];
      const int at[3] = {brick % grid_.size[0], brick / grid_.size[0] % grid_.size[1],
                         brick / grid_.size[0] / grid_.size[1]};
      copy_brick_of(volume_, at, staged.data() + static_cast<std::size_t>(i) * brick_bytes);
    });
    for (int i = 0; i < count; ++i) {
      const std::int32_t slot =
          slot_of_[static_cast<std::size_t>(bricks[first + static_cast<std::size_t>(i)])];
      gl.TexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, slot % slots_[0] * stored_brick_side,
                       slot / slots_[0] % slots_[1] * stored_brick_side,
                       slot / slots_[0] / slots_[1] * stored_brick_side, stored_brick_side,
                       stored_brick_side, stored_brick_side, GL_RED, kind.type,
                       staged.data() + static_cast<std::size_t>(i) * brick_bytes);
    }
    device.check("it was given bricks");
  }
}

void BrickAtlas::load_maps(const NeededBricks& needed) const {
  // A slot's coordinates have ten bits each. Entries that no ray reads point anywhere.
  std::vector<std::uint32_t> index(grid_.count(), 0);
  for (std::size_t brick = 0; brick < index.size(); ++brick) {
    const std::int32_t slot = std::max(slot_of_[brick], 0);
    index[brick] = static_cast<std::uint32_t>(slot % slots_[0]) |
                   static_cast<std::uint32_t>(slot / slots_[0] % slots_[1]) << 10 |
                   static_cast<std::uint32_t>(slot / slots_[0] / slots_[1]) << 20;
  }
  gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
  gl.BindTexture(GL_TEXTURE_3D, index_.get());
  gl.TexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, grid_.size[0], grid_.size[1], grid_.size[2],
                   GL_RED_INTEGER, GL_UNSIGNED_INT, index.data());
  gl.BindTexture(GL_TEXTURE_3D, skip_.get());
  const SkipMap& skip = needed.skip;
  gl.TexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, skip.size[0], skip.size[1], skip.size[2],
                   GL_RED_INTEGER, GL_UNSIGNED_BYTE, skip.cells.data());
}

void BrickAtlas::bind() const {
  gl.ActiveTexture(GL_TEXTURE2);
  gl.BindTexture(GL_TEXTURE_3D, skip_.get());
  gl.ActiveTexture(GL_TEXTURE1);
  gl.BindTexture(GL_TEXTURE_3D, index_.get());
  gl.ActiveTexture(GL_TEXTURE0);
  gl.BindTexture(GL_TEXTURE_2D_ARRAY, atlas_.get());
}

AtlasCache::~AtlasCache() {
  for (const auto& atlas : atlases_) atlas->drop();  // casters may own them for longer
}

void AtlasCache::take(const std::shared_ptr<BrickAtlas>& atlas, std::size_t bytes) {
  atlases_.remove_if([&](const std::shared_ptr<BrickAtlas>& one) {
    if (one == atlas) return true;
    if (one.use_count() > 1) return false;
    one->drop();
    return true;
  });
  std::size_t used = bytes;
  for (const auto& one : atlases_) used += one->bytes();
  while (used > budget_bytes_ && !atlases_.empty()) {
    used -= atlases_.back()->bytes();
    atlases_.back()->drop();
    atlases_.pop_back();
  }
  atlases_.push_front(atlas);
}

}  // namespace tilewall::render
