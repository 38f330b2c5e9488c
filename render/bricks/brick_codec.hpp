// Bricks packed as Zarr's chunks are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "render/volume/volume.hpp"
#include "sync/base/handle.hpp"

struct ZSTD_CCtx_s;

namespace tilewall::render {

enum class BrickCodec : std::uint8_t { raw, zstd, blosc };

inline constexpr std::string_view brick_codec_names[] = {"raw", "zstd", "blosc"};
[[nodiscard]] std::string_view name_of(BrickCodec codec) noexcept;

/// The "compressor" of .zarray.
[[nodiscard]] nlohmann::json zarr_compressor(BrickCodec codec, VoxelType type);

struct ZstdPackerTraits {
  using Raw = ZSTD_CCtx_s*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept;
};

/// Packs bricks one after the other; the same bytes always become the same. One thread.
class BrickPacker {
 public:
  BrickPacker(BrickCodec codec, VoxelType type);

  /// Valid until the next call, and while `brick` is. Throws JobError where the library fails.
  [[nodiscard]] std::span<const std::byte> pack(std::span<const std::byte> brick);

 private:
  BrickCodec codec_;
  VoxelType type_;
  std::vector<std::byte> packed_;
  UniqueHandle<ZstdPackerTraits> zstd_;
};

}  // namespace tilewall::render
