// One array of Zarr v2: what its .zarray says, and the bytes of its chunks, which are files of
// their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "render/readers/formats/element.hpp"

namespace tilewall::render {

inline constexpr std::uint64_t max_chunk_bytes = std::uint64_t{1} << 31;

enum class ZarrCodec : std::uint8_t { none, zlib, gzip, zstd, blosc };

struct ZarrArray {
  std::string file;  // .zarray, for messages
  std::filesystem::path folder;
  std::vector<std::int64_t> shape;  // slowest first
  std::vector<std::int64_t> chunks;
  Element element = Element::u8;
  bool swapped = false;
  bool fortran = false;
  ZarrCodec codec = ZarrCodec::none;
  char separator = '.';
  double fill = 0;

  [[nodiscard]] std::uint64_t chunk_bytes() const {
    std::uint64_t bytes = static_cast<std::uint64_t>(bytes_of(element));
    for (const std::int64_t side : chunks) bytes *= static_cast<std::uint64_t>(side);
    return bytes;
  }
};

/// A JSON object of .zarray, .zgroup or .zattrs. Throws InputError naming `file`.
[[nodiscard]] nlohmann::json read_zarr_json(const std::filesystem::path& file);

/// The array in `folder`. Throws InputError naming its .zarray and the field that is wrong.
[[nodiscard]] ZarrArray read_zarray(const std::filesystem::path& folder);

/// Unpacks exactly into `chunk`. Returns whether it could.
[[nodiscard]] bool unpack_chunk(ZarrCodec codec, const std::string& packed,
                                std::span<std::byte> chunk);

}  // namespace tilewall::render
