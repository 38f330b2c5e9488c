#include "render/bricks/brick_codec.hpp"

#include <blosc.h>
#include <zstd.h>

#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

namespace tilewall::render {
namespace {

// Measured on MRI, CT, a simulation and noise: higher levels take a multiple of the time and save a
// few per cent more (render/bricks/README.md).
constexpr int zstd_level = 1;
constexpr int blosc_level = 5;
constexpr const char* blosc_codec = "lz4";

// Shuffling puts bytes of the same significance next to each other; single bytes have only one.
int shuffle_of(VoxelType type) { return type == VoxelType::u8 ? BLOSC_NOSHUFFLE : BLOSC_SHUFFLE; }

}  // namespace

std::string_view name_of(BrickCodec codec) noexcept {
  return brick_codec_names[static_cast<std::size_t>(codec)];
}

nlohmann::json zarr_compressor(BrickCodec codec, VoxelType type) {
  switch (codec) {
    case BrickCodec::raw:
      return nullptr;
    case BrickCodec::zstd:
      return {{"id", "zstd"}, {"level", zstd_level}};
    default:
      return {{"id", "blosc"},
              {"cname", blosc_codec},
              {"clevel", blosc_level},
              {"shuffle", shuffle_of(type)},
              {"blocksize", 0}};
  }
}

void ZstdPackerTraits::close(Raw raw) noexcept { ZSTD_freeCCtx(raw); }

BrickPacker::BrickPacker(BrickCodec codec, VoxelType type) : codec_(codec), type_(type) {
  if (codec == BrickCodec::zstd) zstd_ = UniqueHandle<ZstdPackerTraits>(ZSTD_createCCtx());
}

std::span<const std::byte> BrickPacker::pack(std::span<const std::byte> brick) {
  if (codec_ == BrickCodec::raw) return brick;
  if (codec_ == BrickCodec::zstd) {
    packed_.resize(ZSTD_compressBound(brick.size()));
    const std::size_t bytes = ZSTD_compressCCtx(zstd_.get(), packed_.data(), packed_.size(),
                                                brick.data(), brick.size(), zstd_level);
    if (ZSTD_isError(bytes) != 0) throw JobError(std::string("zstd: ") + ZSTD_getErrorName(bytes));
    return std::span(packed_).first(bytes);
  }
  packed_.resize(brick.size() + BLOSC_MAX_OVERHEAD);
  const int bytes = blosc_compress_ctx(
      blosc_level, shuffle_of(type_), static_cast<std::size_t>(bytes_of(type_)), brick.size(),
      brick.data(), packed_.data(), packed_.size(), blosc_codec, 0, 1);
  if (bytes <= 0) throw JobError("blosc: a brick cannot be packed");
  return std::span(packed_).first(static_cast<std::size_t>(bytes));
}

}  // namespace tilewall::render
