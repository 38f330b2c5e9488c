// Compresses bricks to chunks of Zarr v2.
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

/// The value of "compressor" in .zarray.
[[nodiscard]] nlohmann::json zarr_compressor(BrickCodec codec, VoxelType type);

struct ZstdPackerTraits {
  using Raw = ZSTD_CCtx_s*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept;
};

/// Compresses one brick at a time; the same voxels always give the same bytes. Threads: one owner.
class BrickPacker {
 public:
  BrickPacker(BrickCodec codec, VoxelType type);

  /// The compressed brick; valid until the next call, and no longer than `brick`. Throws JobError
  /// if the library fails.
  [[nodiscard]] std::span<const std::byte> pack(std::span<const std::byte> brick);

 private:
  BrickCodec codec_;
  VoxelType type_;
  std::vector<std::byte> packed_;
  UniqueHandle<ZstdPackerTraits> zstd_;
};

}  // namespace tilewall::render
