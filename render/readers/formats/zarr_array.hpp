// One array of Zarr v2 (zarr-specs.readthedocs.io): the fields of its .zarray, and the unpacking of
// its chunks, each of which is a file.
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
  std::string file;  ///< path of .zarray, for messages
  std::filesystem::path folder;
  std::vector<std::int64_t> shape;   ///< length of each axis; in C order the slowest is first
  std::vector<std::int64_t> chunks;  ///< side of a chunk along each axis
  Element element = Element::u8;
  bool swapped = false;  ///< numbers are big endian
  bool fortran = false;  ///< the first axis is the fastest within a chunk
  ZarrCodec codec = ZarrCodec::none;
  char separator = '.';  ///< between the numbers in a chunk's name; '/' makes folders
  double fill = 0;       ///< number of voxels without a chunk; NaN for any word

  [[nodiscard]] std::uint64_t chunk_bytes() const {
    std::uint64_t bytes = static_cast<std::uint64_t>(bytes_of(element));
    for (const std::int64_t side : chunks) bytes *= static_cast<std::uint64_t>(side);
    return bytes;
  }
};

/// Reads the JSON object in a .zarray, .zgroup or .zattrs. Throws InputError with `file` if it is
/// none.
[[nodiscard]] nlohmann::json read_zarr_json(const std::filesystem::path& file);

/// Reads the .zarray in `folder`. Throws InputError with that file and the field that is wrong.
[[nodiscard]] ZarrArray read_zarray(const std::filesystem::path& folder);

/// Unpacks to `chunk`. Returns false for damaged data, or for another size than chunk.size().
[[nodiscard]] bool unpack_chunk(ZarrCodec codec, const std::string& packed,
                                std::span<std::byte> chunk);

}  // namespace tilewall::render
